package dev.sluice;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which package may use which: the picture of the architecture, as a table.
 *
 * <p>Threads: one.
 */
final class KeepDirection extends ArchCondition<JavaClass> {
    /** From each package to all of ours that it may use. */
    static final SortedMap<String, Set<String>> MAY_USE = mayUse();

    private final String root;

    KeepDirection(String root) {
        super("use only what stands below it");
        this.root = root;
    }

    private static SortedMap<String, Set<String>> mayUse() {
        SortedMap<String, Set<String>> table = new TreeMap<>();
        table.put("model", Set.of());
        table.put("balance", Set.of("model"));
        table.put("config", Set.of("model"));
        table.put("affinity", Set.of("model", "config", "balance"));
        table.put("redirect", Set.of("model", "config", "stats"));
        table.put("state", Set.of("model", "config"));
        table.put("stats", Set.of());
        table.put("control", Set.of("model", "config", "redirect", "stats"));
        table.put("kubernetes", Set.of("model", "config", "redirect", "control"));
        table.put(
                "netty",
                Set.of("model", "config", "balance", "redirect", "state", "stats", "control"));
        table.put(
                "admin",
                Set.of("model", "config", "redirect", "stats", "control", "affinity", "netty"));
        table.put("app", Set.copyOf(table.keySet()));
        return Collections.unmodifiableSortedMap(table);
    }

    @Override
    public void check(JavaClass user, ConditionEvents events) {
        String own = packageOf(user);
        for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
            JavaClass used = dependency.getTargetClass();
            if (isOurs(used) && !packageOf(used).equals(own) && !mayUse(own, packageOf(used))) {
                events.add(SimpleConditionEvent.violated(user, dependency.getDescription()));
            }
        }
    }

    private static boolean mayUse(String user, String used) {
        return MAY_USE.getOrDefault(user, Set.of()).contains(used);
    }

    private boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith(root + ".");
    }

    /** The first name below the root. */
    private String packageOf(JavaClass type) {
        return type.getPackageName().substring(root.length() + 1).split("\\.", 2)[0];
    }
}
