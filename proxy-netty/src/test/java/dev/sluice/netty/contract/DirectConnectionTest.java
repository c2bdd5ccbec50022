package dev.sluice.netty.contract;

import org.junit.jupiter.api.Nested;

/** The contracts of bytes and endings are those of TCP itself. */
final class DirectConnectionTest {
    private static ProxyUnderTest start(Tuning tuning) {
        return new DirectConnection();
    }

    @Nested
    final class Bytes extends BytesContract {
        Bytes() {
            super(DirectConnectionTest::start);
        }
    }

    @Nested
    final class HalfClose extends HalfCloseContract {
        HalfClose() {
            super(DirectConnectionTest::start);
        }
    }

    @Nested
    final class Reset extends ResetContract {
        Reset() {
            super(DirectConnectionTest::start);
        }
    }

    @Nested
    final class BackPressure extends BackPressureContract {
        BackPressure() {
            super(DirectConnectionTest::start);
        }
    }

    @Nested
    final class Leftovers extends LeftoversContract {
        Leftovers() {
            super(DirectConnectionTest::start);
        }
    }

    @Nested
    final class LateReset extends LateResetContract {
        LateReset() {
            super(DirectConnectionTest::start);
        }
    }
}
