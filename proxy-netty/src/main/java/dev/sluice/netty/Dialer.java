package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.netty.ConnectionCounters.Event;
import io.netty.channel.unix.Errors;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds an endpoint that answers, for one connection: each try goes to another endpoint while
 * untried ones are left, within a time limit of its own and one for all. A try that failed at the
 * endpoint is told to the selector; one that failed on this node (no descriptor, no local port)
 * says nothing about the endpoint and is not.
 *
 * <p>Nothing is tried again once an endpoint has answered: it may have acted.
 *
 * <p>Threads: the connection's event loop only.
 */
final class Dialer {
    private static final Logger log = LoggerFactory.getLogger(Dialer.class);

    /** Negative errno values as Netty's native exceptions carry them. */
    private static final int EADDRNOTAVAIL = -99;

    private static final int EMFILE = -24;
    private static final int ENFILE = -23;

    /** What becomes of the search; called once, never from within {@link #start}. */
    interface Outcome {
        /**
         * An endpoint answered; the socket is registered with the loop and belongs to the callee.
         */
        void connected(Endpoint endpoint, StreamSocket backend);

        /** No endpoint answered within the limits. */
        void unanswered();
    }

    private final ConnectionLoop loop;
    private final ProxyConfig.Dial limits;
    private final DialGuard guard;
    private final ConnectionCounters counters;
    private final BackendSelector selector;
    private final IpAddress client;
    private final Outcome outcome;
    private final long deadline;
    private final Set<Endpoint> tried = new HashSet<>();
    private int tries;
    private boolean endpointFailed;
    private boolean roundBegins;
    private @Nullable Endpoint last;
    private @Nullable StreamSocket dialled;
    private long dialledAt;
    private @Nullable ScheduledFuture<?> timer;
    private boolean over;

    Dialer(
            ConnectionLoop loop,
            ProxyConfig.Dial limits,
            DialGuard guard,
            ConnectionCounters counters,
            BackendSelector selector,
            IpAddress client,
            Outcome outcome) {
        this.loop = loop;
        this.limits = limits;
        this.guard = guard;
        this.counters = counters;
        this.selector = selector;
        this.client = client;
        this.outcome = outcome;
        this.deadline = System.nanoTime() + limits.totalTimeout().toNanos();
    }

    void start() {
        // On a turn of its own, like every further try: endpoints that refuse at once must not pile
        // up on the stack.
        loop.eventLoop().execute(guarded(this::next));
    }

    /** Gives up; the outcome is not called any more. */
    void cancel() {
        over = true;
        stopTimer();
        if (dialled != null) {
            // It may have answered already: then it shall see what the client did.
            dialled.reset();
            dialled = null;
        }
    }

    /** The endpoint that is being dialled; null between two tries. */
    @Nullable Endpoint dialling() {
        return dialled == null ? null : last;
    }

    private void next() {
        if (over) {
            return;
        }
        if (tries >= limits.tryTimeouts().size() || remaining().isZero()) {
            over = true;
            outcome.unanswered();
            return;
        }
        Optional<Endpoint> selected = select();
        if (selected.isPresent()) {
            dial(selected.get());
        } else if (endpointFailed) {
            timer = after(limits.retryPause(), guarded(this::nextRound));
        } else {
            // None is left, may be dialled, or can be from this node: another round changes
            // nothing.
            over = true;
            outcome.unanswered();
        }
    }

    private Optional<Endpoint> select() {
        Optional<Endpoint> selected = selector.select(client, tried);
        if (selected.isEmpty() && roundBegins) {
            // The one that was tried last is the only one.
            tried.clear();
            selected = selector.select(client, tried);
        }
        roundBegins = false;
        return selected;
    }

    /**
     * All were tried and are tried again. The last one is left out at first, so that the round
     * draws as retries do and does not shift the turn of first tries.
     */
    private void nextRound() {
        endpointFailed = false;
        roundBegins = true;
        tried.removeIf(endpoint -> !endpoint.equals(last));
        next();
    }

    private void dial(Endpoint endpoint) {
        Optional<String> forbidden = guard.forbids(endpoint, Protocol.TCP);
        if (forbidden.isPresent()) {
            log.debug("{} is not dialled: it is {}", endpoint, forbidden.get());
            counters.count(Event.DIAL_FORBIDDEN);
            // No try: nothing was sent. But not asked for again either.
            exclude(endpoint);
            return;
        }
        Duration limit = shorter(limits.tryTimeouts().get(tries), remaining());
        tries++;
        last = endpoint;
        counters.count(Event.DIALLED);
        if (tries > 1) {
            counters.count(Event.DIAL_RETRIED);
        }
        dialledAt = System.nanoTime();
        try {
            StreamSocket connecting = loop.transport().connect(endpoint);
            dialled = connecting;
            connecting.onReady(guarded(() -> progress(endpoint, connecting)));
            connecting.register(loop);
            String reason = "no answer in " + limit.toMillis() + " ms";
            timer = after(limit, guarded(() -> failed(endpoint, reason)));
        } catch (IOException e) {
            failed(endpoint, e);
        }
    }

    private void progress(Endpoint endpoint, StreamSocket socket) {
        if (over || dialled != socket) {
            return;
        }
        try {
            if (!socket.finishConnect()) {
                return;
            }
        } catch (IOException e) {
            failed(endpoint, e);
            return;
        }
        over = true;
        stopTimer();
        dialled = null;
        loop.dialTimes().record(System.nanoTime() - dialledAt);
        outcome.connected(endpoint, socket);
    }

    private void failed(Endpoint endpoint, IOException cause) {
        if (isLocalFault(cause)) {
            counters.count(Event.DIAL_LOCAL_FAULT);
            log.debug("dialling {} failed on this node: {}", endpoint, cause.getMessage());
            closeDialled();
            exclude(endpoint);
        } else {
            failed(endpoint, String.valueOf(cause.getMessage()));
        }
    }

    private void failed(Endpoint endpoint, String reason) {
        counters.count(Event.DIAL_FAILED);
        endpointFailed = true;
        log.debug("dialling {} failed: {}", endpoint, reason);
        closeDialled();
        selector.dialFailed(client, endpoint);
        exclude(endpoint);
    }

    private void exclude(Endpoint endpoint) {
        tried.add(endpoint);
        loop.eventLoop().execute(guarded(this::next));
    }

    private void closeDialled() {
        stopTimer();
        if (dialled != null) {
            // Not orderly: a SYN that is answered later finds nobody, which is what the endpoint
            // shall see.
            dialled.reset();
            dialled = null;
        }
    }

    private static boolean isLocalFault(IOException e) {
        if (e instanceof Errors.NativeIoException nativeError) {
            int errno = nativeError.expectedErr();
            return errno == EMFILE || errno == ENFILE || errno == EADDRNOTAVAIL;
        }
        // The portable sockets and Netty's connect errors tell by class or text only.
        String text = String.valueOf(e.getMessage());
        return e instanceof BindException
                || text.contains("Too many open files")
                || text.contains("Cannot assign requested address");
    }

    private Runnable guarded(Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                log.error("a dial ends by a fault of the proxy", e);
                cancel();
                outcome.unanswered();
            }
        };
    }

    private Duration remaining() {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private ScheduledFuture<?> after(Duration delay, Runnable task) {
        return loop.eventLoop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
