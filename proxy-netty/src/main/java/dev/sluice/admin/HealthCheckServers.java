package dev.sluice.admin;

import dev.sluice.control.HealthChecks;
import dev.sluice.model.HealthCheck;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServiceName;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers load balancers about Services with {@code externalTrafficPolicy: Local}: a listener for
 * each address of a {@code spec.healthCheckNodePort}, all on one event loop. A Service has all of
 * its addresses or none, so that no load balancer is told by one what it can't ask by another.
 *
 * <p>Threads: control thread only; waits for the event loop.
 */
final class HealthCheckServers implements HealthChecks {
    private static final Logger log = LoggerFactory.getLogger(HealthCheckServers.class);

    private final Function<HealthCheckSite, ServerBootstrap> server;
    private final ProxyHealth health;
    private final Map<ServiceName, Server> open = new TreeMap<>();
    private Map<ServiceName, String> failures = new TreeMap<>();

    private record Server(HealthCheckSite site, List<Channel> listeners) {}

    /** A server whose addresses are being bound. */
    private record Opening(HealthCheckSite site, Map<IpAddress, ChannelFuture> binds) {}

    /**
     * @param server makes what listens for a site
     */
    HealthCheckServers(Function<HealthCheckSite, ServerBootstrap> server, ProxyHealth health) {
        this.server = server;
        this.health = health;
    }

    @Override
    public SortedMap<ServiceName, String> replaceAll(List<HealthCheck> healthChecks) {
        SortedMap<ServiceName, HealthCheck> wanted = new TreeMap<>();
        healthChecks.forEach(check -> wanted.put(check.service(), check));
        closeOthers(wanted);
        List<Opening> opening = new ArrayList<>();
        for (HealthCheck check : wanted.values()) {
            Server running = open.get(check.service());
            if (running == null) {
                opening.add(bind(check));
            } else {
                running.site().set(check);
            }
        }
        SortedMap<ServiceName, String> failed = new TreeMap<>();
        opening.forEach(each -> finish(each, failed));
        logChanges(failed);
        failures = failed;
        return new TreeMap<>(failed);
    }

    /** First of all, since another Service may have got the port. */
    private void closeOthers(Map<ServiceName, HealthCheck> wanted) {
        List<Channel> closing = new ArrayList<>();
        open.entrySet()
                .removeIf(
                        entry -> {
                            HealthCheck check = wanted.get(entry.getKey());
                            if (check != null && entry.getValue().site().isServedAt(check)) {
                                return false;
                            }
                            closing.addAll(entry.getValue().listeners());
                            return true;
                        });
        close(closing);
    }

    private static void close(List<Channel> listeners) {
        listeners.stream()
                .map(Channel::close)
                .toList()
                .forEach(ChannelFuture::awaitUninterruptibly);
    }

    private Opening bind(HealthCheck check) {
        HealthCheckSite site = new HealthCheckSite(check, health);
        ServerBootstrap bootstrap = server.apply(site);
        Map<IpAddress, ChannelFuture> binds = new TreeMap<>();
        for (IpAddress address : check.addresses()) {
            binds.put(
                    address,
                    bootstrap.bind(new InetSocketAddress(address.toInetAddress(), check.port())));
        }
        return new Opening(site, binds);
    }

    private void finish(Opening opening, Map<ServiceName, String> failed) {
        HealthCheck check = opening.site().check();
        opening.binds().values().forEach(ChannelFuture::awaitUninterruptibly);
        String reasons =
                opening.binds().entrySet().stream()
                        .filter(bind -> !bind.getValue().isSuccess())
                        .map(
                                bind ->
                                        bind.getKey().withPort(check.port())
                                                + " can't be listened on: "
                                                + bind.getValue().cause().getMessage())
                        .collect(Collectors.joining("; "));
        List<Channel> listeners =
                opening.binds().values().stream()
                        .filter(ChannelFuture::isSuccess)
                        .map(ChannelFuture::channel)
                        .toList();
        if (reasons.isEmpty()) {
            open.put(check.service(), new Server(opening.site(), listeners));
        } else {
            close(listeners);
            failed.put(check.service(), "healthCheckNodePort " + reasons);
        }
    }

    private void logChanges(Map<ServiceName, String> failed) {
        failed.forEach(
                (service, why) -> {
                    if (!why.equals(failures.get(service))) {
                        log.warn("{}: {}; it is tried again", service, why);
                    }
                });
        for (ServiceName service : failures.keySet()) {
            if (open.containsKey(service)) {
                log.info("{}: healthCheckNodePort is served now", service);
            }
        }
    }
}
