package dev.sluice.model;

import java.util.Optional;

/**
 * An input that was left out, and why: the rest of the snapshot serves.
 *
 * <p>Immutable; any thread.
 *
 * @param where the file and document, or the kind, namespace and name of the object
 * @param field the field as the API names it ({@code spec.ports[0].port}); empty when the whole
 *     input is meant
 * @param value the value found, shortened to at most 80 characters; empty when there is none
 * @param rule the rule that it breaks
 * @param service the Service whose serving it concerns; empty if there is none
 */
public record Problem(
        String where, String field, String value, String rule, Optional<ServiceName> service) {
    private static final int LONGEST_VALUE = 80;

    // All four may hold text of whoever wrote the object, and all four end up in the log.
    public Problem {
        where = printable(where);
        field = printable(field);
        value =
                printable(
                        value.length() <= LONGEST_VALUE
                                ? value
                                : value.substring(0, LONGEST_VALUE) + "…");
        rule = printable(rule);
    }

    /** Concerns no Service, or nobody knows which. */
    public Problem(String where, String field, String value, String rule) {
        this(where, field, value, rule, Optional.empty());
    }

    /** The same, told of a Service. */
    public Problem of(ServiceName concerned) {
        return new Problem(where, field, value, rule, Optional.of(concerned));
    }

    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** One line: place, field, value, rule. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(where).append(": ");
        if (!field.isEmpty()) {
            line.append(field).append(' ');
        }
        if (!value.isEmpty()) {
            line.append('\'').append(value).append("' ");
        }
        return line.append(rule).toString();
    }
}
