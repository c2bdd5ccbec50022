package dev.sluice.kubernetes;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How {@code docker/rbac.yaml} is read.
 *
 * <p>Stateless; any thread.
 */
public final class RbacManifest {
    /** One rule: its API group, its resource and its verbs. */
    public static final Pattern RULE =
            Pattern.compile(
                    "apiGroups: \\[\"?([^\\]\"]*)\"?]\\s+resources: \\[(\\w+)]\\s+verbs: \\[([^\\]]*)]");

    private RbacManifest() {}

    /** Verbs, a blank between two, by resource, such as {@code events.events.k8s.io}. */
    public static Map<String, String> granted(String manifest) {
        Map<String, String> verbs = new TreeMap<>();
        RULE.matcher(manifest)
                .results()
                .forEach(
                        rule ->
                                verbs.put(
                                        resource(rule.group(1), rule.group(2)),
                                        rule.group(3).replace(",", "")));
        return verbs;
    }

    /** A resource as kubectl names it. */
    static String resource(String group, String name) {
        return group.isEmpty() ? name : name + "." + group;
    }
}
