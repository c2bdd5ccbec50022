package dev.sluice.state;

import dev.sluice.config.PortRanges;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.net.BindException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
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

    private final BitSet ephemeral;

    private final Random random;

    /** Made when it is needed, which on most nodes is never. */
    private @Nullable ArrayDeque<Integer> ephemeralPool;

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
        this.random = random;
        ephemeral = bits(kernel.ephemeral());
        ephemeral.andNot(bits(WellKnownPorts.OF_NODES));
        ephemeral.andNot(bits(WellKnownPorts.NODE_PORTS));
        ephemeral.andNot(bits(kernel.reserved()));
        ephemeral.andNot(configured);
        pool = shuffled(configured, random);
        allowed = configured;
        allowed.or(ephemeral);
    }

    /**
     * Offers ports to the binder until it takes one. A Service port that has a port already is
     * offered that one first, and keeps it if the binder throws.
     *
     * @return what the binder returned
     * @throws IOException if the binder refused every port, or what it threw
     */
    public <T> T claim(ServicePortName name, PortBinder<T> binder) throws IOException {
        Offers<T> offers = new Offers<>(binder);
        OptionalInt remembered = memory.port(name);
        IntPredicate isFree = port -> !takenPorts.get(port);
        IntPredicate isRemembered = port -> memory.owner(port) != null;
        if (remembered.isPresent()
                && isRememberedPortFree(name, remembered.getAsInt())
                && offers.take(remembered.getAsInt())) {
            return taken(name, offers);
        }
        if (offers.takeFrom(pool, isFree.and(isRemembered.negate()))
                || offers.takeFrom(pool, isFree.and(isRemembered))) {
            return taken(name, offers);
        }
        warnOfFallback();
        if (ephemeralPool == null) {
            ephemeralPool = shuffled(ephemeral, random);
        }
        if (offers.takeFrom(ephemeralPool, isFree)) {
            return taken(name, offers);
        }
        throw new IOException(
                "no local port for "
                        + name
                        + " in "
                        + ranges
                        + " (sluice.listener.port-range) nor in the ephemeral ports "
                        + kernel.ephemeral()
                        + offers.lastRefusal());
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

    private <T> T taken(ServicePortName name, Offers<T> offers) {
        Integer before = taken.put(name, offers.port);
        if (before != null) {
            takenPorts.clear(before);
        }
        takenPorts.set(offers.port);
        memory.remember(name, offers.port);
        return Objects.requireNonNull(offers.bound);
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

    /** What one binder said to the ports that it was offered. */
    private static final class Offers<T> {
        private final PortBinder<T> binder;
        private int port;
        private @Nullable T bound;
        private @Nullable BindException refusal;

        Offers(PortBinder<T> binder) {
            this.binder = binder;
        }

        boolean take(int candidate) throws IOException {
            try {
                bound = binder.bind(candidate);
                port = candidate;
                return true;
            } catch (BindException e) {
                refusal = e;
                return false;
            }
        }

        boolean takeFrom(ArrayDeque<Integer> pool, IntPredicate isCandidate) throws IOException {
            for (int i = pool.size(); i > 0; i--) {
                int candidate = pool.remove();
                pool.add(candidate);
                if (isCandidate.test(candidate) && take(candidate)) {
                    return true;
                }
            }
            return false;
        }

        String lastRefusal() {
            return refusal == null ? "" : ": " + refusal.getMessage();
        }
    }
}
