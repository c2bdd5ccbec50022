package dev.sluice.kubernetes.transport;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, which must be whole within a time limit: the JDK's own ends with the
 * headers, and a server that is replaced in the middle of a list says no more.
 *
 * <p>Threads: any; one at a time calls the subscriber below.
 */
final class BoundedBody<T> implements BodySubscriber<T> {
    private final BodySubscriber<T> subscriber;
    private final ApiTraffic traffic;
    private final CompletableFuture<@Nullable Void> timeout = new CompletableFuture<>();
    private @Nullable Subscription subscription;
    private boolean over;

    BoundedBody(BodySubscriber<T> subscriber, ApiTraffic traffic) {
        this.subscriber = subscriber;
        this.traffic = traffic;
    }

    /** Gives the answer up, and the connection with it. Nothing if the answer is whole. */
    synchronized void giveUp(String reason) {
        if (over) {
            return;
        }
        end();
        if (subscription != null) {
            subscription.cancel();
        }
        subscriber.onError(new IOException(reason));
    }

    private void end() {
        over = true;
        // Else its timer would hold the answer, which may be all Services, until it is due.
        timeout.cancel(false);
        traffic.ended(this);
    }

    @Override
    public synchronized void onSubscribe(Subscription opened) {
        subscription = opened;
        traffic.begun(this);
        long limit = traffic.answerLimit().toMillis();
        CompletableFuture<@Nullable Void> unused =
                timeout.completeOnTimeout(null, limit, TimeUnit.MILLISECONDS)
                        .thenRun(() -> giveUp("no complete answer in " + limit + " ms"));
        subscriber.onSubscribe(opened);
    }

    @Override
    public synchronized void onNext(List<ByteBuffer> part) {
        if (!over) {
            subscriber.onNext(part);
        }
    }

    @Override
    public synchronized void onError(Throwable failure) {
        if (!over) {
            end();
            subscriber.onError(failure);
        }
    }

    @Override
    public synchronized void onComplete() {
        if (!over) {
            end();
            subscriber.onComplete();
        }
    }

    @Override
    public CompletionStage<T> getBody() {
        return subscriber.getBody();
    }
}
