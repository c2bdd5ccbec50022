package dev.sluice.balance;

import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Makes round-robin selectors; a Service port keeps its place in the round when its endpoints
 * change.
 *
 * <p>Threads: control thread only.
 */
public final class RoundRobinSelectorFactory implements BackendSelectorFactory {
    private final RandomGenerator random;
    private final Map<ServicePortName, Map<Key, RoundRobinPosition>> positions = new HashMap<>();

    /**
     * @param random where the round of each Service port and family begins
     */
    public RoundRobinSelectorFactory(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public BackendSelector selector(ServicePort servicePort, EndpointSet set, IpFamily family) {
        RoundRobinPosition position =
                positions
                        .computeIfAbsent(servicePort.name(), name -> new HashMap<>())
                        .computeIfAbsent(
                                new Key(set, family), key -> new RoundRobinPosition(random));
        return new RoundRobinSelector(servicePort.endpoints(set, family), position);
    }

    @Override
    public void remove(ServicePortName name) {
        positions.remove(name);
    }

    private record Key(EndpointSet set, IpFamily family) {}
}
