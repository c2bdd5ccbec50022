package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
                "~ | null",
                "null | null",
                "Null | null",
                "NULL | null",
                "# nothing | null",
                "nULL | 'nULL'",
                "'~' | '~'",
                "\"null\" | 'null'",
                "true | true",
                "True | true",
                "TRUE | true",
                "false | false",
                "False | false",
                "FALSE | false",
                "tRUE | 'tRUE'",
                "'True' | 'True'",
                "yes | 'yes'",
                "off | 'off'",
                "n | 'n'",
                "80 | 80",
                "+80 | 80",
                "-1 | -1",
                "0 | 0",
                "0x50 | 80",
                "0o120 | 80",
                "99999999999 | 99999999999",
                "'80' | '80'",
                "\"80\" | '80'",
                "!!str 80 | '80'",
                "010 | '010'",
                "-010 | '-010'",
                "00 | '00'",
                "8_0 | '8_0'",
                "0b1 | '0b1'",
                "80.0 | 80.0",
                "1e3 | 1000.0",
                ".5 | 0.5",
                "10.96 | 10.96",
                "10.96.0.10 | '10.96.0.10'",
                "fd00:96::a | 'fd00:96::a'",
                "::1 | '::1'",
                "10:30 | '10:30'",
                "2024-01-02T03:04:05Z | '2024-01-02T03:04:05Z'",
                "1.2.3 | '1.2.3'",
                "1a | '1a'",
                "${HOME} | '${HOME}'",
                "<< | '<<'",
                "= | '='",
            },
            quoteCharacter = '`')
    void aScalarHasTheTypeOfTheCoreSchema(String scalar, String value) throws ManifestException {
        Map<?, ?> map = (Map<?, ?>) parse("a: " + scalar + "\n");

        Object found = map.get("a");
        assertThat(found instanceof String ? "'" + found + "'" : String.valueOf(found))
                .isEqualTo(value);
    }

    @Test
    void integersOf32BitsAreNoLongs() throws ManifestException {
        assertThat(parse("[80, 2147483647, 2147483648]"))
                .isEqualTo(List.of(80, Integer.MAX_VALUE, 2_147_483_648L));
    }

    @Test
    void linesMayEndWithCarriageReturns() throws ManifestException {
        assertThat(parse("# c\r\na: 1\r\nb: |\r\n  x\r\n  y\r\nc: >-\r\n  x\r\n  y\r\n"))
                .isEqualTo(Map.of("a", 1, "b", "x\ny\n", "c", "x y"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"'%s'", "\"%s\"", "%s", "|-\n  %s", "\n  '%s'"})
    void aValueMayBeOfAnyLength(String form) throws ManifestException {
        String value = "x".repeat(1 << 20);

        assertThat(parse("a:\n- b: " + form.formatted(value).replace("\n", "\n  ")))
                .isEqualTo(Map.of("a", List.of(Map.of("b", value))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "~", "--- ~\n", "---\n...\n", "--- null # nothing"})
    void aDocumentMayBeNull(String text) throws ManifestException {
        assertThat(YamlDocument.split(text).get(0).parse()).isNull();
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
    void tabsThatIndentAreRefused() {
        assertThatThrownBy(() -> parse("a:\n\t- b"))
                .hasMessageContaining("'\\t(TAB)' that cannot start any token")
                .hasMessageContaining("at line 2, column 1");
    }

    @Test
    void charactersOutsideOfYamlAreRefused() {
        assertThatThrownBy(() -> YamlDocument.split("a: 1\n---\nb: 2\nc: \u0007").get(1).parse())
                .hasMessage("is not YAML: the character U+0007 at line 4 is not allowed");
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
    void aliasesMayBeMany() throws ManifestException {
        String text = "a: &a {b: 1}\nc:\n" + "- *a\n".repeat(10_000);

        assertThat(parse(text))
                .extracting("c")
                .isEqualTo(Collections.nCopies(10_000, Map.of("b", 1)));
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

        assertThatThrownBy(() -> parse(bomb)).hasMessageContaining("aliases");
    }

    @Test
    @Timeout(60)
    void mergeKeysThatMultiplyAreRefused() {
        String bomb =
                IntStream.rangeClosed(1, 40)
                        .mapToObj(i -> "a%d: &a%d {<<: [*a%d, *a%d]}".formatted(i, i, i - 1, i - 1))
                        .collect(Collectors.joining("\n", "a0: &a0 {x: 1}\n", "\n"));

        assertThatThrownBy(() -> parse(bomb)).hasMessageContaining("merge key");
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
