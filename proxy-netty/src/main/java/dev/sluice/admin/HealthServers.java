package dev.sluice.admin;

import dev.sluice.control.HealthChecks;
import dev.sluice.control.SyncTimes;
import dev.sluice.model.IpAddress;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers by which others learn whether to send traffic to this node: one for the node as a
 * whole ({@code health.address}), and one for each Service with a {@code healthCheckNodePort}.
 * Unlike the admin server they are for callers outside the node, under whatever name.
 *
 * <p>Threads: any; they answer on one event loop of their own.
 */
public final class HealthServers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HealthServers.class);

    /** As kube-proxy waits. */
    static final Duration BIND_RETRY = Duration.ofSeconds(5);

    static final int MOST_CONNECTIONS = 256;
    private static final int MOST_CHECK_CONNECTIONS = 1024;
    private static final long CLOSE_LIMIT_SECONDS = 2;

    private final EventLoopGroup group;
    private final EventLoop loop;
    private final ProxyHealth health;
    private final HealthSite site;
    private final HealthChecks healthChecks;
    private final HttpPlaces places;
    private final HttpPlaces checkPlaces;
    private final Duration bindRetry;
    private volatile @Nullable Channel listener;
    private volatile @Nullable String failure;
    private volatile boolean closed;

    /**
     * Servers that do not listen yet.
     *
     * @param syncs of the reconciler
     * @param nodeIneligible why load balancers shall not use this node, if they shall not; asked on
     *     the event loop
     */
    public HealthServers(SyncTimes syncs, Supplier<Optional<String>> nodeIneligible) {
        this(new ProxyHealth(syncs, nodeIneligible, InstantSource.system()), BIND_RETRY);
    }

    HealthServers(ProxyHealth health, Duration bindRetry) {
        this.group = new MultiThreadIoEventLoopGroup(1, HealthServers::thread, ioHandlerFactory());
        this.loop = group.next();
        this.health = health;
        this.bindRetry = bindRetry;
        this.site = new HealthSite(health);
        this.places = new HttpPlaces(MOST_CONNECTIONS, loop);
        this.checkPlaces = new HttpPlaces(MOST_CHECK_CONNECTIONS, loop);
        this.healthChecks = new HealthCheckServers(check -> bootstrap(checkPlaces, check), health);
    }

    /**
     * epoll, since it frees the port of a listener that closes at once; with NIO that is a moment
     * later, so that a Service which gets the port meanwhile may need another try.
     */
    private static IoHandlerFactory ioHandlerFactory() {
        return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    private static Thread thread(Runnable work) {
        Thread thread = new FastThreadLocalThread(work, "sluice-health");
        thread.setDaemon(true);
        return thread;
    }

    private ServerBootstrap bootstrap(HttpPlaces connections, Site answering) {
        return new ServerBootstrap()
                .group(group)
                .channel(
                        Epoll.isAvailable()
                                ? EpollServerSocketChannel.class
                                : NioServerSocketChannel.class)
                .childHandler(
                        new HttpConnections(connections, answering, RequestTimer.Limits.USUAL));
    }

    /**
     * Begins to answer for the node as soon as the address can be had: it may be that of a
     * predecessor which has not ended yet, and is tried again every 5 s.
     *
     * @param address port 0 is any free one
     */
    public void listen(InetSocketAddress address) {
        bootstrap(places, site)
                .bind(address)
                .addListener((ChannelFuture bound) -> bound(address, bound));
    }

    private void bound(InetSocketAddress wanted, ChannelFuture bound) {
        if (bound.isSuccess()) {
            failure = null;
            listener = bound.channel();
            log.info(
                    "health for load balancers: http://{}/healthz",
                    text((InetSocketAddress) bound.channel().localAddress()));
            if (closed) {
                ChannelFuture unused = bound.channel().close();
            }
            return;
        }
        String reason =
                "sluice.health.address = '%s': can't be listened on: %s"
                        .formatted(text(wanted), bound.cause().getMessage());
        if (!reason.equals(failure)) {
            log.warn("{}; it is tried again every {} s", reason, bindRetry.toSeconds());
        }
        failure = reason;
        if (!closed) {
            Future<?> unused =
                    loop.schedule(
                            () -> listen(wanted), bindRetry.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private static String text(InetSocketAddress address) {
        return IpAddress.of(address.getAddress()).withPort(address.getPort());
    }

    /** Where the node's health is told; empty while it is not. */
    public Optional<InetSocketAddress> address() {
        return Optional.ofNullable(listener)
                .filter(Channel::isActive)
                .map(channel -> (InetSocketAddress) channel.localAddress());
    }

    /** Why the node's health can't be told; empty if it is, or is not to be. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** The servers of Services, for the reconciler. */
    public HealthChecks healthChecks() {
        return healthChecks;
    }

    /**
     * From now on everybody is told that this node should get nothing new: 503 for the node and for
     * each Service.
     */
    public void drain() {
        health.drain();
    }

    HealthSite site() {
        return site;
    }

    /** Ends them; waits for 2 s at most. A second call does nothing more. */
    @Override
    public void close() {
        closed = true;
        Channel open = listener;
        if (open != null) {
            open.close().awaitUninterruptibly(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        places.close();
        checkPlaces.close();
        group.shutdownGracefully(0, CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
