package dev.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.Clients;
import dev.sluice.e2e.Connection;
import dev.sluice.peer.Behaviour;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A second copy waits, and takes over from the first one when that is told to end. */
@Tag("cluster")
@Timeout(180)
class SuccessionIT {
    private static final HandMadeService WEB = HandMadeService.of("web", "10.96.1.1");
    private static final HandMadeService HELD = HandMadeService.of("held", "10.96.1.2");

    @Test
    void anOpenConnectionGoesOnAndNewOnesAreServedOrRefusedAtOnce() throws Exception {
        try (Lab lab = new Lab(Map.of("AUTHZ", "RBAC"));
                SluiceOnNode sluice = new SluiceOnNode(lab, "--set", "shutdown.keep-rules=true")) {
            lab.controlPlane().apply(Rbac.manifest());
            lab.controlPlane().apply(WEB.yaml(lab.b()));
            lab.controlPlane().apply(HELD.yaml(lab.a()));
            lab.a().serve(() -> Behaviour.banner("a"));
            sluice.start();
            Connection connection = lab.client().connect(HELD.address());
            assertThat(connection.receive(1)).isEqualTo("a");
            lab.startLoad(WEB.address(), 100);

            sluice.succeed();

            assertThat(connection.echo("still here")).isEqualTo("still here");
            assertThat(lab.stopLoad().answers())
                    .containsKey("b")
                    .allSatisfy((answer, times) -> assertThat(answer).isIn("b", Clients.REFUSED));
            assertThat(lab.client().ask(WEB.address(), 10)).isEqualTo(Map.of("b", 10));
        }
    }
}
