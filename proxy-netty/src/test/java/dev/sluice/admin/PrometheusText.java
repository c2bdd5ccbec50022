package dev.sluice.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A strict reader of Prometheus' text format 0.0.4: it takes nothing that the format does not say.
 *
 * <p>Threads: stateless; any thread.
 */
final class PrometheusText {
    private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
    private static final String LABEL =
            "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\"\\\\n])*\"";
    private static final Pattern HELP = Pattern.compile("# HELP (" + NAME + ") (.+)");
    private static final Pattern TYPE =
            Pattern.compile("# TYPE (" + NAME + ") (counter|gauge|histogram|summary)");
    private static final Pattern SAMPLE =
            Pattern.compile(
                    "(" + NAME + ")(\\{(?:" + LABEL + ",)*" + LABEL + "})? (\\+Inf|-?[0-9.eE+-]+)");

    private PrometheusText() {}

    /**
     * Values by series.
     *
     * @throws AssertionError for the first line that breaks a rule
     */
    static Map<String, Double> parse(String text) {
        assertThat(text).endsWith("\n");
        Map<String, Double> series = new LinkedHashMap<>();
        Set<String> families = new HashSet<>();
        String family = "";
        String type = "";
        for (String line : text.split("\n", -1)) {
            Matcher help = HELP.matcher(line);
            Matcher typed = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (help.matches()) {
                family = help.group(1);
                assertThat(families.add(family)).as("second family " + family).isTrue();
            } else if (typed.matches()) {
                assertThat(typed.group(1)).isEqualTo(family);
                type = typed.group(2);
                if (type.equals("counter")) {
                    assertThat(family).endsWith("_total");
                }
            } else if (sample.matches()) {
                String suffix = sample.group(1).substring(family.length());
                assertThat(sample.group(1)).startsWith(family);
                assertThat(suffix)
                        .isIn(
                                type.equals("histogram") || type.equals("summary")
                                        ? Set.of("_bucket", "_count", "_sum", "")
                                        : Set.of(""));
                String labels = sample.group(2) == null ? "" : sample.group(2);
                Double before =
                        series.put(
                                sample.group(1) + labels,
                                sample.group(3).equals("+Inf")
                                        ? Double.POSITIVE_INFINITY
                                        : Double.valueOf(sample.group(3)));
                assertThat(before).as("second sample of " + line).isNull();
            } else {
                assertThat(line).as("a line of no kind").isEmpty();
            }
        }
        return series;
    }
}
