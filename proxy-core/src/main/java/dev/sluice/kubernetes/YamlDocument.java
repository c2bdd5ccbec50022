package dev.sluice.kubernetes;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * One document of a YAML or JSON file, as text.
 *
 * <p>The documents are cut apart before any of them is parsed, so that one that is broken does not
 * take the rest of the file with it. Inside of a document no line can begin with {@code ---} (YAML
 * 1.2, rule 206 {@code c-forbidden}).
 *
 * <p>Immutable; any thread.
 *
 * @param number 1 for the first in the file
 * @param firstLine 1 for the first of the file
 */
record YamlDocument(int number, int firstLine, String text) {
    private static final Pattern MARKER =
            Pattern.compile("^---(?=\\s|\\z)", Pattern.MULTILINE | Pattern.UNIX_LINES);

    /** Deeper than any object of Kubernetes; the parser would recurse without end. */
    private static final int DEEPEST = 100;

    /** A small file whose aliases multiply must not fill the memory. */
    private static final int MOST_VALUES = 2_000_000;

    private static final LoadSettings SETTINGS =
            LoadSettings.builder()
                    .setCodePointLimit(ManifestFile.LARGEST)
                    .setAllowNonScalarKeys(false)
                    .setSchema(new ManifestSchema())
                    // What they lead to is counted, see Size.
                    .setMaxAliasesForCollections(Integer.MAX_VALUE)
                    .build();

    /** The documents of a file; what holds nothing but comments is none. */
    static List<YamlDocument> split(String text) {
        List<YamlDocument> documents = new ArrayList<>();
        Matcher marker = MARKER.matcher(text);
        int start = 0;
        int line = 1;
        boolean more = true;
        while (more) {
            more = marker.find();
            int end = more ? marker.start() : text.length();
            String piece = text.substring(start, end);
            String content = piece.startsWith("---") ? piece.substring(3) : piece;
            if (!content.lines().allMatch(YamlDocument::isNoContent)) {
                documents.add(new YamlDocument(documents.size() + 1, line, piece));
            }
            line += (int) piece.chars().filter(c -> c == '\n').count();
            start = end;
        }
        return documents;
    }

    /** Blank, a comment or a directive. */
    private static boolean isNoContent(String line) {
        String text = line.strip();
        return text.isEmpty() || text.startsWith("#") || text.startsWith("%");
    }

    /**
     * The document as maps, lists and scalars, without cycles.
     *
     * @throws ManifestException naming line and column where they are known
     */
    @Nullable Object parse() throws ManifestException {
        try {
            checkDepth();
            @Nullable Object value = new Load(SETTINGS).loadFromString(text);
            new Size().add(value, 0);
            return value;
        } catch (MarkedYamlEngineException e) {
            throw new ManifestException(describe(e));
        } catch (ReaderException e) {
            throw new ManifestException(describe(e));
        } catch (YamlEngineException e) {
            throw new ManifestException("is not YAML: " + e.getMessage());
        }
    }

    private void checkDepth() throws ManifestException {
        int depth = 0;
        for (Event event : new Parse(SETTINGS).parseString(text)) {
            if (event instanceof CollectionStartEvent) {
                depth++;
            } else if (event instanceof CollectionEndEvent) {
                depth--;
            }
            if (depth > DEEPEST) {
                throw new ManifestException(
                        "is nested deeper than " + DEEPEST + at(event.getStartMark()));
            }
        }
    }

    private String describe(MarkedYamlEngineException e) {
        @Nullable String context = e.getContext();
        return "is not YAML: "
                + (context == null ? "" : context + ", ")
                + e.getProblem()
                + at(e.getProblemMark());
    }

    private String describe(ReaderException e) {
        long linesBefore = text.codePoints().limit(e.getPosition()).filter(c -> c == '\n').count();
        return String.format(
                Locale.ROOT,
                "is not YAML: the character U+%04X at line %d is not allowed",
                e.getCodePoint(),
                firstLine + linesBefore);
    }

    private String at(Optional<Mark> mark) {
        return mark.map(
                        m ->
                                " at line "
                                        + (firstLine + m.getLine())
                                        + ", column "
                                        + (m.getColumn() + 1))
                .orElse("");
    }

    /** Counts values as often as they are reached, as the copies that follow will do. */
    private static final class Size {
        private int values;

        void add(@Nullable Object value, int depth) throws ManifestException {
            if (++values > MOST_VALUES || depth > DEEPEST) {
                throw new ManifestException("has aliases that lead to too many values");
            }
            if (value instanceof Map<?, ?> map) {
                if (map.containsKey("<<")) {
                    throw new ManifestException(
                            "has a merge key (<<), which YAML 1.2 does not know");
                }
                for (Object child : map.values()) {
                    add(child, depth + 1);
                }
            } else if (value instanceof Iterable<?> list) {
                for (Object child : list) {
                    add(child, depth + 1);
                }
            }
        }
    }
}
