package dev.sluice.netty.contract;

import dev.sluice.config.ProxyConfig;
import org.junit.jupiter.api.Nested;

/**
 * The contracts that any JVM can keep: {@code java.nio} does not tell of a silent reset, nor
 * whether the bytes before a reset have arrived.
 */
final class NioSpliceTest {
    private static ProxyUnderTest start(Tuning tuning) {
        return new SpliceProxy(ProxyConfig.Transport.Kind.NIO, tuning);
    }

    @Nested
    final class Bytes extends BytesContract {
        Bytes() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class HalfClose extends HalfCloseContract {
        HalfClose() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class Reset extends ResetContract {
        Reset() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class BackPressure extends BackPressureContract {
        BackPressure() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class Leftovers extends LeftoversContract {
        Leftovers() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class Balance extends BalanceContract {
        Balance() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class Dial extends DialContract {
        Dial() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class NoEndpoint extends NoEndpointContract {
        NoEndpoint() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class Swap extends SwapContract {
        Swap() {
            super(NioSpliceTest::start);
        }
    }

    @Nested
    final class HalfClosedLimit extends HalfClosedLimitContract {
        HalfClosedLimit() {
            super(NioSpliceTest::start);
        }
    }
}
