package dev.sluice.e2e;

import java.io.Serializable;

/**
 * Something to do inside a pod; what it captures and what it gives back travel between processes.
 *
 * <p>Threads: the one thread of the pod's process.
 */
@FunctionalInterface
public interface Task<T> extends Serializable {
    /** What it finds or leaves in {@code kept} stays there for later tasks. */
    T run(Kept kept) throws Exception;
}
