package dev.sluice;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The rules that the code of all modules keeps, for the packages below one root.
 *
 * <p>Immutable; any thread.
 */
final class HouseRules {
    private static final Set<String> DNS_METHODS =
            Set.of(
                    "getByName",
                    "getAllByName",
                    "getLocalHost",
                    "getHostName",
                    "getCanonicalHostName");

    private final String root;

    HouseRules(String root) {
        this.root = root;
    }

    /**
     * A rule with the proof that it can fail.
     *
     * @param offences each is part of a violation by {@code dev.sluice.offender}
     */
    record HouseRule(ArchRule rule, List<String> offences) {
        HouseRule(ArchRule rule, String... offences) {
            this(rule, List.of(offences));
        }

        @Override
        public String toString() {
            return rule.getDescription();
        }
    }

    List<HouseRule> all() {
        return List.of(
                fence(
                        List.of("kubernetes"),
                        List.of(
                                "io.fabric8..",
                                "tools.jackson..",
                                "com.fasterxml.jackson..",
                                "org.snakeyaml.."),
                        "io.fabric8.kubernetes.api.model.Service.<init>",
                        "tools.jackson.databind.ObjectMapper.<init>",
                        "com.fasterxml.jackson.annotation.JsonFormat$Shape.STRING",
                        "org.snakeyaml.engine.v2.api.LoadSettings.builder"),
                fence(
                        List.of("config"),
                        List.of("com.typesafe.config.."),
                        "com.typesafe.config.ConfigFactory.empty"),
                fence(
                        List.of("affinity"),
                        List.of("com.github.benmanes.caffeine.."),
                        "com.github.benmanes.caffeine.cache.Ticker.systemTicker"),
                fence(
                        List.of("netty", "admin"),
                        List.of("io.netty.."),
                        "io.netty.util.NetUtil.LOCALHOST"),
                fence(
                        List.of("app"),
                        List.of("picocli..", "ch.qos.logback.."),
                        "picocli.CommandLine.<init>",
                        "ch.qos.logback.classic.Level.INFO"),
                embeddersNeedNoProgram(),
                direction(),
                noCycles(),
                nullMarkedPackages(),
                noJavaUtilLogging(),
                noStandardStreams(),
                noExit(),
                noSleep(),
                noLookup(),
                noLookupByConstructor(),
                noAssignableStatics(),
                noMutableStatics(),
                finalClasses(),
                names());
    }

    private HouseRule fence(List<String> inside, List<String> thirdParty, String... offences) {
        return new HouseRule(
                noClasses()
                        .that()
                        .resideOutsideOfPackages(
                                inside.stream().map(this::packageOf).toArray(String[]::new))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(thirdParty.toArray(String[]::new))
                        .because("a third party stands behind a fence, so that it can be replaced"),
                offences);
    }

    /** The command line and its log binding are optional dependencies. */
    private HouseRule embeddersNeedNoProgram() {
        return new HouseRule(
                noClasses()
                        .that()
                        .arePublic()
                        .and()
                        .doNotHaveFullyQualifiedName(root + ".app.Main")
                        .should()
                        .transitivelyDependOnClassesThat()
                        .resideInAnyPackage("picocli..", "ch.qos.logback..")
                        .because("they are missing where the proxy is embedded"),
                "OffenderUtils> transitively depends on <picocli.CommandLine>");
    }

    private HouseRule direction() {
        return new HouseRule(
                classes()
                        .should(new KeepDirection(root))
                        .because("knowledge runs one way: " + KeepDirection.MAY_USE),
                "dev.sluice.offender.config.OffenderUtils.offender");
    }

    private HouseRule noCycles() {
        return new HouseRule(
                slices().matching(root + ".(*)..").should().beFreeOfCycles(),
                "Cycle detected: Slice config");
    }

    private HouseRule nullMarkedPackages() {
        return new HouseRule(
                classes()
                        .should(new ResideInNullMarkedPackage())
                        .because("NullAway checks nothing else"),
                "dev.sluice.offender.model.Offender");
    }

    private static HouseRule noJavaUtilLogging() {
        return new HouseRule(
                noClasses()
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage("java.util.logging..")
                        .because("the log is slf4j's"),
                "java.util.logging.Logger.getLogger");
    }

