package dev.sluice.netty.contract;

import dev.sluice.config.ProxyConfig;
import dev.sluice.netty.contract.ProxyUnderTest.Capability;
import java.util.EnumSet;
import org.junit.jupiter.api.Nested;

/** The contracts, kept on any JVM. */
final class NioSpliceTest {
    private static ProxyUnderTest start(Tuning tuning) {
        return new SpliceProxy(
                ProxyConfig.Transport.Kind.NIO, tuning, EnumSet.of(Capability.LOOP_GUARD));
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
}
