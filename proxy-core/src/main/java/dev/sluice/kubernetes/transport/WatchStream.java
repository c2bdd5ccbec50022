package dev.sluice.kubernetes.transport;

import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One watch: tells its health of every frame, and passes all on.
 *
 * <p>Threads: frames come on one thread at a time; {@link #breakOff} may be called by any.
 */
final class WatchStream implements WebSocket.Listener {
    private final WebSocket.Listener listener;
    private final WatchHealth health;
    private final ApiTraffic traffic;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable WebSocket webSocket;

    WatchStream(WebSocket.Listener listener, WatchHealth health, ApiTraffic traffic) {
        this.listener = listener;
        this.health = health;
        this.traffic = traffic;
    }

    /** Ends the connection, which the other side may never learn, and tells the listener. */
    void breakOff(String reason) {
        WebSocket open = webSocket;
        if (open != null && over.compareAndSet(false, true)) {
            health.failed(this, reason, traffic.now());
            open.abort();
            listener.onError(open, new IOException(reason));
        }
    }

    @Override
    public void onOpen(WebSocket opened) {
        webSocket = opened;
        health.opened(this, traffic.now());
        listener.onOpen(opened);
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        health.heard(traffic.now());
        return listener.onText(from, data, last);
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        health.heard(traffic.now());
        return listener.onBinary(from, data, last);
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
        health.heard(traffic.now());
        return listener.onPing(from, message);
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
        health.heard(traffic.now());
        return listener.onPong(from, message);
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        if (!over.compareAndSet(false, true)) {
            return null;
        }
        health.ended(this, traffic.now());
        return listener.onClose(from, status, reason);
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        if (over.compareAndSet(false, true)) {
            health.failed(this, ApiFailures.describe(error), traffic.now());
            listener.onError(from, error);
        }
    }
}
