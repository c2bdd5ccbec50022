package dev.sluice.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redirect.RedirectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What dig(1) prints about one question, which it asks once and waits 2 s for.
 *
 * <p>Immutable; any thread.
 *
 * @param text all of it
 */
record Dig(String text) {
    private static final Pattern STATUS = Pattern.compile("status: ([A-Z]+)");
    private static final Pattern SERVER =
            Pattern.compile(";; SERVER: (\\S+)\\(\\S+\\) \\((\\S+)\\)");
    private static final Pattern SIZE = Pattern.compile(";; MSG SIZE +rcvd: (\\d+)");

    /** Asks in a pod; an answer from a stranger, or none at all, fails. */
    static Dig ask(Pod pod, String server, String... question) throws RedirectException {
        List<String> command = new ArrayList<>(List.of("dig", "+tries=1", "+time=2", "@" + server));
        Collections.addAll(command, question);
        return new Dig(pod.namespace().run(command.toArray(String[]::new)));
    }

    /** {@code NOERROR}, {@code NXDOMAIN}, … */
    String status() {
        return find(STATUS, 1);
    }

    /** Address and port that answered, as {@code 10.96.0.10#53}. */
    String server() {
        return find(SERVER, 1);
    }

    /** {@code UDP} or {@code TCP}: of the answer that was taken. */
    String protocol() {
        return find(SERVER, 2);
    }

    /** Whether a first answer over UDP said that it was cut short. */
    boolean wasTruncated() {
        return text.contains(";; Truncated, retrying in TCP mode.");
    }

    /** Of the answer, in bytes. */
    int size() {
        return Integer.parseInt(find(SIZE, 1));
    }

    /** Data of the records of the answer section, without names and types. */
    List<String> records() {
        return text.lines()
                .dropWhile(line -> !line.equals(";; ANSWER SECTION:"))
                .skip(1)
                .takeWhile(line -> !line.isEmpty())
                .map(line -> line.split("\\s+", 5)[4])
                .toList();
    }

    private String find(Pattern pattern, int group) {
        Matcher found = pattern.matcher(text);
        assertThat(found.find()).as(text).isTrue();
        return found.group(group);
    }
}
