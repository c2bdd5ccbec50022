package dev.sluice.netty;

/**
 * The counters of all Service ports: each has its own, below the sum of all. A limited number is
 * shown one by one; those that find no place among them are counted together as well, below the
 * same sum. Who has a place keeps it to the end, so no shown count ever falls.
 *
 * <p>Threads: {@link #open} and {@link #close} control thread only; the rest any thread.
 */
final class ServicePortCounters {
    private final ConnectionCounters total = new ConnectionCounters();
    private final ConnectionCounters others = new ConnectionCounters(total);
    private int places;

    /**
     * @param places how many Service ports are shown one by one, 0 or more
     */
    ServicePortCounters(int places) {
        this.places = places;
    }

    /** The counters of a new Service port, in a place of their own if there is one. */
    ConnectionCounters open() {
        if (places == 0) {
            return new ConnectionCounters(others);
        }
        places--;
        return new ConnectionCounters(total);
    }

    /** Gives the place back; connections that go on are counted in the sums. */
    void close(ConnectionCounters closed) {
        if (hasPlace(closed)) {
            places++;
        }
    }

    boolean hasPlace(ConnectionCounters counters) {
        return counters.isPartOf(total);
    }

    ConnectionCounters total() {
        return total;
    }

    /** Those of all Service ports that have found no place, also of those that are gone. */
    ConnectionCounters others() {
        return others;
    }
}
