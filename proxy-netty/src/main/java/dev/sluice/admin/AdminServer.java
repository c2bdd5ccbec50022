package dev.sluice.admin;

import dev.sluice.affinity.AffinitySelectorFactory;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.Reconciler;
import dev.sluice.control.ServiceSource;
import dev.sluice.model.IpAddress;
import dev.sluice.netty.Traffic;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health, metrics and views of a proxy over HTTP, for whoever can reach the address: there is no
 * login, and nothing can be changed.
 *
 * <p>Threads: any.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AdminServer.class);

    /**
     * The programs that write rules are waited for by the control thread: two a family, each as
     * long as it may wait for the lock and half a minute more.
     */
    private static final int RULE_PROGRAMS = 4;

    private static final Duration RULE_PROGRAM_TIME = Duration.ofSeconds(30);

    static final int MOST_CONNECTIONS = 16;

    private static final long RETRY_MILLIS = 100;
    private static final long CLOSE_LIMIT_SECONDS = 2;

    private final EventLoopGroup group;
    private final AtomicBoolean draining;
    private final HttpPlaces connections;
    private final Channel listener;

    private AdminServer(
            EventLoopGroup group,
            AtomicBoolean draining,
            HttpPlaces connections,
            Channel listener) {
        this.group = group;
        this.draining = draining;
        this.connections = connections;
        this.listener = listener;
    }

    /**
     * Starts to serve.
     *
     * @param address where; port 0 is any free one
     * @param patience how long to wait for an address that is in use
     * @param config its parts {@code admin} and {@code redirect}
     * @param source asked for the freshness of its lists and its changes only
     * @param health told of, if there are any
     * @throws IOException if the address can't be had, in one line; {@link InterruptedIOException}
     *     if the thread was interrupted
     */
    public static AdminServer start(
            InetSocketAddress address,
            Duration patience,
            ProxyConfig config,
            Reconciler reconciler,
            ServiceSource source,
            Traffic traffic,
            AffinitySelectorFactory affinity,
            Optional<HealthServers> health)
            throws IOException {
        EventLoopGroup group =
                new MultiThreadIoEventLoopGroup(1, AdminServer::thread, NioIoHandler.newFactory());
        AtomicBoolean draining = new AtomicBoolean();
        AdminServer started = null;
        try {
            EventLoop loop = group.next();
            Pages pages =
                    pages(loop, draining, config, reconciler, source, traffic, affinity, health);
            HostRule hosts = new HostRule(config.admin().allowedHosts());
            HttpPlaces places = new HttpPlaces(MOST_CONNECTIONS, loop);
            HttpConnections connections =
                    new HttpConnections(
                            places, new AdminSite(pages, hosts), RequestTimer.Limits.USUAL);
            Channel listener = listen(address, patience, group, connections);
            started = new AdminServer(group, draining, places, listener);
            return started;
        } finally {
            if (started == null) {
                end(group);
            }
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new FastThreadLocalThread(work, "sluice-admin");
        thread.setDaemon(true);
        return thread;
    }

    private static Pages pages(
            EventLoop loop,
            AtomicBoolean draining,
            ProxyConfig config,
            Reconciler reconciler,
            ServiceSource source,
            Traffic traffic,
            AffinitySelectorFactory affinity,
            Optional<HealthServers> health) {
        FreshTraffic fresh = new FreshTraffic(traffic, loop);
        Duration controlLimit =
                RULE_PROGRAM_TIME.plus(config.redirect().lockWait()).multipliedBy(RULE_PROGRAMS);
        return new Pages()
                .add(
                        "/livez",
                        "whether every thread takes its turns; ?verbose",
                        LivezPage.of(traffic, reconciler, controlLimit, loop))
                .add(
                        "/readyz",
                        "whether clients are served as they should be; ?verbose",
                        new ReadyzPage(
                                reconciler::status,
                                source::watches,
                                () -> health.flatMap(HealthServers::failure),
                                draining::get))
                .add("/healthz", "ok while this server runs", text("ok"))
                .add(
                        "/metrics",
                        "metrics for Prometheus",
                        new MetricsPage(fresh, reconciler, source, affinity, health))
                .add(
                        "/api/v1/services",
                        "Service ports and what was left out, JSON; ?namespace= ?service=",
                        new ServicesPage(fresh, affinity, reconciler::status))
                .add(
                        "/api/v1/connections",
                        "live connections, oldest first, JSON; ?limit= ?namespace= ?service=",
                        new ConnectionsPage(traffic, loop))
                .add("/proxyMode", "userspace, as kube-proxy names its mode", text("userspace"));
    }

    private static Page text(String text) {
        return request -> {
            request.allowOnly();
            return Reply.text(text).now();
        };
    }

    private static Channel listen(
            InetSocketAddress wanted,
            Duration patience,
            EventLoopGroup group,
            HttpConnections connections)
            throws IOException {
        ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(group)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(connections);
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (true) {
                ChannelFuture bound = bootstrap.bind(wanted).await();
                if (bound.isSuccess()) {
                    return announced(bound.channel());
                }
                if (!(bound.cause() instanceof BindException) || System.nanoTime() > deadline) {
                    throw new IOException(
                            "sluice.admin.address = '"
                                    + text(wanted)
                                    + "': can't be listened on: "
                                    + bound.cause().getMessage(),
                            bound.cause());
                }
                group.schedule(() -> {}, RETRY_MILLIS, TimeUnit.MILLISECONDS).await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the admin server started");
        }
    }

    private static Channel announced(Channel bound) {
        InetSocketAddress address = (InetSocketAddress) bound.localAddress();
        log.info("health, metrics and views: http://{}/", text(address));
        if (!address.getAddress().isLoopbackAddress()) {
            log.warn(
                    "sluice.admin.address {} is open to the network: whoever reaches it sees all"
                            + " Services and connections",
                    text(address));
        }
        return bound;
    }

    private static String text(InetSocketAddress address) {
        return IpAddress.of(address.getAddress()).withPort(address.getPort());
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** From now on {@code /readyz} says that clients should go elsewhere. */
    public void drain() {
        draining.set(true);
    }

    /**
     * Gives the address to a copy of the proxy that follows this one, as soon as there is one;
     * connections that are open end.
     *
     * @param successorIsThere asked ten times a second, must not block
     */
    public void closeFor(BooleanSupplier successorIsThere) {
        Future<?> unused =
                group.scheduleWithFixedDelay(
                        () -> giveUp(successorIsThere),
                        RETRY_MILLIS,
                        RETRY_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    private void giveUp(BooleanSupplier successorIsThere) {
        if (listener.isOpen() && successorIsThere.getAsBoolean()) {
            ChannelFuture unused = listener.close();
            connections.close();
        }
    }

    /** Ends it; waits for 2 s at most. A second call does nothing more. */
    @Override
    public void close() {
        listener.close().awaitUninterruptibly(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
        connections.close();
        end(group);
    }

    private static void end(EventLoopGroup group) {
        group.shutdownGracefully(0, CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
