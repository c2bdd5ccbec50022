package dev.sluice.state;

import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local port that each Service port had last, those of Service ports that are gone included: a
 * Service that comes back gets its port back. One port belongs to one Service port at most.
 *
 * <p>A change is written to the file at once, by a thread of its own; changes during a write make
 * one more write together. A write that fails is repeated with the next change and at the end.
 *
 * <p>Threads: any.
 */
public final class PortMemory implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PortMemory.class);
    private static final Duration LONGEST_WRITE = Duration.ofSeconds(10);

    private final Optional<Path> file;
    private final ThreadPoolExecutor writer;

    /** Longest unused first. */
    private final LinkedHashMap<ServicePortName, Integer> ports;

    private final Map<Integer, ServicePortName> owners = new HashMap<>();
    private boolean isDirty;
    private boolean isFailing;

    private PortMemory(Optional<Path> file, Map<ServicePortName, Integer> ports) {
        this.file = file;
        this.ports = new LinkedHashMap<>(ports);
        ports.forEach((name, port) -> owners.put(port, name));
        writer =
                new ThreadPoolExecutor(
                        1,
                        1,
                        0,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task -> {
                            Thread thread = new Thread(task, "sluice-port-memory");
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    /** Ports are remembered as long as the process runs. */
    public static PortMemory inMemory() {
        return new PortMemory(Optional.empty(), Map.of());
    }

    /**
     * Ports are remembered in a file. Lines that can not be read are named in the log and left out;
     * a file that is not there is an empty one.
     */
    public static PortMemory at(Path file) {
        return new PortMemory(Optional.of(file), PortFile.read(file));
    }

    synchronized OptionalInt port(ServicePortName name) {
        Integer port = ports.get(name);
        return port == null ? OptionalInt.empty() : OptionalInt.of(port);
    }

    synchronized @Nullable ServicePortName owner(int port) {
        return owners.get(port);
    }

    /** Makes this the last used entry, and takes the port from whoever had it. */
    synchronized void remember(ServicePortName name, int port) {
        Integer before = ports.remove(name);
        if (before != null) {
            owners.remove(before);
        }
        ServicePortName loser = owners.put(port, name);
        if (loser != null) {
            ports.remove(loser);
        }
        ports.put(name, port);
        if (before == null || before != port) {
            changed();
        }
    }

    /** Forgets the longest unused entries, until at most so many are left beside those present. */
    synchronized void trim(int mostAbsent, Set<ServicePortName> present) {
        int excess = ports.size() - present.size() - mostAbsent;
        Iterator<Map.Entry<ServicePortName, Integer>> entries = ports.entrySet().iterator();
        while (excess > 0 && entries.hasNext()) {
            Map.Entry<ServicePortName, Integer> entry = entries.next();
            if (!present.contains(entry.getKey())) {
                entries.remove();
                owners.remove(entry.getValue());
                excess--;
                changed();
            }
        }
    }

    /** Writes what is not written yet and ends the thread; closing again does nothing. */
    @Override
    public void close() {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(LONGEST_WRITE.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("{}: the disk does not answer", file);
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        save();
    }

    private void changed() {
        isDirty = true;
        if (file.isPresent() && writer.getQueue().isEmpty() && !writer.isShutdown()) {
            writer.execute(this::save);
        }
    }

    private void save() {
        Map<ServicePortName, Integer> copy;
        synchronized (this) {
            if (file.isEmpty() || !isDirty) {
                return;
            }
            isDirty = false;
            copy = new LinkedHashMap<>(ports);
        }
        Optional<IOException> failure = write(file.get(), copy);
        synchronized (this) {
            isDirty |= failure.isPresent();
            if (failure.isPresent() && !isFailing) {
                log.warn("{} can not be written: {}", file.get(), failure.get().toString());
            }
            isFailing = failure.isPresent();
        }
    }

    private static Optional<IOException> write(Path file, Map<ServicePortName, Integer> ports) {
        try {
            PortFile.write(file, ports);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
    }
}
