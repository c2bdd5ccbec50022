package dev.sluice.netty.contract;

import dev.sluice.config.ProxyConfig;
import org.junit.jupiter.api.Nested;

/** The contracts, kept on Linux with native epoll. */
final class EpollSpliceTest {
    private static ProxyUnderTest start(Tuning tuning) {
        return new SpliceProxy(ProxyConfig.Transport.Kind.EPOLL, tuning);
    }

    @Nested
    final class Bytes extends BytesContract {
        Bytes() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class HalfClose extends HalfCloseContract {
        HalfClose() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class Reset extends ResetContract {
        Reset() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class BackPressure extends BackPressureContract {
        BackPressure() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class Leftovers extends LeftoversContract {
        Leftovers() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class Balance extends BalanceContract {
        Balance() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class Dial extends DialContract {
        Dial() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class NoEndpoint extends NoEndpointContract {
        NoEndpoint() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class Swap extends SwapContract {
        Swap() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class HalfClosedLimit extends HalfClosedLimitContract {
        HalfClosedLimit() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class SilentReset extends SilentResetContract {
        SilentReset() {
            super(EpollSpliceTest::start);
        }
    }

    @Nested
    final class LateReset extends LateResetContract {
        LateReset() {
            super(EpollSpliceTest::start);
        }
    }
}
