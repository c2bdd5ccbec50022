package dev.sluice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
    private static final String ROOT = "dev.sluice";
    private static final String OFFENDER = "dev.sluice.offender";

    private static final JavaClasses MAIN =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages(ROOT);
    private static final JavaClasses OFFENDERS = new ClassFileImporter().importPackages(OFFENDER);

    @ParameterizedTest
    @MethodSource
    void mainCodeKeepsTheRule(HouseRule rule) {
        rule.rule().check(MAIN);
    }

    static List<HouseRule> mainCodeKeepsTheRule() {
        return rules(ROOT);
    }

    @ParameterizedTest
    @MethodSource
    void theOffenderBreaksTheRule(HouseRule rule) {
        List<String> violations = rule.rule().evaluate(OFFENDERS).getFailureReport().getDetails();

        assertThat(rule.offences())
                .isNotEmpty()
                .allSatisfy(
                        offence ->
                                assertThat(violations)
                                        .anySatisfy(line -> assertThat(line).contains(offence)));
    }

    static List<HouseRule> theOffenderBreaksTheRule() {
        return rules(OFFENDER);
    }

    private static List<HouseRule> rules(String root) {
        return Stream.of(new StructureRules(root).all(), new CodeRules(root).all())
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void everyPackageOfEveryModuleHasItsPlace() {
        Set<String> packages = new TreeSet<>();
        for (JavaClass type : MAIN) {
            packages.add(type.getPackageName().substring(ROOT.length() + 1).split("\\.", 2)[0]);
        }
        assertThat(packages).isEqualTo(KeepDirection.MAY_USE.keySet());
    }

    @Test
    void testsAreNullMarkedAsWell() {
        JavaClasses tests =
                new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
                        .importPackages(ROOT);

        classes()
                .that()
                .resideOutsideOfPackage(OFFENDER + "..")
                .should(new ResideInNullMarkedPackage())
                .check(tests);
    }
}
