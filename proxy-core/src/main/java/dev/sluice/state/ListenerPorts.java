package dev.sluice.state;

import dev.sluice.config.PortRanges;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which local port each listener gets. The remembered port of the Service port comes first, then
 * random ports of the configured ranges that no other Service port remembers, then those remembered
 * by Service ports that are gone, and at last the kernel's ephemeral ports. Reserved and well-known
 * ports and those given out are never offered.
 *
 * <p>Threads: control thread only.
 */
public final class ListenerPorts {
    private static final Logger log = LoggerFactory.getLogger(ListenerPorts.class);

    /** Bounds the memory of clusters that make Services under ever new names; about 1 MB. */
    private static final int MOST_ABSENT = 16_384;

    private final PortRanges ranges;
    private final KernelPorts kernel;
    private final PortMemory memory;
    private final BitSet allowed;

    /**
     * Shuffled once and then dealt in turn, so that a port that was released is the last to be
     * given to someone else.
     */
    private final ArrayDeque<Integer> pool;

    private final ArrayDeque<Integer> ephemeralPool;
    private final Map<ServicePortName, Integer> taken = new HashMap<>();
    private final BitSet takenPorts = new BitSet();
    private boolean hasWarned;

    /** Ports of the ranges, less what this kernel reserves. */
    public ListenerPorts(PortRanges ranges, PortMemory memory) {
        this(ranges, memory, KernelPorts.read(), new Random());
    }

    ListenerPorts(PortRanges ranges, PortMemory memory, KernelPorts kernel, Random random) {
        this.ranges = ranges;
        this.memory = memory;
        this.kernel = kernel;
        BitSet configured = bits(ranges);
        configured.andNot(bits(WellKnownPorts.OF_NODES));
        configured.andNot(bits(kernel.reserved()));
        BitSet ephemeral = bits(kernel.ephemeral());
        ephemeral.andNot(bits(WellKnownPorts.OF_NODES));
        ephemeral.andNot(bits(WellKnownPorts.NODE_PORTS));
        ephemeral.andNot(bits(kernel.reserved()));
        ephemeral.andNot(configured);
        pool = shuffled(configured, random);
        ephemeralPool = shuffled(ephemeral, random);
        allowed = configured;
        allowed.or(ephemeral);
    }

    /**
     * Offers ports to the binder until it takes one. A Service port that has a port already is
     * offered that one first, and keeps it if the binder throws.
     *
     * @return the port that was bound
     * @throws IOException if the binder refused every port, or what it threw
     */
    public int claim(ServicePortName name, PortBinder binder) throws IOException {
        OptionalInt remembered = memory.port(name);
        if (remembered.isPresent()
                && isRememberedPortFree(name, remembered.getAsInt())
                && binder.bind(remembered.getAsInt())) {
            return taken(name, remembered.getAsInt());
        }
        IntPredicate untaken = port -> !takenPorts.get(port);
        IntPredicate remembers = port -> memory.owner(port) != null;
        OptionalInt port = deal(pool, untaken.and(remembers.negate()), binder);
        if (port.isEmpty()) {
            port = deal(pool, untaken.and(remembers), binder);
        }
        if (port.isEmpty()) {
            warnOfFallback();
            port = deal(ephemeralPool, untaken, binder);
        }
        return taken(
                name,
                port.orElseThrow(
                        () ->
                                new IOException(
                                        "no free local port for "
                                                + name
                                                + " in "
                                                + ranges
                                                + " (sluice.listener.port-range) nor in the"
                                                + " ephemeral ports "
                                                + kernel.ephemeral())));
    }

    /** Gives the port of a closed listener up; it stays remembered for the Service port. */
    public void release(ServicePortName name) {
        Integer port = taken.remove(name);
        if (port != null) {
            takenPorts.clear(port);
            memory.remember(name, port);
            memory.trim(MOST_ABSENT, taken.keySet());
        }
    }

    private boolean isRememberedPortFree(ServicePortName name, int port) {
        return allowed.get(port)
                && (!takenPorts.get(port) || Integer.valueOf(port).equals(taken.get(name)));
    }

    private int taken(ServicePortName name, int port) {
        Integer before = taken.put(name, port);
        if (before != null) {
            takenPorts.clear(before);
        }
        takenPorts.set(port);
        memory.remember(name, port);
        return port;
    }

    private static OptionalInt deal(
            ArrayDeque<Integer> pool, IntPredicate isCandidate, PortBinder binder)
            throws IOException {
        for (int i = pool.size(); i > 0; i--) {
            int port = pool.remove();
            pool.add(port);
            if (isCandidate.test(port) && binder.bind(port)) {
                return OptionalInt.of(port);
            }
        }
        return OptionalInt.empty();
    }

    private void warnOfFallback() {
        if (!hasWarned) {
            hasWarned = true;
            log.warn(
                    "no port is left in {} (sluice.listener.port-range): listeners get ephemeral"
                            + " ports ({}), which outgoing connections may take first",
                    ranges,
                    kernel.ephemeral());
        }
    }

    private static ArrayDeque<Integer> shuffled(BitSet ports, Random random) {
        List<Integer> list = new ArrayList<>(ports.stream().boxed().toList());
        Collections.shuffle(list, random);
        return new ArrayDeque<>(list);
    }

    private static BitSet bits(PortRanges ranges) {
        IntStream ports = ranges.ports();
        BitSet bits = new BitSet();
        ports.forEach(bits::set);
        return bits;
    }
}
