package dev.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kubernetes.RbacManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code docker/rbac.yaml}: what the program is granted.
 *
 * <p>Stateless; any thread.
 */
final class Rbac {
    /* The line of "kubectl auth can-i --list" for a resource, without names and other paths. */
    private static final Pattern GRANT =
            Pattern.compile("(?m)^(\\S+)\\s+\\[]\\s+\\[]\\s+\\[([^\\]]*)]\\s*$");

    private Rbac() {}

    /** The documents as they are given to users. */
    static String manifest() throws IOException {
        return Files.readString(Path.of(System.getProperty("sluice.rbac", "")));
    }

    /** The documents without one verb on one resource. */
    static String without(String verb, String resource) throws IOException {
        String manifest = manifest();
        Matcher rule = RbacManifest.RULE.matcher(manifest);
        while (rule.find()) {
            if (rule.group(2).equals(resource)) {
                String verbs = rule.group(3);
                String others =
                        verbs.replaceAll("\\b" + verb + "\\b(, )?", "").replaceAll(", $", "");
                assertThat(others).isNotEqualTo(verbs);
                return manifest.substring(0, rule.start(3))
                        + others
                        + manifest.substring(rule.end(3));
            }
        }
        throw new AssertionError("no rule for " + resource);
    }

    /** The documents without all that is granted on one resource. */
    static String withoutRule(String resource) throws IOException {
        String manifest = manifest();
        String without =
                RbacManifest.RULE
                        .matcher(manifest)
                        .replaceAll(
                                rule ->
                                        rule.group(2).equals(resource)
                                                ? "apiGroups: [example.com]\n    resources: [none]\n    verbs: [get]"
                                                : Matcher.quoteReplacement(rule.group()));
        assertThat(without).isNotEqualTo(manifest);
        return without;
    }

    /** Verbs by resource that the API server allows the service account of the program. */
    static Map<String, String> allowed(ControlPlane controlPlane) throws IOException {
        String list =
                controlPlane.kubectl(
                        "auth", "can-i", "--list", "--as=system:serviceaccount:kube-system:sluice");
        Map<String, String> verbs = new TreeMap<>();
        GRANT.matcher(list).results().forEach(line -> verbs.put(line.group(1), line.group(2)));
        // Everybody may ask what they are allowed.
        verbs.keySet().removeIf(resource -> resource.startsWith("selfsubject"));
        return verbs;
    }
}
