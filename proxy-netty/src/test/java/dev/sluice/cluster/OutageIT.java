package dev.sluice.cluster;

import static dev.sluice.cluster.Lab.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The API server goes away and comes back. */
@Tag("cluster")
@Timeout(300)
class OutageIT {
    private static final Duration OUTAGE = Duration.ofSeconds(60);
    private static final int PER_SECOND = 150;
    private static final HandMadeService WEB = HandMadeService.of("web", "10.96.1.1");
    private static final HandMadeService NEXT = HandMadeService.of("next", "10.96.1.2");

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private Lab lab;
    private ControlPlane controlPlane;
    private SluiceOnNode sluice;

    @BeforeEach
    void start() throws Exception {
        lab = new Lab(Map.of());
        open.push(lab);
        controlPlane = lab.controlPlane();
        controlPlane.apply(WEB.yaml(lab.a(), lab.b()));
        sluice = new SluiceOnNode(lab);
        open.push(sluice);
        sluice.start();
    }

    @AfterEach
    void end() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    @Test
    void aMinuteWithoutTheApiServerCostsNoConnection() throws Exception {
        lab.startLoad(WEB.address(), PER_SECOND);
        controlPlane.script("apiserver.sh", "stop");
        long stopped = System.nanoTime();
        await().pollDelay(OUTAGE)
                .atMost(OUTAGE.plusSeconds(5))
                .until(() -> System.nanoTime() - stopped >= OUTAGE.toNanos());
        controlPlane.script("apiserver.sh", "start");
        controlPlane.apply(WEB.endpointsYaml(lab.b(), lab.c()));
        controlPlane.apply(NEXT.yaml(lab.c()));
        lab.awaitRule(NEXT.address());
        eventually(() -> assertThat(lab.node().ask(WEB.address(), 20)).containsOnlyKeys("b", "c"));

        Load.Outcome outcome = lab.stopLoad();

        assertThat(outcome.failed()).as(outcome.toString()).isZero();
        assertThat(outcome.connections())
                .as("the load went on")
                .isGreaterThan((int) OUTAGE.toSeconds() * PER_SECOND * 9 / 10);
    }

    @Test
    void anApiServerThatHasLostItsStateIsFollowedFromItsNewBeginning() throws Exception {
        controlPlane.script("apiserver.sh", "start-empty");
        controlPlane.apply(NEXT.yaml(lab.c()));

        lab.awaitRule(NEXT.address());
        eventually(() -> assertThat(lab.client().ask(NEXT.address(), 2)).isEqualTo(Map.of("c", 2)));
        eventually(() -> assertThat(lab.rules()).doesNotContain("10.96.1.1/32"));
    }
}
