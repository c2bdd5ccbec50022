package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kubernetes.ServiceConcern.Reason;
import dev.sluice.model.ServiceName;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EventPaceTest {
    /** The clock may begin anywhere, also shortly before it overflows. */
    private static final long START = Long.MAX_VALUE - 1000;

    private final EventPace pace = new EventPace(START);

    private static SortedSet<ServiceConcern> concerns(int count) {
        SortedSet<ServiceConcern> concerns = new TreeSet<>();
        IntStream.range(0, count)
                .mapToObj(i -> "s%04d".formatted(i))
                .forEach(
                        name ->
                                concerns.add(
                                        new ServiceConcern(
                                                new ServiceName("default", name), Reason.PORT)));
        return concerns;
    }

    private List<ServiceConcern> due(int count, Duration after) {
        return pace.due(concerns(count), START + after.toNanos());
    }

    @Test
    void aConcernIsToldOnceAndAgainAfterAnHourThoughItComesAndGoes() {
        assertThat(due(1, Duration.ZERO)).hasSize(1);
        assertThat(due(1, Duration.ofSeconds(1))).isEmpty();
        assertThat(due(0, Duration.ofSeconds(2))).isEmpty();
        assertThat(due(1, Duration.ofMinutes(59))).isEmpty();
        assertThat(due(1, Duration.ofMinutes(60))).hasSize(1);
    }

    @Test
    void anotherReasonIsAnotherConcern() {
        ServiceName service = new ServiceName("default", "web");
        SortedSet<ServiceConcern> both =
                new TreeSet<>(
                        List.of(
                                new ServiceConcern(service, Reason.PORT),
                                new ServiceConcern(service, Reason.OBJECT)));

        assertThat(pace.due(both, START)).hasSize(2);
    }

    @Test
    void manyAreToldAFewAtATimeAndNoneIsForgotten() {
        assertThat(due(100, Duration.ZERO)).hasSize(EventPace.BURST);
        assertThat(due(100, EventPace.REFILL.minusNanos(1))).isEmpty();
        assertThat(due(100, EventPace.REFILL)).hasSize(1);
        assertThat(due(100, EventPace.REFILL.multipliedBy(4))).hasSize(3);
        assertThat(due(100, EventPace.REFILL.multipliedBy(1000))).hasSize(EventPace.BURST);
        assertThat(due(100, EventPace.REFILL.multipliedBy(1100))).hasSize(EventPace.BURST);
        assertThat(due(100, EventPace.REFILL.multipliedBy(1200)))
                .as("those of the beginning are due again only after an hour: 720 refills")
                .hasSize(EventPace.BURST);
    }

    @Test
    void whatFailedIsDueAgain() {
        ServiceConcern first = due(1, Duration.ZERO).get(0);
        pace.failed(first);

        assertThat(due(1, Duration.ofSeconds(1))).containsExactly(first);
    }
}
