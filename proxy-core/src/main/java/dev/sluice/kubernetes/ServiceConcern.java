package dev.sluice.kubernetes;

import dev.sluice.control.ReconcileStatus;
import dev.sluice.model.ServiceName;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Something about a Service that whoever wrote it should know.
 *
 * <p>Immutable; any thread.
 */
record ServiceConcern(ServiceName service, Reason reason) implements Comparable<ServiceConcern> {
    /** Most bytes of an Event's note, as the API takes it. */
    private static final int LONGEST_NOTE = 1024;

    private static final String CUT = "…";

    /** What an Event gives as its reason and action. */
    enum Reason {
        /** As kube-proxy says it. */
        HEALTH_CHECK("FailedToStartServiceHealthcheck", "Listen"),

        /** A port that is taken, or that the proxy is at fault with. */
        PORT("FailedToServePort", "Serve"),

        /** An object that breaks a rule, endpoints over capacity included. */
        OBJECT("NotServedAsWritten", "Read");

        private final String text;
        private final String action;

        Reason(String text, String action) {
            this.text = text;
            this.action = action;
        }

        String text() {
            return text;
        }

        String action() {
            return action;
        }
    }

    /** All that there is to tell, with its text of at most 1024 bytes. */
    static SortedMap<ServiceConcern, String> in(ReconcileStatus status) {
        SortedMap<ServiceConcern, String> notes = new TreeMap<>();
        status.healthCheckFailures()
                .forEach((service, why) -> add(notes, service, Reason.HEALTH_CHECK, why));
        status.portFailures()
                .forEach((port, why) -> add(notes, port.service(), Reason.PORT, port + ": " + why));
        status.problems()
                .forEach(
                        problem ->
                                problem.service()
                                        .ifPresent(
                                                service ->
                                                        add(
                                                                notes,
                                                                service,
                                                                Reason.OBJECT,
                                                                problem.toString())));
        notes.replaceAll((concern, note) -> cut(note));
        return notes;
    }

    private static void add(
            SortedMap<ServiceConcern, String> notes,
            ServiceName service,
            Reason reason,
            String note) {
        // Thousands of problems of one Service would make a text that is cut anyway.
        notes.merge(
                new ServiceConcern(service, reason),
                note,
                (old, more) -> old.length() > LONGEST_NOTE ? old : old + "; " + more);
    }

    private static String cut(String note) {
        byte[] bytes = note.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= LONGEST_NOTE) {
            return note;
        }
        int end = LONGEST_NOTE - CUT.getBytes(StandardCharsets.UTF_8).length;
        // Not within a character: its bytes but the first are 10xxxxxx.
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + CUT;
    }

    @Override
    public int compareTo(ServiceConcern other) {
        return Comparator.comparing(ServiceConcern::service)
                .thenComparing(ServiceConcern::reason)
                .compare(this, other);
    }
}
