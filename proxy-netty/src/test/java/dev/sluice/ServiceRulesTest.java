package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code service-rules.md} names tests for every rule, {@code published-tests.md} one or a reason
 * for each published test, and each test that they name exists.
 */
class ServiceRulesTest {
    private static final Path TABLE = Path.of("src/test/java/dev/sluice/service-rules.md");
    private static final Path PUBLISHED = Path.of("src/test/java/dev/sluice/published-tests.md");
    private static final Pattern RULE = Pattern.compile("## (F\\d+) \\S.*");
    private static final Pattern NAMED = Pattern.compile("- (\\w+)#(\\w+)");

    /** Rules in the order of the table, each with its lines. */
    private static Map<String, List<String>> rules() throws IOException {
        Map<String, List<String>> rules = new LinkedHashMap<>();
        List<String> current = new ArrayList<>();
        for (String line : Files.readAllLines(TABLE)) {
            Matcher rule = RULE.matcher(line);
            if (rule.matches()) {
                current = new ArrayList<>();
                assertThat(rules.put(rule.group(1), current)).as(line).isNull();
            } else if (line.startsWith("-")) {
                current.add(line);
            }
        }
        return rules;
    }

    @Test
    void everyRuleHasATest() throws IOException {
        Map<String, List<String>> rules = rules();

        assertThat(rules.keySet())
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 42).mapToObj(number -> "F" + number).toList());
        rules.forEach((rule, tests) -> assertThat(tests).as(rule).isNotEmpty());
    }

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        Map<String, String> sources = testSources();
        List<String> missing = new ArrayList<>();
        for (List<String> tests : rules().values()) {
            for (String test : tests) {
                Matcher named = NAMED.matcher(test);
                if (!named.matches() || !isTest(sources, named.group(1), named.group(2))) {
                    missing.add(test);
                }
            }
        }

        assertThat(missing).isEmpty();
    }

    @Test
    void everyTestThatStandsForAPublishedOneExists() throws IOException {
        Map<String, String> sources = testSources();
        List<String> missing = new ArrayList<>();
        Matcher named = Pattern.compile("(\\w+)#(\\w+)").matcher(Files.readString(PUBLISHED));
        while (named.find()) {
            if (!isTest(sources, named.group(1), named.group(2))) {
                missing.add(named.group());
            }
        }

        assertThat(missing).isEmpty();
    }

    @Test
    void everyPublishedTestHasATestOrAReason() throws IOException {
        assertThat(Files.readAllLines(PUBLISHED))
                .filteredOn(line -> line.startsWith("- "))
                .hasSizeGreaterThan(60)
                .allMatch(line -> line.matches("- .+: (.*#.*|not here\\. .+|of the .+)"));
    }

    private static boolean isTest(Map<String, String> sources, String type, String method) {
        return sources.getOrDefault(type, "").contains("    void " + method + "(");
    }

    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        for (String module : List.of("proxy-core", "session-affinity", "proxy-netty", "examples")) {
            Path tests = Path.of("..", module, "src", "test", "java");
            try (Stream<Path> files = Files.walk(tests)) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    String name = file.getFileName().toString();
                    sources.put(
                            name.substring(0, name.length() - ".java".length()),
                            Files.readString(file));
                }
            }
        }
        return sources;
    }
}
