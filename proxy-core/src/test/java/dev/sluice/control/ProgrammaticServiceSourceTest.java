package dev.sluice.control;

import static dev.sluice.control.ServicePorts.name;
import static dev.sluice.control.ServicePorts.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sluice.model.Problem;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServiceSnapshot;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ProgrammaticServiceSourceTest {
    private final ProgrammaticServiceSource source = new ProgrammaticServiceSource();
    private final AtomicInteger wakes = new AtomicInteger();

    @Test
    void nothingIsCompleteBeforeTheFirstSet() {
        source.start(wakes::incrementAndGet);

        assertThat(source.snapshot()).isEmpty();
        assertThat(wakes).hasValue(0);
    }

    @Test
    void whatIsSetBeforeTheStartWakesAtTheStart() {
        ServiceSnapshot snapshot = ServiceSnapshot.of(port("a", "10.96.0.1", "10.244.0.1"));
        source.set(snapshot);

        source.start(wakes::incrementAndGet);

        assertThat(source.snapshot()).contains(snapshot);
        assertThat(wakes).hasValue(1);
    }

    @Test
    void eachSetWakes() {
        source.start(wakes::incrementAndGet);

        source.set(ServiceSnapshot.EMPTY);
        source.set(ServiceSnapshot.of(port("a", "10.96.0.1")));

        assertThat(wakes).hasValue(2);
    }

    @Test
    void anUnchangedServicePortStaysTheSameObject() {
        ServicePort kept = port("a", "10.96.0.1", "10.244.0.1");
        source.set(ServiceSnapshot.of(kept, port("b", "10.96.0.2", "10.244.0.2")));

        ServicePort changed = port("b", "10.96.0.2", "10.244.0.3");
        Problem problem = new Problem("Service default/c", "spec", "", "is missing");
        source.set(
                new ServiceSnapshot(
                        ServiceSnapshot.of(port("a", "10.96.0.1", "10.244.0.1"), changed)
                                .servicePorts(),
                        List.of(problem)));

        ServiceSnapshot snapshot = source.snapshot().orElseThrow();
        assertThat(snapshot.servicePorts().get(name("a"))).isSameAs(kept);
        assertThat(snapshot.servicePorts().get(name("b"))).isSameAs(changed);
        assertThat(snapshot.problems()).containsExactly(problem);
    }

    @Test
    void nothingWakesAfterTheClose() {
        source.start(wakes::incrementAndGet);
        source.close();

        source.set(ServiceSnapshot.EMPTY);

        assertThat(wakes).hasValue(0);
    }

    @Test
    void itIsFollowedByOneAtATime() {
        source.start(wakes::incrementAndGet);
        assertThatIllegalStateException().isThrownBy(() -> source.start(wakes::incrementAndGet));

        source.close();
        source.set(ServiceSnapshot.EMPTY);
        source.start(wakes::incrementAndGet);

        assertThat(wakes).hasValue(1);
    }
}
