package dev.sluice.affinity;

import com.github.benmanes.caffeine.cache.Scheduler;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity.ClientIp;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Adds session affinity to the selectors of another factory, for Service ports that ask for it
 * ({@code spec.sessionAffinity: ClientIP}).
 *
 * <p>The scope of a pin is one client address, one Service port, one set of endpoints (traffic
 * policy) and one address family. Pins live as long as the Service port has ClientIP affinity: they
 * outlast changes of its endpoints and of the timeout, and end with a change to {@code None}, and
 * when the Service comes back with another ClusterIP, since an API server never changes that of a
 * living one.
 *
 * <p>Threads: control thread only, except {@link #pins}.
 */
public final class AffinitySelectorFactory implements BackendSelectorFactory {
    private final BackendSelectorFactory balance;
    private final int maxClients;
    private final Ticker ticker;
    private final Scheduler scheduler;
    private final Map<Key, Entry> entries = new ConcurrentHashMap<>();

    /**
     * @param balance picks the endpoint of a client without a pin
     */
    public AffinitySelectorFactory(BackendSelectorFactory balance, ProxyConfig.Affinity config) {
        this(balance, config, Ticker.systemTicker(), Scheduler.systemScheduler());
    }

    AffinitySelectorFactory(
            BackendSelectorFactory balance,
            ProxyConfig.Affinity config,
            Ticker ticker,
            Scheduler scheduler) {
        this.balance = balance;
        this.maxClients = config.maxClients();
        this.ticker = ticker;
        this.scheduler = scheduler;
    }

    @Override
    public BackendSelector selector(ServicePort servicePort, EndpointSet set, IpFamily family) {
        BackendSelector balanced = balance.selector(servicePort, set, family);
        Key key = new Key(servicePort.name(), set, family);
        if (!(servicePort.affinity() instanceof ClientIp affinity)) {
            entries.remove(key);
            return balanced;
        }
        Set<Endpoint> endpoints = Set.copyOf(servicePort.endpoints(set, family));
        AffinityTable table = table(key, clusterIps(servicePort, family), affinity);
        table.update(endpoints, affinity.timeout());
        return new ClientIpAffinitySelector(balanced, endpoints, table);
    }

    @Override
    public void remove(ServicePortName name) {
        for (IpFamily family : IpFamily.values()) {
            for (EndpointSet set : EndpointSet.values()) {
                entries.remove(new Key(name, set, family));
            }
        }
        balance.remove(name);
    }

    /** Number of clients that are pinned now in this Service port and family. Any thread. */
    public long pins(ServicePortName name, IpFamily family) {
        return Arrays.stream(EndpointSet.values())
                .map(set -> entries.get(new Key(name, set, family)))
                .filter(Objects::nonNull)
                .mapToLong(entry -> entry.table().size())
                .sum();
    }

    /** The same of both families together. Any thread. */
    public long pins(ServicePortName name) {
        return Arrays.stream(IpFamily.values()).mapToLong(family -> pins(name, family)).sum();
    }

    private AffinityTable table(Key key, List<IpAddress> clusterIps, ClientIp affinity) {
        Entry entry = entries.get(key);
        if (entry == null || !entry.clusterIps().equals(clusterIps)) {
            entry =
                    new Entry(
                            clusterIps,
                            new AffinityTable(maxClients, affinity.timeout(), ticker, scheduler));
            entries.put(key, entry);
        }
        return entry.table();
    }

    private static List<IpAddress> clusterIps(ServicePort servicePort, IpFamily family) {
        return servicePort.clusterIps().stream()
                .filter(address -> address.family() == family)
                .toList();
    }

    private record Key(ServicePortName name, EndpointSet set, IpFamily family) {}

    private record Entry(List<IpAddress> clusterIps, AffinityTable table) {}
}
