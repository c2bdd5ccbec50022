package dev.sluice;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What the code of a class never does, for the packages below one root.
 *
 * <p>Immutable; any thread.
 */
final class CodeRules {
    private static final Set<String> DNS_METHODS =
            Set.of(
                    "getByName",
                    "getAllByName",
                    "getLocalHost",
                    "getHostName",
                    "getCanonicalHostName");

    private final String root;

    CodeRules(String root) {
        this.root = root;
    }

    List<HouseRule> all() {
        return List.of(
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
                        .callMethodWhere(describe("DNS may be asked", CodeRules::mayAskDns))
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
                        .haveRawType(describe("that can change", CodeRules::isMutable))
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
                        .and(
                                describe(
                                        "are not sealed",
                                        (JavaClass type) -> !type.reflect().isSealed()))
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
}
