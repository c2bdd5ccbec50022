package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.check.DescriptorCheck;
import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.IpAddress;
import dev.sluice.model.ServicePort;
import dev.sluice.model.SessionAffinity;
import dev.sluice.model.TrafficPolicy;
import dev.sluice.netty.ConnectionCounters.Event;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Datagrams from clients to endpoints and back. */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
final class UdpListenerTest {

    @OnEachTransport
    void datagramsOfEverySizeComeBackWholeAndInOrder(NettyTransport transport) throws Exception {
        Random random = new Random(1);
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a");
                UdpClient client = new UdpClient(udp.serve(pod))) {
            for (int size : new int[] {1, 512, 1_472, 1_473, 2_000, 4_097, 9_000, 65_507}) {
                byte[] question = new byte[size];
                random.nextBytes(question);
                client.send(question);
                assertThat(client.receive()).as("%d bytes", size).isEqualTo(question);
            }
            for (int i = 0; i < 50; i++) {
                client.send("q" + i);
            }
            for (int i = 0; i < 50; i++) {
                assertThat(client.receive()).asString().isEqualTo("q" + i);
            }
            assertThat(udp.count(Event.ACCEPTED)).isEqualTo(1);
        }
    }

    /** Only native epoll: {@code java.nio} sends nothing where a connected socket has no bytes. */
    @Test
    void anEmptyDatagramIsOneAsWell() throws Exception {
        Assumptions.assumeTrue(
                EpollTransport.isAvailable(),
                "no native epoll: whether empty datagrams pass is not tested");
        try (UdpProxy udp = new UdpProxy(new EpollTransport(), 100);
                UdpPod pod = new UdpPod("a");
                DatagramSocket client = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            client.setSoTimeout(10_000);
            DatagramPacket empty = new DatagramPacket(new byte[0], 0, udp.serve(pod));
            DatagramPacket answer = new DatagramPacket(new byte[10], 10);
            for (int i = 0; i < 3; i++) {
                client.send(empty);
                client.receive(answer);
                assertThat(answer.getLength()).isZero();
            }
            assertThat(pod.received()).isEqualTo(3);
        }
    }

    @OnEachTransport
    void aQuestionMayHaveManyAnswers(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a");
                UdpClient client = new UdpClient(udp.serve(pod))) {
            client.send("times 20");
            List<String> answers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                answers.add(new String(client.receive(), StandardCharsets.US_ASCII));
            }
            assertThat(answers)
                    .isEqualTo(IntStream.range(0, 20).mapToObj(Integer::toString).toList());
        }
    }

    @OnEachTransport
    void aClientStaysWithItsEndpointAndClientsTakeTurns(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod a = new UdpPod("a");
                UdpPod b = new UdpPod("b")) {
            InetSocketAddress service = udp.serve(a, b);
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < 4; i++) {
                try (UdpClient client = new UdpClient(service)) {
                    String first = client.ask("who");
                    seen.add(first);
                    for (int j = 0; j < 5; j++) {
                        assertThat(client.ask("who")).isEqualTo(first);
                    }
                }
            }
            assertThat(seen).containsExactlyInAnyOrder("a", "b");
        }
    }

    /** The published conntrack tests: one client port, and the pod behind it is replaced. */
    @OnEachTransport
    void anEndpointThatLeavesGetsNoDatagramMore(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod a = new UdpPod("a");
                UdpPod b = new UdpPod("b");
                UdpClient client = new UdpClient(udp.serve(a))) {
            assertThat(client.ask("who")).isEqualTo("a");

            udp.serve(b);
            int before = a.received();

            for (int i = 0; i < 20; i++) {
                assertThat(client.ask("who")).isEqualTo("b");
            }
            assertThat(a.received()).isEqualTo(before);
        }
    }

    @OnEachTransport
    void aPortThatNobodyListensOnCostsTheClientNoAnswer(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod alive = new UdpPod("alive")) {
            Endpoint dead = closedPort();
            InetSocketAddress service =
                    udp.serve(
                            UdpProxy.servicePort(
                                    ExternalAccess.NONE, List.of(dead, alive.endpoint())));
            for (int i = 0; i < 6; i++) {
                try (UdpClient client = new UdpClient(service)) {
                    assertThat(client.ask("who")).isEqualTo("alive");
                }
            }
            // What the first one heard does for all.
            assertThat(udp.count(Event.DIAL_FAILED)).isEqualTo(1);
        }
    }

    @OnEachTransport
    void whereEveryPortIsUnreachableTheNextQuestionTriesAnew(NettyTransport transport)
            throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpClient client =
                        new UdpClient(
                                udp.serve(
                                        UdpProxy.servicePort(
                                                ExternalAccess.NONE,
                                                List.of(closedPort(), closedPort()))))) {
            client.send("who");
            await().untilAsserted(() -> assertThat(udp.count(Event.UNANSWERED)).isEqualTo(1));
            client.send("who");
            await().untilAsserted(() -> assertThat(udp.count(Event.UNANSWERED)).isEqualTo(2));
            await().untilAsserted(
                            () ->
                                    assertThat(udp.count(Event.ENDED))
                                            .isEqualTo(udp.count(Event.ACCEPTED)));
        }
    }

    @OnEachTransport
    void withoutAnEndpointClientsHearThatNobodyIsThereAndLaterOnesAreServed(
            NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a")) {
            InetSocketAddress service = udp.serve();
            try (UdpClient client = new UdpClient(service)) {
                assertUnreachable(client);
                assertThat(udp.serve(pod)).isEqualTo(service);
                assertThat(client.ask("who")).isEqualTo("a");
                udp.serve();
                assertUnreachable(client);
            }
            assertThatThrownBy(() -> new DatagramSocket(service).close())
                    .isInstanceOf(BindException.class);
        }
    }

    private static void assertUnreachable(UdpClient client) {
        assertThatThrownBy(
                        () -> {
                            // The error of one is told at the next.
                            client.send("who");
                            client.receive();
                        })
                .isInstanceOf(PortUnreachableException.class);
    }

    @OnEachTransport
    void sessionsEndWhenTheyAreIdleForTooLong(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a")) {
            InetSocketAddress service = udp.serve(pod);
            try (UdpClient answered = new UdpClient(service);
                    UdpClient ignored = new UdpClient(service)) {
                answered.ask("who");
                ignored.send("silence");
                await().until(() -> pod.received() == 2);

                udp.pass(Duration.ofSeconds(31));
                await().untilAsserted(
                                () -> assertThat(udp.count(Event.SESSION_EXPIRED)).isEqualTo(1));
                answered.ask("who");
                udp.pass(Duration.ofSeconds(179));
                answered.ask("who");
                assertThat(udp.count(Event.ACCEPTED)).isEqualTo(2);

                udp.pass(Duration.ofSeconds(181));
                await().untilAsserted(
                                () -> assertThat(udp.count(Event.SESSION_EXPIRED)).isEqualTo(2));
                assertThat(answered.ask("who")).isEqualTo("a");
            }
        }
    }

    @OnEachTransport
    void theLongestIdleSessionMakesRoomForANewOne(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 4);
                UdpPod pod = new UdpPod("a")) {
            InetSocketAddress service = udp.serve(pod);
            List<UdpClient> clients = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                UdpClient client = new UdpClient(service);
                clients.add(client);
                assertThat(client.ask("who")).isEqualTo("a");
            }
            // Two loops share the limit, and one socket is on one of them.
            assertThat(udp.count(Event.SESSION_EVICTED)).isEqualTo(8);
            assertThat(clients.get(0).ask("who")).isEqualTo("a");
            clients.forEach(UdpClient::close);
        }
    }

    @OnEachTransport
    void aNodePortAnswersFromTheAddressThatWasAsked(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a")) {
            int port = freePort();
            List<IpAddress> addresses =
                    List.of(IpAddress.parse("127.0.0.2"), IpAddress.parse("127.0.0.3"));
            udp.serve(
                    UdpProxy.servicePort(
                            ExternalAccess.nodePort(port, addresses, TrafficPolicy.CLUSTER),
                            List.of(pod.endpoint())));
            for (IpAddress address : addresses) {
                try (UdpClient client =
                        new UdpClient(new InetSocketAddress(address.toInetAddress(), port))) {
                    assertThat(client.ask("who")).isEqualTo("a");
                }
            }
            udp.serve(pod);
            try (UdpClient client = new UdpClient(Services.address("127.0.0.2", port))) {
                assertUnreachable(client);
            }
        }
    }

    @OnEachTransport
    void aNodePortThatIsTakenFailsAloneAndIsServedOnceItIsFree(NettyTransport transport)
            throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a")) {
            ServicePort servicePort;
            try (DatagramSocket other = new DatagramSocket(Services.address("127.0.0.2", 0))) {
                servicePort =
                        UdpProxy.servicePort(
                                ExternalAccess.nodePort(
                                        other.getLocalPort(),
                                        List.of(IpAddress.parse("127.0.0.2")),
                                        TrafficPolicy.CLUSTER),
                                List.of(pod.endpoint()));
                InetSocketAddress main = udp.serve(servicePort);
                UdpListener listener = udp.listener();
                assertThat(listener.incomplete())
                        .hasValueSatisfying(
                                why ->
                                        assertThat(why)
                                                .startsWith("NodePort 127.0.0.2:")
                                                .contains("in use"));
                try (UdpClient client = new UdpClient(main)) {
                    assertThat(client.ask("who")).isEqualTo("a");
                }
            }
            udp.serve(servicePort);
            assertThat(udp.listener().incomplete()).isEmpty();
        }
    }

    /** With no redirect, the family of the clients is that of the endpoints there are. */
    @OnEachTransport
    void theSocketStaysWhenThePolicyOrTheFamilyOfTheEndpointsChanges(NettyTransport transport)
            throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a")) {
            InetSocketAddress service = udp.serve(pod);
            ServicePort local =
                    new ServicePort(
                            UdpProxy.DNS,
                            List.of(IpAddress.parse("192.0.2.53")),
                            53,
                            SessionAffinity.NONE,
                            List.of(pod.endpoint()),
                            List.of(pod.endpoint()),
                            TrafficPolicy.LOCAL,
                            ExternalAccess.NONE);
            assertThat(udp.serve(local)).isEqualTo(service);
            try (UdpClient client = new UdpClient(service)) {
                assertThat(client.ask("who")).isEqualTo("a");
            }
            ServicePort dual =
                    new ServicePort(
                            UdpProxy.DNS,
                            List.of(IpAddress.parse("fd00::53"), IpAddress.parse("192.0.2.53")),
                            53,
                            SessionAffinity.NONE,
                            List.of(pod.endpoint()));
            assertThat(udp.serve(dual)).isEqualTo(service);
            assertThat(udp.serve()).isEqualTo(service);
            assertThat(udp.serve(pod)).isEqualTo(service);
            try (UdpClient client = new UdpClient(service)) {
                assertThat(client.ask("who")).isEqualTo("a");
            }
        }
    }

    @OnEachTransport
    void aSocketOfThisProxyIsNoEndpoint(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100)) {
            InetSocketAddress service = udp.serve();
            udp.serve(
                    UdpProxy.servicePort(ExternalAccess.NONE, List.of(Services.endpoint(service))));
            try (UdpClient client = new UdpClient(service)) {
                client.send("who");
                await().untilAsserted(
                                () -> assertThat(udp.count(Event.DIAL_FORBIDDEN)).isEqualTo(1));
            }
        }
    }

    /** Nobody but the endpoint can answer: its socket is connected. */
    @OnEachTransport
    void aStrangersAnswerIsNone(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a");
                UdpClient client = new UdpClient(udp.serve(pod));
                DatagramSocket stranger = new DatagramSocket()) {
            assertThat(client.ask("who")).isEqualTo("a");
            byte[] fake = "fake".getBytes(StandardCharsets.US_ASCII);
            for (int port = 32_768; port < 61_000; port++) {
                stranger.send(
                        new DatagramPacket(
                                fake, fake.length, InetAddress.getLoopbackAddress(), port));
            }
            client.patience(500);
            assertThatThrownBy(client::receive).isInstanceOf(SocketTimeoutException.class);
            assertThat(client.ask("who")).isEqualTo("a");
        }
    }

    private static Endpoint closedPort() throws IOException {
        return Services.endpoint(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort()));
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            return socket.getLocalPort();
        }
    }
}
