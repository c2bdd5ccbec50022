package dev.sluice.kubernetes;

import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ChangeCounts;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.control.ServiceSource;
import dev.sluice.control.UnusableSourceException;
import dev.sluice.control.WatchStatus;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Services and their endpoints from an API server, followed by list and watch.
 *
 * <p>There is no snapshot before all lists are complete. While the API server is away the last
 * state stays, and {@link #watches} tells how old it is. Nothing that the server does or fails to
 * do ends the following: lists and watches are tried again until the source is closed.
 *
 * <p>Threads: as {@link ServiceSource} says. Lists are looked after by the thread {@code
 * sluice-kubernetes}; objects arrive on threads of the client, which only wake.
 */
public final class KubernetesServiceSource implements ServiceSource {
    private static final Logger log = LoggerFactory.getLogger(KubernetesServiceSource.class);

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final ApiServer server;
    private final SnapshotBuilder builder;
    private final @Nullable ApiServerGuard guard;
    private final OwnNode ownNode;
    private final FollowedNode node;
    private final FollowedList<Service> services;
    private final EndpointDiscovery endpoints;
    private final ProblemLog problemLog = new ProblemLog();
    private final Optional<ServiceEvents> events;
    private final Thread looks;
    private final ExecutorService inquiries =
            Executors.newCachedThreadPool(task -> daemon(task, "sluice-kubernetes-inquiry"));
    private final Object closeLock = new Object();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final TriggerTimes triggerTimes = new TriggerTimes(Instant.now());
    private @Nullable Runnable onChange;

    /** Whether there was a snapshot; control thread only. */
    private boolean begun;

    /**
     * A source that does nothing until it is started.
     *
     * @param server closed together with the source
     */
    public KubernetesServiceSource(ApiServer server, ProxyConfig config) {
        this(
                server,
                ServiceRules.of(config),
                OwnNode.of(config),
                config.redirect().mode() == ProxyConfig.Redirect.Mode.NONE
                        ? ApiServerVip.ALLOWED
                        : ApiServerVip.REFUSED,
                config.kubernetes().events());
    }

    /**
     * @param writesEvents whether Services are told of by Events
     */
    KubernetesServiceSource(
            ApiServer server,
            ServiceRules rules,
            OwnNode ownNode,
            ApiServerVip serverVip,
            boolean writesEvents) {
        this.server = server;
        this.builder = new SnapshotBuilder(rules);
        this.ownNode = ownNode;
        this.guard =
                serverVip == ApiServerVip.REFUSED ? new ApiServerGuard(server.address()) : null;
        ListFollower follower =
                new ListFollower(
                        server,
                        rules.proxyName(),
                        new SplittableRandom(),
                        inquiries,
                        System::nanoTime,
                        this::changed);
        this.node = new FollowedNode(follower, ownNode.name());
        this.services = follower.follow(ListedResource.services(rules.proxyName()));
        this.endpoints = new EndpointDiscovery(follower);
        this.events =
                writesEvents
                        ? Optional.of(
                                new ServiceEvents(
                                        server.client(), ownNode.name(), this::uid, server.pace()))
                        : Optional.empty();
        this.looks = daemon(this::lookUntilClosed, "sluice-kubernetes");
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Begins to ask, and goes on until the API server answers. Once only. */
    @Override
    public void start(Runnable onChange) {
        synchronized (closeLock) {
            this.onChange = onChange;
        }
        looks.start();
    }

    private void lookUntilClosed() {
        try {
            do {
                look();
            } while (!closed.await(LOOK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        try {
            node.tick();
            services.tick();
            endpoints.tick();
            server.traffic().breakOffSilentWatches();
        } catch (Throwable e) {
            // Whatever it was, the next look must follow: nothing else would find a dead watch.
            log.error("A look at the lists of {} broke off; it is repeated", server.address(), e);
        }
    }

    private void changed() {
        // Held while the callback runs, so that none begins after close has returned.
        synchronized (closeLock) {
            if (closed.getCount() > 0 && onChange != null) {
                onChange.run();
            }
        }
    }

    /**
     * @throws UnusableSourceException if the first state shows that the API server is reached
     *     through a ClusterIP that this proxy would capture
     */
    @Override
    public Optional<ServiceSnapshot> snapshot() {
        Optional<FollowedEndpoints> followed = endpoints.endpoints();
        if (followed.isEmpty() || !services.isComplete() || !node.isComplete()) {
            return Optional.empty();
        }
        ObjectProblems nodeProblems = new ObjectProblems("Node " + ownNode.name());
        Optional<NodeFacts> facts = node.facts(nodeProblems);
        NodeContext context = ownNode.now(facts, nodeProblems);
        if (!begun && ownNode.lacksPodCidrs(facts)) {
            problemLog.update(nodeProblems.list());
            return Optional.empty();
        }
        begun = true;
        List<EndpointSlice> slices = followed.get().slices();
        List<Endpoints> old = followed.get().endpoints();
        triggerTimes.look(Stream.of(slices, old).flatMap(List::stream).toList());
        ServiceSnapshot built =
                builder.build(new KubernetesObjects(services.objects(), slices, old), context);
        ServiceSnapshot usable =
                (guard == null ? built : guard.check(built)).withProblems(nodeProblems.list());
        problemLog.update(usable.problems());
        return Optional.of(usable);
    }

    @Override
    public List<Instant> takeTriggerTimes() {
        return triggerTimes.take();
    }

    @Override
    public void applied(ReconcileStatus status) {
        events.ifPresent(told -> told.tell(status));
    }

    private Optional<String> uid(ServiceName name) {
        return services.object(name.namespace() + "/" + name.name())
                .map(service -> service.getMetadata().getUid());
    }

    @Override
    public ChangeCounts changes() {
        return new ChangeCounts(services.changes(), endpoints.changes());
    }

    @Override
    public Optional<String> nodeIneligible() {
        return node.ineligible();
    }

    @Override
    public List<WatchStatus> watches() {
        return List.of(endpoints.status(), node.status(), services.status());
    }

    @Override
    public void close() {
        synchronized (closeLock) {
            closed.countDown();
        }
        looks.interrupt();
        try {
            looks.join(CLOSE_LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        inquiries.shutdownNow();
        events.ifPresent(ServiceEvents::close);
        node.close();
        services.close();
        endpoints.close();
        server.close();
    }
}
