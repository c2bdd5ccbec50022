package dev.sluice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import java.util.List;

/**
 * Which package may use what, for the packages below one root.
 *
 * <p>Immutable; any thread.
 */
final class StructureRules {
    private final String root;

    StructureRules(String root) {
        this.root = root;
    }

    List<HouseRule> all() {
        return List.of(
                fence(
                        List.of("kubernetes"),
                        List.of("io.fabric8..", "com.fasterxml.jackson.."),
                        "io.fabric8.kubernetes.api.model.Service.<init>",
                        "com.fasterxml.jackson.annotation.JsonFormat$Shape.STRING"),
                fence(
                        List.of("kubernetes", "config"),
                        List.of("org.snakeyaml.."),
                        "org.snakeyaml.engine.v2.api.LoadSettings.builder"),
                fence(
                        List.of("kubernetes", "admin"),
                        List.of("tools.jackson.."),
                        "tools.jackson.databind.ObjectMapper.<init>"),
                fence(
                        List.of("admin"),
                        List.of("io.prometheus..", "io.netty.handler.codec.http.."),
                        "io.prometheus.metrics.model.snapshots.Labels.EMPTY",
                        "io.netty.handler.codec.http.HttpMethod.GET"),
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
                nullMarkedPackages());
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
                        .and()
                        // Found by Logback alone, in the runnable jar.
                        .doNotHaveFullyQualifiedName(root + ".app.ProgramLogLayout")
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

    private String packageOf(String name) {
        return root + "." + name + "..";
    }
}
