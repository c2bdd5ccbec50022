package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Behaviour;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of a Service some of whose pods are broken. */
@Timeout(60)
class FailoverIT {
    private static final InetSocketAddress WEB4 = service("10.96.0.1");
    private static final ServiceManifest WEB =
            ServiceManifest.named("web", "10.96.0.1", "fd00:96::1");

    @RegisterExtension private final Testbed bed = new Testbed();

    @ParameterizedTest
    @ValueSource(strings = {"10.96.0.1", "fd00:96::1"})
    void aPodThatRefusesCostsNoConnectionAndTheOthersShareItsPart(String clusterIp)
            throws Exception {
        bed.c().stopServing();
        bed.apply(WEB.withEndpoints(bed.a(), bed.b(), bed.c()));
        bed.start();

        assertThat(bed.bridgedClient().ask(service(clusterIp), 300))
                .isEqualTo(Map.of("a", 150, "b", 150));
    }

    @Test
    void aResetAfterTheHandshakeIsPassedOnAndNotTriedElsewhere() throws Exception {
        bed.b().serve(Behaviour::resetOnAccept);
        bed.apply(WEB.withEndpoints(bed.a(), bed.b()));
        bed.start();

        assertThat(bed.bridgedClient().ask(WEB4, 20)).isEqualTo(Map.of("a", 10, Clients.RESET, 10));
        assertThat(bed.a().accepted()).isEqualTo(10);
        assertThat(bed.b().accepted()).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.96.0.1", "fd00:96::1"})
    void aPodThatDoesNotAnswerHoldsUpNobodyForLong(String clusterIp) throws Exception {
        bed.c().dropConnects();
        bed.apply(WEB.withEndpoints(bed.a(), bed.c()));
        bed.start();

        List<Clients.Answer> answers = bed.bridgedClient().askAtOnce(service(clusterIp), 40);

        assertThat(answers)
                .hasSize(40)
                .allSatisfy(answer -> assertThat(answer.text()).isEqualTo("a"))
                .allSatisfy(answer -> assertThat(answer.millis()).isLessThanOrEqualTo(600));
    }

    @Test
    void whenEveryPodRefusesTheClientIsReset() throws Exception {
        bed.a().stopServing();
        bed.b().stopServing();
        bed.apply(WEB.withEndpoints(bed.a(), bed.b()));
        bed.start("--set", "dial.total-timeout=1s", "--set", "dial.try-timeouts=100ms,100ms");

        assertThat(bed.bridgedClient().ask(WEB4)).isEqualTo(Clients.RESET);
    }
}
