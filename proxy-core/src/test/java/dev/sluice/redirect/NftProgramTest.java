package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How answers are read that the kernel at hand doesn't give. */
class NftProgramTest {
    private static final NftProgram PROGRAM = new NftProgram(Path.of("/sbin/nft"));

    @Test
    void tablesAreNamedWithTheirFamily() throws RedirectException {
        assertThat(PROGRAM.tables(answer(0, "table ip nat\ntable inet x\n", "")))
                .containsExactly("ip nat", "inet x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "internal:0:0-0: Error: Unable to initialize Netlink socket: Protocol not supported",
                "netlink: Error: cache initialization failed: Invalid argument\n",
                "netlink: Error: cache initialization failed: Operation not supported\n"
            })
    void aKernelWithoutNfTablesHasNone(String errors) throws RedirectException {
        assertThat(PROGRAM.tables(answer(1, "", errors))).isEmpty();
    }

    @Test
    void anyOtherFailureIsOne() {
        assertThatThrownBy(
                        () ->
                                PROGRAM.tables(
                                        answer(
                                                1,
                                                "",
                                                "Operation not permitted (you must be root)\n")))
                .isInstanceOf(RedirectException.class)
                .hasMessage(
                        "/sbin/nft list tables failed with exit code 1: Operation not permitted (you must be root)");
    }

    private static Commands answer(int exitCode, String output, String errors) {
        return (command, input) -> new Commands.Result(exitCode, output, errors);
    }
}
