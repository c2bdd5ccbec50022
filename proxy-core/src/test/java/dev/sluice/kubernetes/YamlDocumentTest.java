package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlDocumentTest {

    @Test
    void documentsAreCutAtTheirMarkersOnly() throws ManifestException {
        List<YamlDocument> documents =
                YamlDocument.split(
                        """
                        # only a comment
                        ---
                        a: |
                          ---
                          text --- more
                        ---
                        # nothing
                        --- {b: 1}
                        ---
                        ----: no marker
                        ...
                        """);

        assertThat(documents)
                .extracting(YamlDocument::number, YamlDocument::firstLine)
                .containsExactly(tuple(1, 2), tuple(2, 8), tuple(3, 9));
        assertThat(documents.get(0).parse()).isEqualTo(Map.of("a", "---\ntext --- more\n"));
        assertThat(documents.get(1).parse()).isEqualTo(Map.of("b", 1));
        assertThat(documents.get(2).parse()).isEqualTo(Map.of("----", "no marker"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\n", "# c", "---", "---\n# c\n---\n\n", "%YAML 1.2\n---\n"})
    void nothingIsNoDocument(String text) {
        assertThat(YamlDocument.split(text)).isEmpty();
    }

    @Test
    void manyCommentsAreNoDocument() {
        assertThat(YamlDocument.split("# c\n".repeat(1_000_000))).isEmpty();
    }

    @Test
    void onlyLineFeedsBeginALine() {
        assertThat(YamlDocument.split("a: 'b\u2028--- c'")).hasSize(1);
    }

    @Test
    void markersMayEndWithCarriageReturns() {
        assertThat(YamlDocument.split("a: 1\r\n---\r\nb: 2\r\n")).hasSize(2);
    }

    @Test
    void jsonMayBeIndentedByTabs() throws ManifestException {
        assertThat(parse("{\n\t\"a\":\t[\n\t\t\"\\ud83d\\ude00\\/\", true, null]\n}"))
                .asString()
                .isEqualTo("{a=[\uD83D\uDE00/, true, null]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a: [b                | line 3, column",
                "a: b: c              | line 3, column 5",
                "a: 1, a: 2           | line 3, column",
                "{a: 1, a: 2}         | found duplicate key a at line 3, column 8",
                "a: !!java.lang.Thread | line 3, column 4",
                "a: *b                | line 3, column 4",
                "{[1, 2]: 3}          | Non scalar key",
            })
    void aBrokenDocumentSaysWhere(String text, String message) {
        assertThatThrownBy(() -> YamlDocument.split("a: 1\n---\n" + text).get(1).parse())
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining(message);
    }

    @Test
    void cyclesAndMergeKeysAreRefused() {
        assertThatThrownBy(() -> parse("a: &a [*a]")).hasMessageContaining("aliases");
        assertThatThrownBy(() -> parse("a: &a {b: 1}\nc: {<<: *a}"))
                .hasMessageContaining("merge key");
    }

    @Test
    void anAliasIsAnotherName() throws ManifestException {
        assertThat(parse("a: &a {b: 1}\nc: *a"))
                .isEqualTo(Map.of("a", Map.of("b", 1), "c", Map.of("b", 1)));
    }

    @Test
    void aliasesThatMultiplyAreRefused() {
        String bomb =
                IntStream.rangeClosed(1, 30)
                        .mapToObj(
                                i ->
                                        "a" + i + ": &a" + i + " [*a" + (i - 1) + ", *a" + (i - 1)
                                                + "]")
                        .collect(Collectors.joining("\n", "a0: &a0 [x]\n", "\n"));

        assertThatThrownBy(() -> parse(bomb)).isInstanceOf(ManifestException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "- ", "{a: "})
    void endlessNestingIsRefused(String open) {
        assertThatThrownBy(() -> parse(open.repeat(100_000)))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("nested deeper than 100 at line 1");
    }

    private static Object parse(String text) throws ManifestException {
        Object value = YamlDocument.split(text).get(0).parse();
        if (value == null) {
            throw new AssertionError("no value in " + text);
        }
        return value;
    }
}