    private static HouseRule noStandardStreams() {
        return new HouseRule(
                NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.because(
                        "a library has none, and a command writes to its CommandLine"),
                "java.lang.System.out");
    }

    private HouseRule noExit() {
        return new HouseRule(
                noClasses()
                        .that()
                        .doNotHaveFullyQualifiedName(root + ".app.Main")
                        .and()
                        .doNotHaveFullyQualifiedName(root + ".app.Signals")
                        .should()
                        .callMethod(System.class, "exit", int.class)
                        .orShould()
                        .callMethod(Runtime.class, "exit", int.class)
                        .orShould()
                        .callMethod(Runtime.class, "halt", int.class)
                        .because("an embedded proxy never ends its JVM"),
                "java.lang.System.exit",
                "java.lang.Runtime.exit",
                "java.lang.Runtime.halt");
    }

    private HouseRule noSleep() {
        return new HouseRule(
                noClasses()
                        .that()
                        .doNotHaveFullyQualifiedName(root + ".state.StateDirectory")
                        .should()
                        .callMethod(Thread.class, "sleep", long.class)
                        .orShould()
                        .callMethod(TimeUnit.class, "sleep", long.class)
                        .because("one waits for what one waits for; only a lock file can't tell"),
                "java.lang.Thread.sleep",
                "java.util.concurrent.TimeUnit.sleep");
    }

    private static HouseRule noLookup() {
        return new HouseRule(
                noClasses()
                        .should()
                        .callMethodWhere(describe("DNS may be asked", HouseRules::mayAskDns))
                        .because("a proxy that waits for DNS waits for a Service"),
                "java.net.InetAddress.getByName",
                "java.net.InetAddress.getAllByName",
                "java.net.InetAddress.getLocalHost",
                "java.net.InetAddress.getHostName",
                "java.net.InetAddress.getCanonicalHostName",
                "java.net.InetSocketAddress.getHostName");
    }

    private static boolean mayAskDns(JavaAccess<?> call) {
        JavaClass owner = call.getTargetOwner();
        return DNS_METHODS.contains(call.getName())
                && (owner.isAssignableTo(InetAddress.class)
                        || owner.isAssignableTo(InetSocketAddress.class));
    }

    private static HouseRule noLookupByConstructor() {
        return new HouseRule(
                noClasses()
                        .should()
                        .callConstructor(InetSocketAddress.class, String.class, int.class)
                        .orShould()
                        .callConstructor(Socket.class, String.class, int.class)
                        .because("they ask DNS, too"),
                "java.net.InetSocketAddress.<init>",
                "java.net.Socket.<init>");
    }

    private static HouseRule noAssignableStatics() {
        return new HouseRule(
                fields().that().areStatic().should().beFinal().because("no state is static"),
                "dev.sluice.offender.model.Offender.assigned");
    }

    private static HouseRule noMutableStatics() {
        return new HouseRule(
                noFields()
                        .that()
                        .areStatic()
                        .and()
                        .doNotHaveModifier(JavaModifier.SYNTHETIC)
                        .should()
                        .haveRawType(describe("that can change", HouseRules::isMutable))
                        .because("no state is static"),
                "dev.sluice.offender.model.Offender.ARRAY",
                "dev.sluice.offender.model.Offender.COUNTER");
    }

    private static boolean isMutable(JavaClass type) {
        boolean isCollection =
                type.isAssignableTo(Collection.class) || type.isAssignableTo(Map.class);
        return type.isArray()
                || (isCollection && !type.isInterface())
                || type.getPackageName().equals("java.util.concurrent.atomic");
    }

    private static HouseRule finalClasses() {
        return new HouseRule(
                classes()
                        .that()
                        .areTopLevelClasses()
                        .and()
                        .areNotInterfaces()
                        .and()
                        .doNotHaveModifier(JavaModifier.ABSTRACT)
                        .should()
                        .haveModifier(JavaModifier.FINAL)
                        .because("what is not made for inheritance must not be inherited from"),
                "dev.sluice.offender.model.Offender");
    }

    private static HouseRule names() {
        return new HouseRule(
                noClasses()
                        .should()
                        .haveNameMatching(".*(Manager|Utils?|Helper|Impl)(\\$.*)?")
                        .because("such names do not say what a class is"),
                "dev.sluice.offender.config.OffenderUtils");
    }

    private String packageOf(String name) {
        return root + "." + name + "..";
    }
}
