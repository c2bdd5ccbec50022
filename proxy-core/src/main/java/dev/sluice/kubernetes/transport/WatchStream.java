package dev.sluice.kubernetes.transport;

import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One watch: tells its health of every frame, and passes all on.
 *
 * <p>Threads: frames come on one thread at a time; {@link #breakOff} may be called by any.
 */
final class WatchStream implements WebSocket.Listener {
    /** A watch that ends sooner than this, and the one after it as well, is no watch. */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final WebSocket.Listener listener;
    private final WatchHealth health;
    private final ApiTraffic traffic;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable WebSocket webSocket;
    private volatile long openedAt;
    private volatile long lastHeard;

    WatchStream(WebSocket.Listener listener, WatchHealth health, ApiTraffic traffic) {
        this.listener = listener;
        this.health = health;
        this.traffic = traffic;
    }

    private void heard() {
        lastHeard = traffic.now();
    }

    /** When the last frame came. */
    long lastHeard() {
        return lastHeard;
    }

    private boolean shortLived() {
        return traffic.now() - openedAt < SHORT_NANOS;
    }

    /** Ends the connection, which the other side may never learn, and tells the listener. */
    void breakOff(String reason) {
        WebSocket open = webSocket;
        if (open != null && over.compareAndSet(false, true)) {
            health.failed(this, reason, shortLived());
            open.abort();
            listener.onError(open, new IOException(reason));
        }
    }

    @Override
    public void onOpen(WebSocket opened) {
        webSocket = opened;
        openedAt = traffic.now();
        lastHeard = openedAt;
        health.opened(this);
        listener.onOpen(opened);
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        heard();
        return listener.onText(from, data, last);
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        heard();
        return listener.onBinary(from, data, last);
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
        heard();
        return listener.onPing(from, message);
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
        heard();
        return listener.onPong(from, message);
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        if (!over.compareAndSet(false, true)) {
            return null;
        }
        health.ended(this, shortLived());
        return listener.onClose(from, status, reason);
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        if (over.compareAndSet(false, true)) {
            health.failed(this, ApiFailures.describe(error), shortLived());
            listener.onError(from, error);
        }
    }
}
