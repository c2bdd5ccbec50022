package dev.sluice.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.app.ServiceProxy;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ProgrammaticServiceSource;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SessionAffinity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * A whole embedded proxy with an admin server on a free port.
 *
 * <p>Threads: the test's.
 */
final class WatchedProxy implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ProgrammaticServiceSource source = new ProgrammaticServiceSource();
    private final ServiceProxy proxy;

    private WatchedProxy(ProxyConfig config, ServicePort... ports) throws IOException {
        source.set(ServiceSnapshot.of(ports));
        proxy = ServiceProxy.builder().config(config).source(source).start();
    }

    /** A proxy that serves these. */
    static WatchedProxy start(ServicePort... ports) throws IOException {
        return startWithPlaces(1000, ports);
    }

    /** The same with settings of the test. */
    static WatchedProxy startWith(ProxyConfig config, ServicePort... ports) throws IOException {
        return new WatchedProxy(config, ports);
    }

    /** The same with a health server. */
    static WatchedProxy startWithHealth(InetSocketAddress health, ServicePort... ports)
            throws IOException {
        return new WatchedProxy(
                ProxyConfig.embedded()
                        .withHealth(new ProxyConfig.Health(Optional.of(health)))
                        .withAdmin(admin(loopback(0), 1000)),
                ports);
    }

    /** The same with so many Service ports in metrics. */
    static WatchedProxy startWithPlaces(int places, ServicePort... ports) throws IOException {
        return new WatchedProxy(
                ProxyConfig.embedded().withAdmin(admin(loopback(0), places)), ports);
    }

    static ProxyConfig.Admin admin(InetSocketAddress address, int places) {
        return new ProxyConfig.Admin(
                Optional.of(address), Set.of("node-1.example"), new ProxyConfig.Metrics(places));
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    static ServicePort port(String name, InetSocketAddress... endpoints) {
        return port(name, SessionAffinity.NONE, endpoints);
    }

    /** A Service port whose ClusterIP is of 192.0.2.0/24, by its name. */
    static ServicePort port(String name, SessionAffinity affinity, InetSocketAddress... endpoints) {
        return new ServicePort(
                name(name),
                List.of(IpAddress.parse("192.0.2." + (1 + Math.floorMod(name.hashCode(), 254)))),
                80,
                affinity,
                Arrays.stream(endpoints)
                        .map(e -> new Endpoint(IpAddress.of(e.getAddress()), e.getPort()))
                        .toList());
    }

    static ServicePortName name(String name) {
        return ServicePortName.of("default", name, "http", Protocol.TCP);
    }

    ServiceProxy proxy() {
        return proxy;
    }

    InetSocketAddress admin() {
        return proxy.adminAddress().orElseThrow();
    }

    InetSocketAddress service(String name) {
        return proxy.localAddress(name(name)).orElseThrow();
    }

    /** Serves these from now on. */
    void set(ServicePort... ports) throws Exception {
        source.set(ServiceSnapshot.of(ports));
        proxy.settled().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    RawHttp.Reply get(String path, String... headers) throws Exception {
        return RawHttp.get(admin(), path, headers);
    }

    JsonNode json(String path) throws Exception {
        RawHttp.Reply reply = get(path);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        assertThat(reply.headers()).containsEntry("content-type", "application/json");
        return new ObjectMapper().readTree(reply.body());
    }

    /** Values by series, as {@code name} or {@code name{label="value"}}. */
    Map<String, Double> metrics() throws Exception {
        return PrometheusText.parse(get("/metrics").body());
    }

    @Override
    public void close() {
        proxy.close();
    }
}
