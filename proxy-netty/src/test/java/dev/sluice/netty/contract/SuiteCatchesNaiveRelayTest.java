package dev.sluice.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The contracts can fail: each flaw of a naive relay is named by a test, and nothing else is. */
final class SuiteCatchesNaiveRelayTest {
    @Test
    void bytesArriveThroughANaiveRelayUnlessAnEndCutsThemOff() {
        assertThat(failed(Bytes.class)).isEmpty();
    }

    @Test
    void itsHalfClosesAreCaught() {
        assertThat(failed(HalfClose.class)).isEmpty();
    }

    @Test
    void itsResetsAreCaught() {
        assertThat(failed(Reset.class)).isEmpty();
    }

    private static Set<String> failed(Class<?> contract) {
        Events tests =
                EngineTestKit.engine("junit-jupiter")
                        .selectors(selectClass(contract))
                        .execute()
                        .testEvents();
        return tests.failed().stream()
                .map(event -> event.getTestDescriptor().getSource().orElseThrow())
                .map(source -> ((MethodSource) source).getMethodName())
                .collect(Collectors.toSet());
    }

    static final class Bytes extends BytesContract {
        Bytes() {
            super(tuning -> new NaiveRelay());
        }
    }

    static final class HalfClose extends HalfCloseContract {
        HalfClose() {
            super(tuning -> new NaiveRelay());
        }
    }

    static final class Reset extends ResetContract {
        Reset() {
            super(tuning -> new NaiveRelay());
        }
    }
}
