package dev.sluice.e2e;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * What the tasks of one pod leave open for each other, by name.
 *
 * <p>Threads: the one thread of the pod's process.
 */
public final class Kept {
    private final Map<String, Closeable> open = new HashMap<>();

    public void put(String name, Closeable resource) {
        open.put(name, resource);
    }

    public <T extends Closeable> T get(String name, Class<T> type) {
        Closeable resource = open.get(name);
        if (resource == null) {
            throw new NoSuchElementException("nothing is open under the name " + name);
        }
        return type.cast(resource);
    }

    /** Closes what has this name, if anything does. */
    public void close(String name) throws IOException {
        Closeable resource = open.remove(name);
        if (resource != null) {
            resource.close();
        }
    }

    void closeAll() throws IOException {
        for (Closeable resource : open.values()) {
            resource.close();
        }
        open.clear();
    }
}
