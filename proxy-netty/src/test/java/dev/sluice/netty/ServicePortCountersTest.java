package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.netty.ConnectionCounters.Event;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServicePortCountersTest {
    private final ServicePortCounters counters = new ServicePortCounters(1);

    @Test
    void whatOneCountsIsCountedInTheSumAsWell() {
        ConnectionCounters web = counters.open();
        web.count(Event.ACCEPTED);
        web.addBytes(3, 4);

        for (ConnectionCounters each : new ConnectionCounters[] {web, counters.total()}) {
            assertThat(each.nonZero()).isEqualTo(Map.of(Event.ACCEPTED, 1L));
            assertThat(each.active()).isEqualTo(1);
            assertThat(each.bytesFromClients()).isEqualTo(3);
            assertThat(each.bytesFromEndpoints()).isEqualTo(4);
        }
        assertThat(counters.others().nonZero()).isEmpty();
    }

    @Test
    void whoFindsNoPlaceIsCountedWithTheOthersAndStaysThere() {
        ConnectionCounters first = counters.open();
        ConnectionCounters second = counters.open();
        assertThat(counters.hasPlace(first)).isTrue();
        assertThat(counters.hasPlace(second)).isFalse();

        counters.close(first);
        assertThat(counters.hasPlace(second)).isFalse();
        ConnectionCounters third = counters.open();
        assertThat(counters.hasPlace(third)).isTrue();

        second.count(Event.ACCEPTED);
        counters.close(second);
        second.count(Event.ENDED);
        assertThat(counters.others().active()).isZero();
        assertThat(counters.others().get(Event.ACCEPTED)).isEqualTo(1);
        assertThat(counters.total().get(Event.ACCEPTED)).isEqualTo(1);
        assertThat(counters.hasPlace(counters.open())).isFalse();
    }
}
