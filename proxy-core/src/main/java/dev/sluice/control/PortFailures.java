package dev.sluice.control;

import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Service ports that failed in this run. A failure that comes back with the same text in every
 * run is logged once.
 *
 * <p>Threads: control thread only.
 */
final class PortFailures {
    private static final Logger log = LoggerFactory.getLogger(PortFailures.class);

    private SortedMap<ServicePortName, String> before = Collections.emptySortedMap();
    private SortedMap<ServicePortName, String> current = new TreeMap<>();

    void beginRun() {
        before = current;
        current = new TreeMap<>();
    }

    /** A Service port that has no port to listen on: expected, so without a stack trace. */
    void add(ServicePortName name, IOException cause) {
        String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        if (put(name, text)) {
            log.warn("Service port {} failed, the others go on: {}", name, text);
        }
    }

    /** A fault of the program at one Service port: it is set aside until it works again. */
    void add(ServicePortName name, RuntimeException cause) {
        if (put(name, cause.toString())) {
            log.warn("Service port {} is quarantined, the others go on", name, cause);
        }
    }

    void endRun() {
        for (ServicePortName name : before.keySet()) {
            if (!current.containsKey(name)) {
                log.info("Service port {} no longer fails", name);
            }
        }
    }

    SortedMap<ServicePortName, String> current() {
        return current;
    }

    private boolean put(ServicePortName name, String text) {
        current.put(name, text);
        return !text.equals(before.get(name));
    }
}
