package dev.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.PortRanges;
import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListenerPortsTest {
    private static final PortBinder<Integer> FREE = port -> port;

    private final PortMemory memory = PortMemory.inMemory();

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void eachServicePortGetsAPortOfItsOwn() throws IOException {
        ListenerPorts ports = ports("21000-21099", "", "");
        Set<Integer> claimed = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            claimed.add(ports.claim(name(i), FREE));
        }

        assertThat(claimed).hasSize(100).allMatch(port -> port >= 21_000 && port <= 21_099);
    }

    @Test
    void portsAreRandom() throws IOException {
        List<Integer> one = new ArrayList<>();
        List<Integer> other = new ArrayList<>();
        ListenerPorts first = ports("20000-29999", "", "");
        ListenerPorts second =
                new ListenerPorts(
                        PortRanges.parse("20000-29999"),
                        PortMemory.inMemory(),
                        kernel("", ""),
                        new Random(2));
        for (int i = 0; i < 20; i++) {
            one.add(first.claim(name(i), FREE));
            other.add(second.claim(name(i), FREE));
        }

        assertThat(one).isNotEqualTo(other);
        assertThat(one).isNotEqualTo(one.stream().sorted().toList());
    }

    @Test
    void aServicePortThatComesBackGetsItsPortBack() throws IOException {
        ListenerPorts ports = ports("20000-29999", "", "");
        int port = ports.claim(name(1), FREE);
        ports.release(name(1));
        for (int i = 2; i < 9_000; i++) {
            assertThat(ports.claim(name(i), FREE)).isNotEqualTo(port);
        }

        assertThat(ports.claim(name(1), FREE)).isEqualTo(port);
    }

    @Test
    void aRememberedPortIsKeptForItsServicePortWhoeverComesFirst() throws IOException {
        memory.remember(name(7), 20_000);
        ListenerPorts ports = ports("20000-20001", "", "");

        assertThat(ports.claim(name(1), FREE)).isEqualTo(20_001);
        assertThat(ports.claim(name(7), FREE)).isEqualTo(20_000);
    }

    @Test
    void aRememberedPortGivesWayBeforeEphemeralPortsAreUsed() throws IOException {
        memory.remember(name(7), 20_000);
        ListenerPorts ports = ports("20000", "40000", "");

        assertThat(ports.claim(name(1), FREE)).isEqualTo(20_000);
        assertThat(ports.claim(name(7), FREE)).isEqualTo(40_000);
    }

    @Test
    void aPortInUseIsPassedOver() throws IOException {
        ListenerPorts ports = ports("20000-20009", "", "");
        List<Integer> offered = new ArrayList<>();

        int port =
                ports.claim(
                        name(1),
                        candidate -> {
                            offered.add(candidate);
                            if (offered.size() < 5) {
                                throw new BindException("in use");
                            }
                            return candidate;
                        });

        assertThat(offered).hasSize(5).doesNotHaveDuplicates().endsWith(port);
    }

    @Test
    void aRememberedPortInUseIsReplaced() throws IOException {
        memory.remember(name(1), 20_000);
        ListenerPorts ports = ports("20000-20001", "", "");

        assertThat(ports.claim(name(1), allBut(20_000))).isEqualTo(20_001);
        assertThat(memory.port(name(1))).hasValue(20_001);
    }

    @Test
    void whoeverHasAPortIsOfferedItFirstAndGivesItUpForAnother() throws IOException {
        ListenerPorts ports = ports("20000-20001", "", "");
        int port = ports.claim(name(1), FREE);

        assertThat(ports.claim(name(1), FREE)).isEqualTo(port);
        int other = ports.claim(name(1), allBut(port));
        assertThat(other).isNotEqualTo(port);
        assertThat(ports.claim(name(2), FREE)).isEqualTo(port);
    }

    @Test
    void aFailureOfTheBinderIsPassedOnAndTakesNothing() throws IOException {
        ListenerPorts ports = ports("20000", "", "");

        assertThatThrownBy(
                        () ->
                                ports.claim(
                                        name(1),
                                        port -> {
                                            throw new IOException("Too many open files");
                                        }))
                .hasMessage("Too many open files");
        assertThat(ports.claim(name(2), FREE)).isEqualTo(20_000);
    }

    @Test
    void theLastResortIsTheEphemeralRangeWithOneWarning() throws IOException {
        ListenerPorts ports = ports("20000", "29998-32769", "29999");
        Set<Integer> claimed = new HashSet<>();
        try (CapturedLog log = new CapturedLog(ListenerPorts.class)) {
            for (int i = 0; i < 4; i++) {
                claimed.add(ports.claim(name(i), FREE));
            }

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN no port is left in 20000 (sluice.listener.port-range)");
        }
        assertThat(claimed)
                .as("no NodePort")
                .containsExactlyInAnyOrder(20_000, 29_998, 32_768, 32_769);
    }

    @Test
    void whenNoPortIsLeftTheErrorNamesServicePortAndRanges() {
        ListenerPorts ports = ports("20000-20003", "40000-40001", "");
        List<Integer> offered = new ArrayList<>();

        assertThatThrownBy(
                        () ->
                                ports.claim(
                                        name(1),
                                        port -> {
                                            offered.add(port);
                                            throw new BindException("in use");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("default/s1/tcp")
                .hasMessageContaining("20000-20003")
                .hasMessageContaining("40000-40001")
                .hasMessageEndingWith(": in use");
        assertThat(offered).hasSize(6).doesNotHaveDuplicates();
    }

    @Test
    void reservedPortsAreNeverOffered() {
        memory.remember(name(1), 10_250);
        memory.remember(name(2), 10_300);
        ListenerPorts ports =
                new ListenerPorts(
                        ProxyConfig.defaults().listener().portRanges(),
                        memory,
                        kernel("32768-60999", "10300-10399,62000"),
                        new Random(1));
        Set<Integer> offered = new HashSet<>();
        for (int i = 1; i <= 2; i++) {
            ServicePortName name = name(i);
            assertThatThrownBy(
                    () ->
                            ports.claim(
                                    name,
                                    port -> {
                                        offered.add(port);
                                        throw new BindException("in use");
                                    }));
        }

        assertThat(offered).contains(10_001, 29_999, 61_000, 65_535, 32_768, 60_999);
        assertThat(offered)
                .doesNotContain(10_250, 10_256, 15_001, 15_090, 11_211, 27_017)
                .doesNotContain(10_300, 10_399, 62_000);
        assertThat(offered).noneMatch(port -> port >= 30_000 && port <= 32_767);
    }

    @Test
    void aRememberedPortOutsideAllRangesIsNotTaken() throws IOException {
        memory.remember(name(1), 9_999);
        ListenerPorts ports = ports("20000", "40000", "");

        assertThat(ports.claim(name(1), FREE)).isEqualTo(20_000);
    }

    @Test
    void whatIsForgottenIsTheLongestUnused() throws IOException {
        PortMemory full = PortMemory.inMemory();
        ListenerPorts ports =
                new ListenerPorts(
                        PortRanges.parse("1024-65535"), full, kernel("", ""), new Random(1));
        int kept = ports.claim(name(0), FREE);
        for (int i = 1; i <= 16_384 + 10; i++) {
            ports.claim(name(i), FREE);
            ports.release(name(i));
        }

        assertThat(full.port(name(0))).hasValue(kept);
        assertThat(full.port(name(10))).isEmpty();
        assertThat(full.port(name(11))).isPresent();
        full.close();
    }

    @Test
    void readsWhatTheKernelSays(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("ip_local_port_range"), "32768\t60999\n");
        Files.writeString(folder.resolve("ip_local_reserved_ports"), "8080,9148-9150\n");

        assertThat(KernelPorts.read(folder)).isEqualTo(kernel("32768-60999", "8080,9148-9150"));

        Files.writeString(folder.resolve("ip_local_reserved_ports"), "\n");
        Files.writeString(folder.resolve("ip_local_port_range"), "what?");
        assertThat(KernelPorts.read(folder)).isEqualTo(kernel("49152-65535", ""));
        assertThat(KernelPorts.read(folder.resolve("none"))).isEqualTo(kernel("49152-65535", ""));
    }

    private static PortBinder<Integer> allBut(int inUse) {
        return port -> {
            if (port == inUse) {
                throw new BindException("in use");
            }
            return port;
        };
    }

    private ListenerPorts ports(String ranges, String ephemeral, String reserved) {
        return new ListenerPorts(
                PortRanges.parse(ranges), memory, kernel(ephemeral, reserved), new Random(1));
    }

    private static KernelPorts kernel(String ephemeral, String reserved) {
        return new KernelPorts(PortRanges.parse(ephemeral), PortRanges.parse(reserved));
    }

    private static ServicePortName name(int number) {
        return ServicePortName.of("default", "s" + number, "", Protocol.TCP);
    }
}
