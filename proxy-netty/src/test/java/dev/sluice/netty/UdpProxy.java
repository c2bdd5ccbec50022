package dev.sluice.netty;

import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.balance.RoundRobinSelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.model.TrafficPolicy;
import dev.sluice.netty.ConnectionCounters.Event;
import dev.sluice.state.ListenerPorts;
import dev.sluice.state.PortMemory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The UDP listeners of a proxy, with a clock that the test moves.
 *
 * <p>Threads: the test's.
 */
final class UdpProxy implements AutoCloseable {
    static final ServicePortName DNS =
            ServicePortName.of("kube-system", "dns", "dns", Protocol.UDP);

    private final AtomicLong now = new AtomicLong();
    private final ConnectionCounters counters = new ConnectionCounters();
    private final ConnectionLoops loops;
    private final UdpListeners listeners;
    private @Nullable UdpListener listener;

    UdpProxy(NettyTransport transport, int mostSessions) {
        this(transport, mostSessions, new RoundRobinSelectorFactory(new SplittableRandom(1)));
    }

    UdpProxy(NettyTransport transport, int mostSessions, BackendSelectorFactory selectors) {
        ProxyConfig.Udp limits =
                new ProxyConfig.Udp(
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(180),
                        OptionalInt.of(mostSessions));
        ProxyConfig plain = Services.config(transport);
        ProxyConfig config = Services.withUdp(plain, limits);
        loops = new ConnectionLoops(transport, config);
        listeners =
                new UdpListeners(
                        config,
                        loops,
                        new ListenerPorts(config.listener().portRanges(), PortMemory.inMemory()),
                        selectors,
                        new DialGuard(true),
                        ConnectionLimit.ofThisProcess(OptionalInt.empty()),
                        false,
                        () -> LocalSources.NONE,
                        now::get);
    }

    InetSocketAddress serve(ServicePort servicePort) throws IOException {
        if (listener == null) {
            listener = UdpListener.open(listeners, servicePort, counters);
        } else {
            listener.update(servicePort);
        }
        return listener.address();
    }

    InetSocketAddress serve(UdpPod... pods) throws IOException {
        return serve(servicePort(pods));
    }

    UdpListener listener() {
        return Objects.requireNonNull(listener);
    }

    /** Does something while the event loops stand still, and lets them go on. */
    void hold(OneLoop.Meanwhile work) throws Exception {
        CountDownLatch held = new CountDownLatch(loops.size());
        CountDownLatch end = new CountDownLatch(1);
        for (ConnectionLoop loop : loops.all()) {
            var unused =
                    loop.eventLoop()
                            .submit(
                                    () -> {
                                        held.countDown();
                                        return end.await(10, TimeUnit.SECONDS);
                                    });
        }
        try {
            held.await();
            work.run();
        } finally {
            end.countDown();
        }
    }

    void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    long count(Event event) {
        return counters.get(event);
    }

    @Override
    public void close() {
        if (listener != null) {
            listener.close();
        }
        listeners.close();
        loops.close();
    }

    static ServicePort servicePort(UdpPod... pods) {
        return servicePort(ExternalAccess.NONE, Stream.of(pods).map(UdpPod::endpoint).toList());
    }

    static ServicePort servicePort(ExternalAccess external, List<Endpoint> endpoints) {
        return new ServicePort(
                DNS,
                List.of(IpAddress.parse("192.0.2.53")),
                53,
                SessionAffinity.NONE,
                endpoints,
                List.of(),
                TrafficPolicy.CLUSTER,
                external);
    }
}
