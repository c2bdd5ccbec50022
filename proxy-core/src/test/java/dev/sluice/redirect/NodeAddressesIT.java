package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real kernel's addresses and routes as they come and go. */
@Timeout(60)
class NodeAddressesIT {

    @Test
    void f4AndF31AddressesAndRoutesAreThoseOfTheMoment() throws IOException, RedirectException {
        try (Namespace node = Namespace.create("addresses")) {
            assertThat(seenIn(node)).isEqualTo("[127.0.0.1, ::1] [] []");

            node.ip("link add eth0 type veth peer name up0");
            node.ip("link set up0 up");
            node.ip("addr add 192.0.2.10/24 dev eth0");
            node.ip("addr add 169.254.7.7/16 dev eth0");
            node.ip("addr add fd00:2::10/64 dev eth0 nodad");
            node.ip("link set eth0 up");
            node.ip("route add default via 192.0.2.1");
            node.ip("link add cni0 type veth peer name pod0");
            node.ip("link set pod0 up");
            node.ip("addr add 10.244.3.1/24 dev cni0");
            node.ip("link set cni0 up");
            node.ip("route add 10.244.9.9/32 dev cni0");
            node.ip("route add blackhole 10.244.8.0/24");
            node.ip("-6 route add fd00:9::/64 dev cni0");
            assertThat(seenIn(node))
                    .isEqualTo(
                            "[10.244.3.1, 127.0.0.1, 192.0.2.10, ::1, fd00:2::10]"
                                    + " [192.0.2.10, fd00:2::10]"
                                    + " [10.244.3.0/24, 10.244.9.9/32, fd00:9::/64]");

            node.ip("addr del 192.0.2.10/24 dev eth0");
            node.ip("addr add 192.0.2.20/24 dev eth0");
            node.ip("link del cni0");
            assertThat(seenIn(node))
                    .isEqualTo(
                            "[127.0.0.1, 192.0.2.20, ::1, fd00:2::10] [192.0.2.20, fd00:2::10] []");
        }
    }

    private static String seenIn(Namespace namespace) throws RedirectException {
        List<String> command =
                new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-cp"));
        command.add(
                Stream.of(Inside.class, NodeAddresses.class)
                        .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                        .map(location -> location.getPath())
                        .collect(Collectors.joining(":")));
        command.add(Inside.class.getName());
        return namespace.run(command.toArray(String[]::new)).strip();
    }

    /** The process in the namespace. */
    static final class Inside {
        private Inside() {}

        /** Prints all addresses, the primary ones, and what is routed through cni0. */
        public static void main(String[] args) throws IOException {
            NodeAddresses addresses = NodeAddresses.read();
            PrintWriter out =
                    new PrintWriter(
                            new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true);
            out.println(
                    addresses.all()
                            + " "
                            + addresses.primary()
                            + " "
                            + NodeRoutes.through("cni0"::equals));
        }
    }
}
