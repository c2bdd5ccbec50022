package dev.sluice.control;

import static dev.sluice.control.ServicePorts.frontEnd;
import static dev.sluice.control.ServicePorts.name;
import static dev.sluice.control.ServicePorts.port;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.Reconciler.RulesAtStop;
import dev.sluice.model.Cidr;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.HealthCheck;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.Problem;
import dev.sluice.model.ServiceName;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SourceRanges;
import dev.sluice.model.TrafficPolicy;
import dev.sluice.redirect.RedirectException;
import dev.sluice.redirect.RuleSet;
import dev.sluice.redirect.UnservedFamilyException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ReconcilerTest {
    static final ProxyConfig.Reconcile PACE =
            new ProxyConfig.Reconcile(
                    Duration.ofMillis(100),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(4));

    private static final Duration REMOVAL_LIMIT = Duration.ofSeconds(15);

    private final FakeControl control = new FakeControl();
    private final FakeNode node = new FakeNode(new Random(1));
    private final ProgrammaticServiceSource source = new ProgrammaticServiceSource();
    private final Reconciler reconciler =
            new Reconciler(
                    source,
                    node,
                    node,
                    node,
                    new SyncTimes(control::instant),
                    PACE,
                    REMOVAL_LIMIT,
                    control,
                    control::nanoTime);

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.sluice.control");
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
        logger.setAdditive(false);
        reconciler.start();
    }

    @AfterEach
    void everyRuleLedToAnOpenListenerAtEveryMoment() {
        logger.detachAppender(logged);
        logger.setAdditive(true);
        assertThat(node.violations).isEmpty();
    }

    @Test
    void nothingIsTouchedBeforeTheSourceIsComplete() {
        control.advance(Duration.ofMinutes(1));

        assertThat(node.calls).isEmpty();
        assertThat(node.ruleCalls).isZero();
        assertThat(reconciler.status().rulesInForce()).isFalse();
        assertThat(reconciler.status().complete()).isFalse();
        assertThat(reconciler.status().ok()).isFalse();
    }

    @Test
    void aSourceThatMustNotBeFollowedEndsTheWaitAndTouchesNothing() {
        UnusableSourceException reason = new UnusableSourceException("not this one");
        ServiceSource unusable =
                new ServiceSource() {
                    @Override
                    public void start(Runnable onChange) {
                        onChange.run();
                    }

                    @Override
                    public Optional<ServiceSnapshot> snapshot() {
                        throw reason;
                    }

                    @Override
                    public void close() {}
                };
        Reconciler refusing =
                new Reconciler(
                        unusable,
                        node,
                        HealthChecks.NONE,
                        node,
                        new SyncTimes(control::instant),
                        PACE,
                        REMOVAL_LIMIT,
                        control,
                        control::nanoTime);

        CompletableFuture<ReconcileStatus> settled = refusing.settled();
        refusing.start();
        control.advance(Duration.ofSeconds(10));

        assertThat(settled).isCompletedExceptionally();
        assertThat(settled.handle((status, failure) -> failure).join()).isSameAs(reason);
        assertThat(node.calls).isEmpty();
        assertThat(node.ruleCalls).isZero();
        assertThat(refusing.status().ok()).isFalse();
    }

    @Test
    void listenersOpenBeforeTheRulesAndCloseAfterThem() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        assertThat(calls()).containsExactly("open default/a:http/tcp", "rules");
        control.advance(Duration.ofSeconds(2));

        set(port("b", "10.96.0.2", "10.244.0.2"));

        assertThat(calls())
                .containsExactly("open default/b:http/tcp", "rules", "close default/a:http/tcp");
        assertThat(node.reached(frontEnd("10.96.0.2"))).isEqualTo(name("b"));
        assertThat(node.kernel.redirects()).hasSize(1);
    }

    @Test
    void anEndpointChangeUpdatesOneListenerAndWritesNoRule() {
        set(port("a", "10.96.0.1", "10.244.0.1"), port("b", "10.96.0.2", "10.244.0.2"));
        calls();
        int ruleCalls = node.ruleCalls;

        set(port("a", "10.96.0.1", "10.244.0.9"), port("b", "10.96.0.2", "10.244.0.2"));
        control.advance(Duration.ofMillis(100));

        assertThat(calls()).containsExactly("update default/a:http/tcp");
        assertThat(node.ruleCalls).isEqualTo(ruleCalls);
    }

    @Test
    void theStatusTellsWhatIsServedAndWhatWasLeftOut() {
        Problem problem = new Problem("Service default/x", "spec.clusterIP", "?", "is no address");
        source.set(
                new ServiceSnapshot(
                        ServiceSnapshot.of(port("a", "10.96.0.1", "10.244.0.1")).servicePorts(),
                        List.of(problem)));
        control.settle();

        assertThat(reconciler.status().ok()).isTrue();
        assertThat(reconciler.status().problems()).containsExactly(problem);
        assertThat(reconciler.status().localPort(name("a"))).hasValue(20_000);
        assertThat(reconciler.status().localPort(name("b"))).isEmpty();
    }

    @Test
    void theFirstChangeOfAQuietTimeRunsAtOnceAndTheNextOnesTogetherAPauseLater() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        control.advance(Duration.ofSeconds(10));
        calls();

        set(port("a", "10.96.0.1", "10.244.0.2"));
        assertThat(calls()).hasSize(1);

        for (int i = 3; i < 10; i++) {
            control.advance(Duration.ofMillis(10));
            set(port("a", "10.96.0.1", "10.244.0." + i));
        }
        assertThat(calls()).isEmpty();

        control.advance(Duration.ofMillis(30));
        assertThat(calls()).hasSize(1);
        assertThat(node.served).containsValue(port("a", "10.96.0.1", "10.244.0.9"));
    }

    @Test
    void flappingEndpointsWriteNoRuleAndTheLastStateLands() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        calls();
        for (int i = 0; i < 6_000; i++) {
            set(port("a", "10.96.0.1", "10.244.0." + (1 + i % 7)));
            control.advance(Duration.ofMillis(10));
        }
        control.advance(Duration.ofMillis(100));

        List<String> calls = calls();
        assertThat(calls).hasSizeBetween(500, 601).containsOnly("update default/a:http/tcp");
        assertThat(node.served).containsValue(port("a", "10.96.0.1", "10.244.0.1"));
    }

    @Test
    void flappingServicesWriteRulesOnceASecondAndTheLastStateLands() {
        for (int i = 0; i < 600; i++) {
            set(
                    i % 2 == 0
                            ? port("a", "10.96.0.1", "10.244.0.1")
                            : port("b", "10.96.0.2", "10.244.0.2"));
            control.advance(Duration.ofMillis(100));
        }
        control.advance(Duration.ofSeconds(1));

        assertThat(calls().stream().filter("rules"::equals)).hasSizeBetween(2, 62);
        assertThat(node.kernel.redirects()).containsOnlyKeys(frontEnd("10.96.0.2"));
        assertThat(node.served).containsOnlyKeys(name("b"));
    }

    @Test
    void aRuleChangeSoonAfterAVerificationIsWrittenAtOnce() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        control.advance(Duration.ofMillis(4_200));

        set(port("a", "10.96.0.1", "10.244.0.1"), port("b", "10.96.0.2", "10.244.0.2"));

        assertThat(node.reached(frontEnd("10.96.0.2"))).isEqualTo(name("b"));
    }

    @Test
    void aServicePortWithoutAnyEndpointIsLeftToItsListener() {
        set(port("a", List.of("10.96.0.1", "fd00::1")));

        assertThat(node.kernel.redirects())
                .containsOnlyKeys(frontEnd("10.96.0.1"), frontEnd("fd00::1"));
        assertThat(node.kernel.refused()).isEmpty();
    }

    @Test
    void aFrontEndThatAloneHasNoEndpointIsRefusedByARule() {
        set(port("a", List.of("10.96.0.1", "fd00::1"), "10.244.0.1"));

        assertThat(node.kernel.redirects())
                .containsOnlyKeys(frontEnd("10.96.0.1"), frontEnd("fd00::1"));
        assertThat(node.kernel.refused()).containsExactly(frontEnd("fd00::1"));
    }

    @Test
    void clusterIpsAreClosedButForTheirFrontEndsAsLongAsOneIsThere() {
        set(port("a", List.of("10.96.0.1", "fd00::1"), "10.244.0.1"));
        assertThat(node.kernel.closed())
                .containsExactlyInAnyOrder(
                        IpAddress.parse("10.96.0.1"), IpAddress.parse("fd00::1"));

        control.advance(Duration.ofSeconds(2));
        set(port("b", "10.96.0.2", "10.244.0.2"));
        assertThat(node.kernel.closed()).containsExactly(IpAddress.parse("10.96.0.2"));
    }

    @Test
    void aClusterIpMovesBetweenServicesInOneRun() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        control.advance(Duration.ofSeconds(2));
        calls();

        set(port("b", "10.96.0.1", "10.244.0.2"));

        assertThat(calls())
                .containsExactly("open default/b:http/tcp", "rules", "close default/a:http/tcp");
        assertThat(node.reached(frontEnd("10.96.0.1"))).isEqualTo(name("b"));
    }

    @Test
    void twoServicesSwapTheirClusterIpsInOneRun() {
        set(port("a", "10.96.0.1", "10.244.0.1"), port("b", "10.96.0.2", "10.244.0.2"));
        control.advance(Duration.ofSeconds(2));

        set(port("a", "10.96.0.2", "10.244.0.1"), port("b", "10.96.0.1", "10.244.0.2"));

        assertThat(node.reached(frontEnd("10.96.0.2"))).isEqualTo(name("a"));
        assertThat(node.reached(frontEnd("10.96.0.1"))).isEqualTo(name("b"));
    }

    @Test
    void aServiceThatIsRecreatedWithAnotherClusterIpLosesTheOldOne() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        control.advance(Duration.ofSeconds(2));

        set(port("a", "10.96.0.7", "10.244.0.1"));

        assertThat(node.kernel.redirects()).containsOnlyKeys(frontEnd("10.96.0.7"));
        assertThat(reconciler.status().ok()).isTrue();
    }

    @Test
    void aFailedUpdateDoesNotKeepAClusterIpThatMovedAway() {
        set(port("a", "10.96.0.1", "10.244.0.1"), port("b", "10.96.0.2", "10.244.0.2"));
        control.advance(Duration.ofSeconds(2));

        node.failing.put(name("b"), new IOException("port 20000 is in use"));
        set(port("a", "10.96.0.2", "10.244.0.1"), port("b", "10.96.0.1", "10.244.0.2"));

        assertThat(node.reached(frontEnd("10.96.0.2"))).isEqualTo(name("a"));
        assertThat(node.kernel.redirects()).hasSize(1);

        node.failing.clear();
        control.advance(Duration.ofSeconds(5));
        assertThat(node.reached(frontEnd("10.96.0.1"))).isEqualTo(name("b"));
    }

    @Test
    void aListenerThatComesBackOnAnotherPortGetsItsRule() {
        set(port("a", "10.96.0.1"));
        control.advance(Duration.ofSeconds(2));
        node.losePort(name("a"));

        set(port("a", "10.96.0.1", "10.244.0.1"));

        assertThat(node.reached(frontEnd("10.96.0.1"))).isEqualTo(name("a"));
        assertThat(reconciler.status().localPort(name("a"))).hasValue(20_001);
    }

    @Test
    void aServicePortThatFailsStopsNoOtherAndIsTriedAgain() {
        node.failing.put(name("a"), new IOException("no port is free"));
        set(port("a", "10.96.0.1", "10.244.0.1"), port("b", "10.96.0.2", "10.244.0.2"));

        assertThat(node.kernel.redirects()).containsOnlyKeys(frontEnd("10.96.0.2"));
        assertThat(reconciler.status().ok()).isFalse();
        assertThat(reconciler.status().portFailures())
                .containsOnlyKeys(name("a"))
                .containsValue("no port is free");

        control.advance(Duration.ofMinutes(1));
        assertThat(calls().stream().filter("open default/a:http/tcp"::equals))
                .hasSizeBetween(13, 30);
        assertThat(warnings()).hasSize(1);

        node.failing.clear();
        control.advance(Duration.ofSeconds(5));
        assertThat(reconciler.status().ok()).isTrue();
        assertThat(node.reached(frontEnd("10.96.0.1"))).isEqualTo(name("a"));
    }

    @Test
    void anotherReasonIsWarnedOfAnew() {
        node.failing.put(name("a"), new IOException("no port is free"));
        set(port("a", "10.96.0.1", "10.244.0.1"));
        node.failing.put(name("a"), new IOException("permission denied"));
        control.advance(Duration.ofMinutes(1));

        assertThat(warnings())
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).contains("a:http", "no port is free"))
                .anySatisfy(line -> assertThat(line).contains("a:http", "permission denied"));
    }

    @Test
    void aPartThatIsNotServedIsShownAndTriedAgainUntilItIs() {
        node.incomplete.put(name("a"), "192.0.2.10:30080 is taken");
        set(port("a", "10.96.0.1", "10.244.0.1"), port("b", "10.96.0.2", "10.244.0.2"));

        assertThat(reconciler.status().portFailures())
                .isEqualTo(Map.of(name("a"), "192.0.2.10:30080 is taken"));
        assertThat(node.kernel.redirects()).hasSize(2);

        node.calls.clear();
        control.advance(PACE.retryInterval());
        assertThat(node.calls).containsExactly("update " + name("a"));

        node.incomplete.clear();
        control.advance(PACE.retryInterval());
        assertThat(reconciler.status().ok()).isTrue();
        node.calls.clear();
        control.advance(Duration.ofMinutes(1));
        assertThat(node.calls).isEmpty();
    }

    @Test
    void aPartThatIsNotServedKeepsNoServicePortThatIsGone() {
        node.incomplete.put(name("a"), "192.0.2.10:30080 is taken");
        set(port("a", "10.96.0.1", "10.244.0.1"));
        node.calls.clear();

        set();
        control.advance(Duration.ofSeconds(1));

        assertThat(node.calls).containsExactly("rules", "close " + name("a"));
    }

    @Test
    void healthChecksFollowTheSnapshotAndEndWithTheProxy() {
        ServiceName web = new ServiceName("default", "web");
        HealthCheck check = new HealthCheck(web, 32_000, List.of(IpAddress.parse("192.0.2.10")), 1);
        node.healthCheckFailures.put(web, "192.0.2.10:32000 is taken");
        source.set(
                new ServiceSnapshot(new TreeMap<>(), List.of(), List.of(check), LocalSources.NONE));
        control.settle();

        assertThat(node.healthChecks).containsExactly(check);
        assertThat(reconciler.status().healthCheckFailures()).containsOnlyKeys(web);
        assertThat(reconciler.status().ok()).isFalse();

        node.healthCheckFailures.clear();
        control.advance(PACE.retryInterval());
        assertThat(reconciler.status().ok()).isTrue();

        var unused = reconciler.stop(Reconciler.RulesAtStop.REMOVE);
        control.settle();
        assertThat(node.healthChecks).isEmpty();
    }

    @Test
    void podsOfThisNodeGetIntoTheRulesThatAskForThemAndNoOthers() {
        LocalSources pods = new LocalSources(List.of(Cidr.parse("10.244.1.0/24")), Set.of());
        setBeside(pods, port("a", "10.96.0.1", "10.244.0.1"));

        assertThat(node.sources).isEqualTo(pods);
        assertThat(node.kernel.localPods()).isEmpty();

        setBeside(pods, onlyElsewhere());
        control.advance(PACE.minRuleInterval());
        assertThat(node.kernel.localPods()).containsExactly(Cidr.parse("10.244.1.0/24"));

        setBeside(
                new LocalSources(List.of(Cidr.parse("10.244.9.0/24")), Set.of()), onlyElsewhere());
        control.advance(PACE.minRuleInterval());
        assertThat(node.kernel.localPods()).containsExactly(Cidr.parse("10.244.9.0/24"));
    }

    private void setBeside(LocalSources sources, ServicePort servicePort) {
        source.set(
                new ServiceSnapshot(
                        new TreeMap<>(Map.of(servicePort.name(), servicePort)),
                        List.of(),
                        List.of(),
                        sources));
        control.advance(PACE.minInterval());
    }

    /** With a load balancer address whose policy wants an endpoint on this node, and none there. */
    private static ServicePort onlyElsewhere() {
        ServicePort a = port("a", "10.96.0.1", "10.244.0.1");
        return new ServicePort(
                a.name(),
                a.clusterIps(),
                a.port(),
                a.affinity(),
                a.endpoints(),
                List.of(),
                TrafficPolicy.CLUSTER,
                new ExternalAccess(
                        0,
                        List.of(),
                        List.of(IpAddress.parse("203.0.113.1")),
                        List.of(),
                        TrafficPolicy.LOCAL,
                        SourceRanges.ANY));
    }

    @Test
    void aFaultAtOneServicePortIsQuarantined() {
        set(port("a", "10.96.0.1", "10.244.0.1"), port("b", "10.96.0.2", "10.244.0.2"));
        node.failing.put(name("a"), new IllegalStateException("a bug"));

        set(port("a", "10.96.0.1", "10.244.0.5"), port("b", "10.96.0.2", "10.244.0.6"));
        control.advance(Duration.ofMillis(100));

        assertThat(node.served)
                .containsEntry(name("a"), port("a", "10.96.0.1", "10.244.0.1"))
                .containsEntry(name("b"), port("b", "10.96.0.2", "10.244.0.6"));
        assertThat(reconciler.status().portFailures()).containsOnlyKeys(name("a"));
        assertThat(node.kernel.redirects()).hasSize(2);
    }

    @Test
    void aFaultWhileClosingIsTriedAgain() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        control.advance(Duration.ofSeconds(2));
        node.failing.put(name("a"), new IllegalStateException("a bug"));
        set();
        assertThat(reconciler.status().portFailures()).containsOnlyKeys(name("a"));

        node.failing.clear();
        control.advance(Duration.ofSeconds(5));

        assertThat(node.served).isEmpty();
        assertThat(reconciler.status().ok()).isTrue();
    }

    @Test
    void anErrorEndsTheRunButNotTheNextOne() {
        node.failing.put(name("a"), new StackOverflowError());
        set(port("a", "10.96.0.1", "10.244.0.1"));

        assertThat(logged.list).anyMatch(event -> event.getLevel() == Level.ERROR);
        assertThat(reconciler.status().failure())
                .hasValueSatisfying(text -> assertThat(text).contains("StackOverflowError"));

        node.failing.clear();
        control.advance(Duration.ofSeconds(5));
        assertThat(reconciler.status().ok()).isTrue();
        assertThat(node.reached(frontEnd("10.96.0.1"))).isEqualTo(name("a"));
    }

    @Test
    void whileRulesCannotBeWrittenAllListenersStay() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        control.advance(Duration.ofSeconds(2));
        RuleSet before = node.kernel;
        node.rulesFailing = new RedirectException("iptables-restore: xtables lock is held");

        set(port("b", "10.96.0.2", "10.244.0.2"));
        control.advance(Duration.ofMinutes(1));

        assertThat(before.redirects()).containsOnlyKeys(frontEnd("10.96.0.1"));
        assertThat(node.served).containsOnlyKeys(name("a"), name("b"));
        assertThat(reconciler.status().failure())
                .contains("iptables-restore: xtables lock is held");
        assertThat(warnings()).hasSize(1);

        node.rulesFailing = null;
        control.advance(Duration.ofSeconds(5));
        assertThat(node.served).containsOnlyKeys(name("b"));
        assertThat(node.kernel.redirects()).containsOnlyKeys(frontEnd("10.96.0.2"));
        assertThat(reconciler.status().ok()).isTrue();
    }

    @Test
    void aFamilyThatCannotBeServedIsShownAndStopsNothing() {
        node.rulesFailing = new UnservedFamilyException("no ip6tables");
        set(port("a", List.of("10.96.0.1", "fd00::1"), "10.244.0.1"));
        assertThat(reconciler.status().ok()).isFalse();
        assertThat(reconciler.status().failure()).contains("no ip6tables");
        assertThat(reconciler.status().rulesInForce()).isTrue();
        assertThat(node.reached(frontEnd("10.96.0.1"))).isEqualTo(name("a"));
        control.advance(Duration.ofSeconds(2));
        calls();

        set(port("b", List.of("10.96.0.2", "fd00::2"), "10.244.0.2"));
        assertThat(calls())
                .containsExactly("open default/b:http/tcp", "rules", "close default/a:http/tcp");

        int ruleCalls = node.ruleCalls;
        control.advance(Duration.ofMinutes(1));
        assertThat(node.ruleCalls - ruleCalls).isBetween(12, 16);
        assertThat(warnings()).hasSize(1);

        node.rulesFailing = null;
        control.advance(Duration.ofSeconds(5));
        assertThat(reconciler.status().ok()).isTrue();
    }

    @Test
    void whileAFamilyCannotBeServedSettledStillWaitsForTheOther() {
        node.rulesFailing = new UnservedFamilyException("no ip6tables");
        set(port("a", "10.96.0.1", "10.244.0.1"));
        source.set(ServiceSnapshot.of(port("b", "10.96.0.2", "10.244.0.2")));
        CompletableFuture<ReconcileStatus> settled = reconciler.settled();

        control.advance(Duration.ofMillis(500));
        assertThat(settled).isNotDone();
        control.advance(Duration.ofMillis(500));

        assertThat(settled).isCompletedWithValueMatching(status -> !status.ok());
        assertThat(node.reached(frontEnd("10.96.0.2"))).isEqualTo(name("b"));
    }

    @Test
    void everyRunIsTimedAndCountedAndTakesATurn() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        assertThat(reconciler.syncs().lastQueued()).isPresent();
        assertThat(reconciler.syncs().lastSuccess()).isPresent();
        assertThat(reconciler.syncs().failures()).isZero();

        node.rulesFailing = new RedirectException("made by the test");
        control.advance(Duration.ofSeconds(4));
        assertThat(reconciler.syncs().failures()).isEqualTo(1);

        CompletableFuture<?> turn = reconciler.nextTurn();
        assertThat(turn).isNotDone();
        control.settle();
        assertThat(turn).isCompleted();
    }

    @Test
    void aChangeIsUnappliedUntilTheKernelHasItsRules() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        assertThat(reconciler.syncs().oldestUnapplied()).isEmpty();
        control.advance(Duration.ofSeconds(10));
        Instant applied = reconciler.syncs().lastApplied().orElseThrow();

        node.rulesFailing = new RedirectException("xtables lock is held");
        Instant asked = control.instant();
        set(port("a", "10.96.0.2", "10.244.0.1"));
        control.advance(Duration.ofSeconds(61));
        set(port("a", "10.96.0.3", "10.244.0.1"));
        assertThat(reconciler.syncs().oldestUnapplied()).contains(asked);
        assertThat(reconciler.syncs().lastApplied()).contains(applied);

        node.rulesFailing = null;
        control.advance(Duration.ofSeconds(10));
        assertThat(reconciler.syncs().oldestUnapplied()).isEmpty();
        assertThat(reconciler.syncs().lastApplied().orElseThrow()).isAfter(asked);
    }

    @Test
    void triggersAreTimedAndChangesPendingUntilTheKernelHasTheirRules() {
        ServiceSnapshot snapshot = ServiceSnapshot.of(port("a", "10.96.0.1", "10.244.0.1"));
        List<Instant> triggers = new ArrayList<>(List.of(control.instant()));
        ServiceSource dated =
                new ServiceSource() {
                    @Override
                    public void start(Runnable onChange) {
                        onChange.run();
                    }

                    @Override
                    public Optional<ServiceSnapshot> snapshot() {
                        return Optional.of(snapshot);
                    }

                    @Override
                    public List<Instant> takeTriggerTimes() {
                        List<Instant> taken = List.copyOf(triggers);
                        triggers.clear();
                        return taken;
                    }

                    @Override
                    public ChangeCounts changes() {
                        return new ChangeCounts(1, 2);
                    }

                    @Override
                    public void close() {}
                };
        SyncTimes syncs = new SyncTimes(control::instant);
        node.rulesFailing = new RedirectException("xtables lock is held");
        new Reconciler(
                        dated,
                        node,
                        HealthChecks.NONE,
                        node,
                        syncs,
                        PACE,
                        REMOVAL_LIMIT,
                        control,
                        control::nanoTime)
                .start();
        control.advance(Duration.ofSeconds(30));
        assertThat(syncs.programmingTimes().counts()).containsOnly(0L);
        assertThat(syncs.appliedChanges()).isEqualTo(ChangeCounts.NONE);

        node.rulesFailing = null;
        control.advance(Duration.ofSeconds(30));

        assertThat(syncs.programmingTimes().sum())
                .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(36));
        assertThat(syncs.programmingTimes().counts().stream().mapToLong(n -> n).sum()).isOne();
        assertThat(syncs.appliedChanges()).isEqualTo(new ChangeCounts(1, 2));
    }

    @Test
    void rulesThatCannotBeRepairedAreUnappliedThoughNothingChanged() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        node.rulesFailing = new RedirectException("xtables lock is held");
        control.advance(Duration.ofSeconds(70));

        assertThat(reconciler.syncs().oldestUnapplied().orElseThrow())
                .isBefore(control.instant().minusSeconds(60));
    }

    @Test
    void aServicePortThatFailsAloneLeavesNothingUnapplied() {
        node.failing.put(name("a"), new IOException("no port"));
        set(port("a", "10.96.0.1", "10.244.0.1"), port("b", "10.96.0.2", "10.244.0.1"));
        control.advance(Duration.ofSeconds(70));

        assertThat(reconciler.status().portFailures()).containsOnlyKeys(name("a"));
        assertThat(reconciler.syncs().oldestUnapplied()).isEmpty();
    }

    @Test
    void rulesThatFailForAnotherReasonAreWarnedOfAnew() {
        node.rulesFailing = new UnservedFamilyException("no ip6tables");
        set(port("a", "10.96.0.1", "10.244.0.1"));
        node.rulesFailing = new RedirectException("xtables lock is held");
        control.advance(Duration.ofMinutes(1));

        assertThat(warnings()).hasSize(2);
        assertThat(reconciler.status().failure()).contains("xtables lock is held");
        assertThat(reconciler.status().rulesInForce()).isFalse();
    }

    @Test
    void endpointsStillChangeWhileRulesCannotBeWritten() {
        node.rulesFailing = new RedirectException("xtables lock is held");
        set(port("a", "10.96.0.1", "10.244.0.1"));
        int ruleCalls = node.ruleCalls;
        control.advance(Duration.ofSeconds(1));

        set(port("a", "10.96.0.1", "10.244.0.2"));

        assertThat(node.served).containsValue(port("a", "10.96.0.1", "10.244.0.2"));
        assertThat(node.ruleCalls).isEqualTo(ruleCalls);
    }

    @Test
    void rulesThatAnotherProgramFlushedComeBackWithinFiveSeconds() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        for (int i = 0; i < 10; i++) {
            control.advance(Duration.ofMillis(3_700));
            node.kernel = RuleSet.EMPTY;
            control.advance(Duration.ofMillis(4_999));
            assertThat(node.kernel.redirects()).containsOnlyKeys(frontEnd("10.96.0.1"));
        }
    }

    @Test
    void aVerificationThatFailsIsWarnedOfOnceAndRepeated() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        node.rulesFailing = new IllegalStateException("a bug");
        control.advance(Duration.ofMinutes(1));

        assertThat(warnings()).hasSize(1);
        assertThat(reconciler.status().ok()).isFalse();
        assertThat(node.served).containsOnlyKeys(name("a"));

        node.rulesFailing = null;
        node.kernel = RuleSet.EMPTY;
        control.advance(Duration.ofSeconds(5));
        assertThat(reconciler.status().ok()).isTrue();
        assertThat(node.kernel.redirects()).hasSize(1);
    }

    @Test
    void settledWaitsForTheFirstCompleteSnapshot() {
        CompletableFuture<ReconcileStatus> settled = reconciler.settled();
        control.advance(Duration.ofMinutes(1));
        assertThat(settled).isNotDone();

        set(port("a", "10.96.0.1", "10.244.0.1"));

        assertThat(settled).isCompletedWithValueMatching(ReconcileStatus::ok);
    }

    @Test
    void settledCoversEveryChangeMadeBefore() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        source.set(
                ServiceSnapshot.of(
                        port("a", "10.96.0.1", "10.244.0.1"),
                        port("b", "10.96.0.2", "10.244.0.2")));
        CompletableFuture<ReconcileStatus> settled = reconciler.settled();

        control.advance(Duration.ofMillis(500));
        // The rules wait for their pace.
        assertThat(settled).isNotDone();
        control.advance(Duration.ofMillis(500));

        assertThat(settled)
                .isCompletedWithValueMatching(status -> status.localPort(name("b")).isPresent());
        assertThat(node.kernel.redirects()).hasSize(2);
    }

    @Test
    void settledTellsOfFailuresInsteadOfWaitingForTheirEnd() {
        node.failing.put(name("a"), new IOException("no port is free"));
        CompletableFuture<ReconcileStatus> first = reconciler.settled();
        set(port("a", "10.96.0.1", "10.244.0.1"));
        assertThat(first).isCompletedWithValueMatching(status -> !status.portFailures().isEmpty());

        node.failing.clear();
        node.rulesFailing = new RedirectException("xtables lock is held");
        control.advance(Duration.ofSeconds(10));
        CompletableFuture<ReconcileStatus> second = reconciler.settled();
        control.advance(Duration.ofMillis(100));
        assertThat(second).isCompletedWithValueMatching(status -> status.failure().isPresent());
    }

    @Test
    void stopRemovesTheRulesBeforeItClosesTheListeners() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        calls();

        CompletableFuture<Void> stopped = reconciler.stop(RulesAtStop.REMOVE);
        control.settle();

        assertThat(stopped).isCompleted();
        assertThat(calls()).containsExactly("remove rules", "close default/a:http/tcp");
    }

    @Test
    void stopMayLeaveTheRulesToTheNextProcess() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        calls();
        RuleSet before = node.kernel;

        CompletableFuture<Void> stopped = reconciler.stop(RulesAtStop.KEEP);
        control.settle();

        assertThat(stopped).isCompleted();
        assertThat(node.kernel).isEqualTo(before);
        assertThat(node.served).isEmpty();
        // That listeners are closed under rules is what was asked for.
        assertThat(node.violations).containsExactly("closed under a rule: default/a:http/tcp");
        node.violations.clear();
    }

    @Test
    void rulesThatCannotBeRemovedAtOnceAreSoLaterAndServeUntilThen() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        control.advance(Duration.ofSeconds(2));
        calls();
        node.rulesFailing = new RedirectException("xtables lock is held");

        CompletableFuture<Void> stopped = reconciler.stop(RulesAtStop.REMOVE);
        CompletableFuture<ReconcileStatus> settled = reconciler.settled();
        control.advance(Duration.ofSeconds(9));
        assertThat(stopped).isNotDone();
        assertThat(node.reached(frontEnd("10.96.0.1"))).isEqualTo(name("a"));
        assertThat(calls()).containsOnly("remove rules");

        node.rulesFailing = null;
        control.advance(Duration.ofSeconds(5));
        assertThat(stopped).isCompleted();
        assertThat(settled).isCancelled();
        assertThat(node.kernel).isEqualTo(RuleSet.EMPTY);
        assertThat(calls()).containsExactly("remove rules", "close default/a:http/tcp");
    }

    @Test
    void rulesThatCannotBeRemovedKeepNoListenerOpenForEver() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        calls();
        node.rulesFailing = new RedirectException("xtables lock is held");

        CompletableFuture<Void> stopped = reconciler.stop(RulesAtStop.REMOVE);
        control.advance(REMOVAL_LIMIT);

        assertThat(stopped)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(RedirectException.class)
                .withMessage("xtables lock is held");
        assertThat(node.served).isEmpty();
        assertThat(calls().stream().filter("remove rules"::equals)).hasSize(4);
        node.violations.clear();
    }

    @Test
    void aRemovalThatBreaksOffIsNotRepeated() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        calls();
        node.rulesFailing = new IllegalStateException("a bug");

        CompletableFuture<Void> stopped = reconciler.stop(RulesAtStop.REMOVE);
        control.settle();

        assertThat(stopped).isCompletedExceptionally();
        assertThat(node.served).isEmpty();
        node.violations.clear();
    }

    @Test
    void afterTheStopNothingHappensAnyMore() {
        set(port("a", "10.96.0.1", "10.244.0.1"));
        CompletableFuture<ReconcileStatus> waiting = reconciler.settled();
        CompletableFuture<Void> stopped = reconciler.stop(RulesAtStop.REMOVE);
        control.settle();
        assertThat(stopped).isCompleted();
        assertThat(waiting).isCancelled();
        calls();

        set(port("b", "10.96.0.2", "10.244.0.2"));
        control.advance(Duration.ofMinutes(1));

        assertThat(reconciler.stop(RulesAtStop.REMOVE)).isCompleted();
        assertThat(reconciler.settled()).isCancelled();
        assertThat(calls()).isEmpty();
        assertThat(reconciler.status().complete()).isFalse();
    }

    @Test
    void onItsOwnThreadItAppliesAndStops() throws Exception {
        ProgrammaticServiceSource own = new ProgrammaticServiceSource();
        FakeNode ownNode = new FakeNode(new Random(1));
        Reconciler running =
                new Reconciler(
                        own,
                        ownNode,
                        HealthChecks.NONE,
                        ownNode,
                        new SyncTimes(InstantSource.system()),
                        PACE,
                        REMOVAL_LIMIT);
        running.start();
        own.set(ServiceSnapshot.of(port("a", "10.96.0.1", "10.244.0.1")));

        assertThat(running.settled().get(10, TimeUnit.SECONDS).ok()).isTrue();
        assertThat(running.status().localPort(name("a"))).hasValue(20_000);

        running.stop(RulesAtStop.REMOVE).get(10, TimeUnit.SECONDS);
        assertThat(ownNode.calls).endsWith("remove rules", "close default/a:http/tcp");
        assertThat(running.settled()).isCancelled();
    }

    private void set(ServicePort... servicePorts) {
        source.set(ServiceSnapshot.of(servicePorts));
        control.settle();
    }

    private List<String> calls() {
        List<String> calls = List.copyOf(node.calls);
        node.calls.clear();
        return calls;
    }

    private List<String> warnings() {
        return logged.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
