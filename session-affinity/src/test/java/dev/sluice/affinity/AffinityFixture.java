package dev.sluice.affinity;

import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.RoundRobinSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Session affinity around round robin on a fake clock, and short ways to write its inputs.
 *
 * <p>Threads: as the parts.
 */
final class AffinityFixture {
    static final ServicePortName WEB = ServicePortName.of("default", "web", "http", Protocol.TCP);
    static final IpAddress CLIENT = client(0);

    final FakeTime time = new FakeTime();
    final AffinitySelectorFactory factory;

    AffinityFixture(int maxClients) {
        factory =
                new AffinitySelectorFactory(
                        new RoundRobinSelectorFactory(() -> 0L),
                        new ProxyConfig.Affinity(maxClients),
                        time,
                        time);
    }

    /** The selector of {@link #WEB} with this affinity and these endpoints. */
    BackendSelector web(SessionAffinity affinity, List<Endpoint> endpoints) {
        return factory.selector(
                port(WEB, "10.96.0.1", affinity, endpoints), EndpointSet.CLUSTER, IpFamily.IPV4);
    }

    long pins() {
        return factory.pins(WEB, IpFamily.IPV4);
    }

    static ServicePort port(
            ServicePortName name,
            String clusterIp,
            SessionAffinity affinity,
            List<Endpoint> endpoints) {
        return new ServicePort(name, List.of(IpAddress.parse(clusterIp)), 80, affinity, endpoints);
    }

    static SessionAffinity clientIp(long seconds) {
        return new SessionAffinity.ClientIp(Duration.ofSeconds(seconds));
    }

    static List<Endpoint> endpoints(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(AffinityFixture::endpoint).toList();
    }

    static Endpoint endpoint(int index) {
        return new Endpoint(IpAddress.parse("10.244.0." + index), 8080);
    }

    static IpAddress client(int index) {
        return IpAddress.of(
                new byte[] {10, (byte) (index >> 16), (byte) (index >> 8), (byte) index});
    }

    /** What a new connection of the client is sent to. */
    static Endpoint connect(BackendSelector selector, IpAddress client) {
        return selector.select(client, Set.of()).orElseThrow();
    }
}
