package dev.sluice.kubernetes;

import dev.sluice.control.ReconcileStatus;
import dev.sluice.kubernetes.transport.ApiFailures;
import dev.sluice.model.ServiceName;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of Services that can't be served as they ask by Events on them (events.k8s.io/v1), which
 * {@code kubectl describe service} shows.
 *
 * <p>Events are the least that the API server is asked for: sent by a thread of their own, which
 * waits for nobody and keeps nothing but what the last run came to. Without the right to write them
 * there are none, and all of it is in the log and in the views still.
 *
 * <p>Threads: {@link #tell} and {@link #close} any; the rest its own, {@code sluice-events}.
 */
final class ServiceEvents implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ServiceEvents.class);

    private static final String CONTROLLER = "sluice.dev/sluice";
    private static final int LONGEST_INSTANCE = 128;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY = 429;
    private static final String TERMINATING = "NamespaceTerminating";
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final KubernetesClient client;
    private final String node;
    private final Function<ServiceName, Optional<String>> uid;
    private final Duration pause;
    private final EventPace pace = new EventPace(System.nanoTime());
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread events = new Thread(task, "sluice-events");
                        events.setDaemon(true);
                        return events;
                    });
    private final ScheduledFuture<?> looks;
    private volatile @Nullable ReconcileStatus latest;
    private @Nullable ReconcileStatus seen;
    private SortedMap<ServiceConcern, String> notes = new TreeMap<>();
    private long quietUntil = System.nanoTime();
    private boolean outageTold;

    /**
     * @param node name of the Node that tells
     * @param uid of a Service's object; empty if it is gone
     */
    ServiceEvents(
            KubernetesClient client,
            String node,
            Function<ServiceName, Optional<String>> uid,
            ApiPace apiPace) {
        this.client = client;
        this.node = node.substring(0, Math.min(node.length(), LONGEST_INSTANCE));
        this.uid = uid;
        this.pause = apiPace.eventPause();
        long interval = apiPace.eventInterval().toMillis();
        this.looks =
                thread.scheduleWithFixedDelay(
                        this::look, interval, interval, TimeUnit.MILLISECONDS);
    }

    /** What the last run came to; returns at once. */
    void tell(ReconcileStatus status) {
        latest = status;
    }

    private void look() {
        try {
            ReconcileStatus now = latest;
            if (now == null || isQuiet()) {
                return;
            }
            if (!now.equals(seen)) {
                notes = ServiceConcern.in(now);
                seen = now;
            }
            sendDue();
        } catch (RuntimeException e) {
            log.error("Events could not be made of what there is to tell", e);
            quietUntil = System.nanoTime() + pause.toNanos();
        }
    }

    /** What waits behind one that the server did not take would fare like it. */
    private boolean isQuiet() {
        return looks.isCancelled() || System.nanoTime() - quietUntil < 0;
    }

    private void sendDue() {
        for (ServiceConcern concern : pace.due(notes.keySet(), System.nanoTime())) {
            if (isQuiet()) {
                pace.failed(concern);
                continue;
            }
            try {
                send(concern);
                outageTold = false;
            } catch (KubernetesClientException e) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                failed(concern, e);
            }
        }
    }

    private void send(ServiceConcern concern) {
        Optional<String> subject = uid.apply(concern.service());
        if (subject.isPresent()) {
            client.events()
                    .v1()
                    .events()
                    .inNamespace(concern.service().namespace())
                    .resource(event(concern, subject.get(), Instant.now()))
                    .create();
        }
    }

    private void failed(ServiceConcern concern, KubernetesClientException e) {
        if (e.getCode() == FORBIDDEN && !isOfEndingNamespace(e)) {
            log.warn(
                    "no Events are written from now on, for want of the right to create events in"
                            + " events.k8s.io: {}",
                    ApiFailures.describe(e));
            looks.cancel(false);
        } else if (e.getCode() >= 400 && e.getCode() < 500 && e.getCode() != TOO_MANY) {
            // Another try would come to the same; the Service or its namespace may be gone.
            log.debug("no Event on Service {}", concern.service(), e);
        } else {
            if (!outageTold) {
                log.warn("Events can't be written, and are later: {}", ApiFailures.describe(e));
            }
            outageTold = true;
            pace.failed(concern);
            quietUntil = System.nanoTime() + pause.toNanos();
        }
    }

    private static boolean isOfEndingNamespace(KubernetesClientException e) {
        return e.getStatus() != null
                && e.getStatus().getDetails() != null
                && e.getStatus().getDetails().getCauses().stream()
                        .anyMatch(cause -> TERMINATING.equals(cause.getReason()));
    }

    private Event event(ServiceConcern concern, String subject, Instant now) {
        ServiceName service = concern.service();
        long nanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(service.namespace())
                // A name of its own, as client-go makes it: Events are kept for an hour only.
                .withName(service.name() + "." + Long.toHexString(nanos))
                .endMetadata()
                .withEventTime(new MicroTime(MICROS.format(now)))
                .withReportingController(CONTROLLER)
                .withReportingInstance(node)
                .withAction(concern.reason().action())
                .withReason(concern.reason().text())
                .withRegarding(
                        new ObjectReferenceBuilder()
                                .withApiVersion("v1")
                                .withKind("Service")
                                .withNamespace(service.namespace())
                                .withName(service.name())
                                .withUid(subject)
                                .build())
                .withNote(notes.get(concern))
                .withType("Warning")
                .build();
    }

    /** Sends no more; what is on its way is given up. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
