package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.ProxyConfig.Redirect.Flavour;
import dev.sluice.model.IpFamily;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How answers are read that the kernel at hand doesn't give. */
class IptablesProgramTest {
    private static final IptablesProgram PROGRAM =
            new IptablesProgram(
                    Flavour.NFT, IpFamily.IPV4, Path.of("/sbin/save"), Path.of("/sbin/restore"));

    @Test
    void aKernelWithoutNfTablesHoldsNoRules() throws RedirectException {
        assertThat(
                        PROGRAM.read(
                                answer(
                                        1,
                                        "iptables-save/1.8.9 Failed to initialize nft: Protocol not supported\n")))
                .isEmpty();
    }

    @Test
    void anyOtherFailureToReadIsOneWithTheFirstLinesOfItsErrors() {
        assertThatThrownBy(
                        () ->
                                PROGRAM.read(
                                        answer(
                                                4,
                                                "# Warning: iptables-legacy tables present\none\n\ntwo\nthree\nfour\n")))
                .isInstanceOf(RedirectException.class)
                .hasMessage("/sbin/save failed with exit code 4: one / two / three");
    }

    @Test
    void exitCodeFourWithoutTheLockIsNotCalledABusyLock() {
        assertThatThrownBy(
                        () ->
                                PROGRAM.write(
                                        answer(4, "line 3: CHAIN_USER_DEL failed: busy\n"),
                                        "nat",
                                        "*nat\nCOMMIT\n",
                                        Duration.ofSeconds(5)))
                .isInstanceOf(RedirectException.class)
                .hasMessage(
                        "/sbin/restore --noflush -w 5 for table nat failed with exit code 4: line 3: CHAIN_USER_DEL failed: busy");
    }

    @Test
    void theWaitForTheLockIsRoundedUpToWholeSeconds() throws RedirectException {
        List<String> waits = new ArrayList<>();
        for (int millis : new int[] {0, 1, 1_000, 1_001}) {
            PROGRAM.write(
                    (command, input) -> {
                        waits.add(command.get(3));
                        return new Commands.Result(0, "", "");
                    },
                    "nat",
                    "*nat\nCOMMIT\n",
                    Duration.ofMillis(millis));
        }
        assertThat(waits).containsExactly("1", "1", "1", "2");
    }

    private static Commands answer(int exitCode, String errors) {
        return (command, input) -> new Commands.Result(exitCode, "", errors);
    }
}
