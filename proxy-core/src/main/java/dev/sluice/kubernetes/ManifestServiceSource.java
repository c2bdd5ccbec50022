package dev.sluice.kubernetes;

import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ServiceSource;
import dev.sluice.model.Problem;
import dev.sluice.model.ServiceSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Services and their endpoints from a YAML or JSON file, or from all such files of one folder, read
 * again whenever they change. A change is seen within a second; files that are replaced by a rename
 * and mounted ConfigMaps are seen as a whole.
 *
 * <p>A document that cannot be read becomes a {@link Problem} and the others are served. When the
 * folder itself goes away, the last state is served until it is back.
 *
 * <p>Threads: any. The first reading happens on the thread that starts the source, all others on
 * the thread {@code sluice-manifests}, where the snapshot is built, too.
 */
public final class ManifestServiceSource implements ServiceSource {
    private static final Logger logger = LoggerFactory.getLogger(ManifestServiceSource.class);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(600);

    private final Path path;
    private final SnapshotBuilder builder;
    private final OwnNode ownNode;
    private final LongSupplier nanoClock;
    private final ObjectConverter converter = new ObjectConverter();
    private final ProblemLog problemLog = new ProblemLog();

    private final Object closeLock = new Object();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Guards all below, the builder and the node. */
    private final Object buildLock = new Object();

    private @Nullable ManifestState state;
    private @Nullable Built latest;

    /** A source that does nothing until it is started. */
    public ManifestServiceSource(Path path, ProxyConfig config) {
        this(path, ServiceRules.of(config), OwnNode.of(config), System::nanoTime);
    }

    ManifestServiceSource(Path path, ServiceRules rules, OwnNode ownNode, LongSupplier nanoClock) {
        this.path = path;
        this.builder = new SnapshotBuilder(rules);
        this.ownNode = ownNode;
        this.nanoClock = nanoClock;
    }

    /**
     * Reads the manifests and begins to follow them. Called once.
     *
     * @throws IllegalArgumentException if there is no such file or folder, or none that can be
     *     read; nothing runs on then
     */
    @Override
    public void start(Runnable onChange) {
        Poll poll = begin(onChange);
        Thread thread = new Thread(() -> followUntilClosed(poll), "sluice-manifests");
        thread.setDaemon(true);
        thread.start();
    }

    /** Reads once; further looks are up to the caller. */
    Poll begin(Runnable onChange) {
        List<ManifestFile> files;
        try {
            files = ManifestFile.in(path);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "manifests '" + path + "' cannot be read: " + ManifestFile.reason(e), e);
        }
        Poll poll = new Poll(onChange, files);
        poll.publish(read(files));
        return poll;
    }

    /** The manifests as they were read last, on the node as it is now. */
    @Override
    public Optional<ServiceSnapshot> snapshot() {
        synchronized (buildLock) {
            return state == null ? Optional.empty() : Optional.of(build(state).snapshot);
        }
    }

    /** Whether what is served is another now. */
    private boolean take(ManifestState read) {
        synchronized (buildLock) {
            state = read;
            @Nullable Built before = latest;
            Built now = build(read);
            return before == null || !now.snapshot.equals(before.snapshot);
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private Built build(ManifestState manifests) {
        ObjectProblems found = new ObjectProblems("Node " + ownNode.name());
        NodeContext node = ownNode.now(manifests.node(), found);
        List<Problem> problems = new ArrayList<>(manifests.problems());
        problems.addAll(found.list());
        @Nullable Built before = latest;
        if (before != null
                && before.from == manifests
                && before.node.equals(node)
                && before.problems.equals(problems)) {
            return before;
        }
        ServiceSnapshot snapshot = builder.build(manifests.objects(), node).withProblems(problems);
        problemLog.update(snapshot.problems());
        Built now = new Built(manifests, node, problems, snapshot);
        latest = now;
        return now;
    }

    private record Built(
            ManifestState from,
            NodeContext node,
            List<Problem> problems,
            ServiceSnapshot snapshot) {}

    @Override
    public void close() {
        synchronized (closeLock) {
            closed.countDown();
        }
    }

    private ManifestState read(List<ManifestFile> files) {
        ManifestReader reader = new ManifestReader(converter);
        files.forEach(reader::read);
        logger.debug("{}: {} files read", path, files.size());
        ObjectProblems nodeProblems = new ObjectProblems("Node " + ownNode.name());
        Optional<NodeFacts> node =
                reader.node(ownNode.name()).map(found -> NodeFacts.of(found, nodeProblems));
        List<Problem> problems = new ArrayList<>(reader.problems());
        problems.addAll(nodeProblems.list());
        return new ManifestState(reader.objects(), node, problems);
    }

    private ManifestState lastState(IOException e) {
        ManifestState last;
        synchronized (buildLock) {
            last = state == null ? ManifestState.EMPTY : state;
        }
        Problem problem =
                new Problem(
                        path.toString(),
                        "",
                        "",
                        "cannot be read, and what was read before is still served: "
                                + ManifestFile.reason(e));
        return last.with(problem);
    }

    private void followUntilClosed(Poll poll) {
        try {
            while (!closed.await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                poll.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Looks at the files, and reads them when they changed. */
    final class Poll implements Runnable {
        private static final String ABSENT = "absent";

        private final Runnable onChange;
        private final ChangeGate gate;

        private Poll(Runnable onChange, List<ManifestFile> read) {
            this.onChange = onChange;
            this.gate = new ChangeGate(LONGEST_WAIT, read);
        }

        @Override
        public void run() {
            try {
                look();
            } catch (RuntimeException e) {
                logger.error("{}: look for changes failed; the next one follows", path, e);
            }
        }

        private void look() {
            try {
                List<ManifestFile> files = ManifestFile.in(path);
                if (gate.shouldRead(files, nanoClock.getAsLong())) {
                    publish(read(files));
                }
            } catch (IOException e) {
                if (gate.shouldRead(ABSENT, nanoClock.getAsLong())) {
                    publish(lastState(e));
                }
            }
        }

        private void publish(ManifestState read) {
            if (!take(read)) {
                return;
            }
            // Held while the callback runs, so that none begins after close has returned.
            synchronized (closeLock) {
                if (closed.getCount() > 0) {
                    onChange.run();
                }
            }
        }
    }
}
