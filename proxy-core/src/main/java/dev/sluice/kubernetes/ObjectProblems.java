package dev.sluice.kubernetes;

import dev.sluice.model.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with one object, in the order of its fields. Bounded, so that one object with a
 * hundred thousand bad addresses fills neither the memory nor the log.
 *
 * <p>Threads: one.
 */
final class ObjectProblems {
    static final int MOST = 20;

    private final String where;
    private final List<Problem> problems = new ArrayList<>();
    private int unlisted;

    ObjectProblems(String where) {
        this.where = where;
    }

    /**
     * @param field as the API names it
     * @param value null when the field is absent
     */
    void add(String field, @Nullable Object value, String rule) {
        if (problems.size() == MOST) {
            unlisted++;
            return;
        }
        problems.add(new Problem(where, field, value == null ? "" : value.toString(), rule));
    }

    List<Problem> list() {
        if (unlisted == 0) {
            return List.copyOf(problems);
        }
        List<Problem> all = new ArrayList<>(problems);
        all.add(new Problem(where, "", "", unlisted + " more of its values were left out"));
        return List.copyOf(all);
    }
}
