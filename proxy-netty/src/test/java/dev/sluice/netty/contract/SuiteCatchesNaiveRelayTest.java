package dev.sluice.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The contracts can fail: each flaw of a naive relay makes the tests that name it fail. */
final class SuiteCatchesNaiveRelayTest {
    /** Both directions at once are cut off by whichever ends first, sometimes. */
    @Test
    void aNaiveRelayMovesBytesInOneDirection() {
        assertThat(failed(Bytes.class))
                .isSubsetOf(
                        "deliversEveryByteOfBothDirectionsAtOnce",
                        "deliversAGibibyteInBothDirectionsAtOnce",
                        "keepsManyFlowsApart");
    }

    @Test
    void itsHalfClosesAreCaught() {
        assertThat(failed(HalfClose.class))
                .contains(
                        "aClientThatFinishedGetsItsWholeReply",
                        "aClientThatFinishesWithoutAByteGetsItsReply",
                        "aServerThatFinishedGetsTheWholeUpload",
                        "aHalfClosedConnectionWithTrafficLives");
    }

    @Test
    void itsResetsAreCaught() {
        assertThat(failed(Reset.class))
                .contains(
                        "aServersResetBeforeAnyByteReachesTheClient",
                        "aClientsResetBeforeAnyByteReachesTheServer",
                        "aServersResetInMidReplyIsNoEndOfTheReply",
                        "aClientsResetInMidUploadIsNoEndOfTheUpload",
                        "whatArrivesBeforeAResetIsInOrder",
                        "aFinishedReplyIsWholeWhenTheServerResetsAMomentLater",
                        "aResetBehindBackPressureIsAReset",
                        "aServersResetAfterTheClientsFinReachesTheClient",
                        "aClientsResetAfterTheServersFinReachesTheServer",
                        "aResetOnAcceptReachesTheClient",
                        "aResetOfOneFlowLeavesTheOthersAlone");
    }

    @Test
    void itsLateResetsAreCaught() {
        assertThat(failed(LateReset.class))
                .contains(
                        "aFinishedReplyIsWholeWhenTheServerResetsAtOnce",
                        "aFinishedReplyIsWholeWhenTheServerResetsAndTheClientReadsLate");
    }

    private static Set<String> failed(Class<?> contract) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(contract))
                .execute()
                .testEvents()
                .failed()
                .stream()
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

    static final class LateReset extends LateResetContract {
        LateReset() {
            super(tuning -> new NaiveRelay());
        }
    }
}
