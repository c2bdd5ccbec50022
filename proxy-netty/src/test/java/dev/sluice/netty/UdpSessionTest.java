package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.balance.BackendSelector;
import dev.sluice.balance.BackendSelectorFactory;
import dev.sluice.check.DescriptorCheck;
import dev.sluice.model.Endpoint;
import dev.sluice.model.EndpointSet;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.netty.ConnectionCounters.Event;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** How a session picks, keeps and leaves its endpoint, and makes room. */
@Timeout(60)
@ExtendWith(DescriptorCheck.class)
final class UdpSessionTest {

    @OnEachTransport
    void whoLeavesADeadEndpointGoesToOneOfThisMoment(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod a = new UdpPod("a");
                UdpPod b = new UdpPod("b");
                UdpPod c = new UdpPod("c");
                UdpClient client = new UdpClient(udp.serve(a, b))) {
            UdpPod stays = client.ask("who").equals("a") ? a : b;
            UdpPod gone = stays == a ? b : a;
            udp.serve(stays, c);
            int before = gone.received();

            stays.die();
            client.send("who");
            await().untilAsserted(() -> assertThat(udp.count(Event.DIAL_FAILED)).isEqualTo(1));

            assertThat(client.ask("who")).isEqualTo("c");
            assertThat(gone.received()).isEqualTo(before);
            assertThat(udp.count(Event.ACCEPTED)).isEqualTo(1);
        }
    }

    @OnEachTransport
    void theOnlyEndpointIsAskedAgainWithTheNextQuestion(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod before = new UdpPod("before");
                UdpClient client = new UdpClient(udp.serve(before))) {
            client.ask("who");
            int port = before.endpoint().port();
            before.die();
            client.send("who");
            await().untilAsserted(() -> assertThat(udp.count(Event.DIAL_FAILED)).isEqualTo(1));

            try (UdpPod after = new UdpPod("after", port)) {
                assertThat(client.ask("who")).isEqualTo("after");
                assertThat(after.received()).isEqualTo(1);
            }
        }
    }

    /** The kernel tells of the first one when the second one is sent, and does not send that. */
    @OnEachTransport
    void aDatagramThatIsRefusedForAnotherOneIsNotLost(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod a = new UdpPod("a");
                UdpPod b = new UdpPod("b");
                UdpClient client = new UdpClient(udp.serve(a))) {
            client.ask("who");
            udp.serve(a, b);
            a.die();

            udp.hold(
                    () -> {
                        client.send("first");
                        client.send("second");
                    });

            assertThat(new String(client.receive(), StandardCharsets.US_ASCII)).isEqualTo("second");
        }
    }

    @OnEachTransport
    void anEndpointThatLeavesStillAnswersWhatItWasAsked(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod a = new UdpPod("a");
                UdpPod b = new UdpPod("b");
                UdpClient waiting = new UdpClient(udp.serve(a));
                UdpClient asking = new UdpClient(udp.serve(a))) {
            waiting.send("silence");
            await().untilAsserted(() -> assertThat(a.received()).isEqualTo(1));
            SocketAddress waits = a.last();
            asking.send("silence");
            await().untilAsserted(() -> assertThat(a.received()).isEqualTo(2));
            udp.serve(b);

            a.tell("late", waits);
            assertThat(new String(waiting.receive(), StandardCharsets.US_ASCII)).isEqualTo("late");
            await().untilAsserted(() -> assertThat(udp.count(Event.ENDED)).isEqualTo(1));
            assertThat(waiting.ask("who")).isEqualTo("b");
            assertThat(asking.ask("who")).isEqualTo("b");
            assertThat(a.received()).isEqualTo(2);
            assertThat(udp.count(Event.ACCEPTED)).isEqualTo(3);
        }
    }

    /** The kernel tells so few that most would wait in vain. */
    @OnEachTransport
    void whatOneHearsIsTrueForThoseWhoWait(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod a = new UdpPod("a");
                UdpPod b = new UdpPod("b");
                UdpClient waiting = new UdpClient(udp.serve(a));
                UdpClient hearing = new UdpClient(udp.serve(a))) {
            waiting.send("silence");
            assertThat(hearing.ask("who")).isEqualTo("a");
            await().untilAsserted(() -> assertThat(a.received()).isEqualTo(2));
            udp.serve(a, b);
            a.die();

            assertThat(hearing.ask("who")).isEqualTo("b");

            await().untilAsserted(() -> assertThat(b.received()).isEqualTo(2));
            assertThat(waiting.ask("who")).isEqualTo("b");
            assertThat(udp.count(Event.ACCEPTED)).isEqualTo(2);
        }
    }

    @OnEachTransport
    void aQuestionIsAskedAtFourDeadEndpointsAtMost(NettyTransport transport) throws Exception {
        List<Endpoint> dead = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            dead.add(closedPort());
        }
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpClient client =
                        new UdpClient(udp.serve(UdpProxy.servicePort(ExternalAccess.NONE, dead)))) {
            client.send("who");
            await().untilAsserted(() -> assertThat(udp.count(Event.UNANSWERED)).isEqualTo(1));
            assertThat(udp.count(Event.DIALLED)).isEqualTo(4);
        }
    }

    @OnEachTransport
    void answersAreUseAsWellWhenASessionMakesRoom(NettyTransport transport) throws Exception {
        // Two loops share the limit, and one socket is on one of them.
        try (UdpProxy udp = new UdpProxy(transport, 4);
                UdpPod pod = new UdpPod("a")) {
            InetSocketAddress service = udp.serve(pod);
            try (UdpClient listens = new UdpClient(service);
                    UdpClient idle = new UdpClient(service);
                    UdpClient comes = new UdpClient(service)) {
                listens.ask("who");
                SocketAddress listening = pod.last();
                idle.ask("who");
                pod.tell("one", listening);
                assertThat(listens.receive()).asString().isEqualTo("one");

                comes.ask("who");
                assertThat(udp.count(Event.SESSION_EVICTED)).isEqualTo(1);

                pod.tell("two", listening);
                assertThat(listens.receive()).asString().isEqualTo("two");
            }
        }
    }

    /** Each direction alone keeps it: a stream of answers, and one of questions. */
    @OnEachTransport
    void datagramsOfEitherSideKeepASession(NettyTransport transport) throws Exception {
        try (UdpProxy udp = new UdpProxy(transport, 100);
                UdpPod pod = new UdpPod("a")) {
            InetSocketAddress service = udp.serve(pod);
            try (UdpClient listens = new UdpClient(service);
                    UdpClient talks = new UdpClient(service)) {
                talks.send("silence");
                await().until(() -> pod.received() == 1);
                listens.ask("who");
                SocketAddress listening = pod.last();
                for (int i = 0; i < 20; i++) {
                    int seen = pod.received();
                    udp.pass(Duration.ofSeconds(20));
                    pod.tell("news", listening);
                    assertThat(listens.receive()).asString().isEqualTo("news");
                    talks.send("silence");
                    await().until(() -> pod.received() == seen + 1);
                }
                assertThat(udp.count(Event.ACCEPTED)).isEqualTo(2);
            }
        }
    }

    @OnEachTransport
    void aFaultEndsOneSessionAndIsAnError(NettyTransport transport) throws Exception {
        AtomicBoolean faulty = new AtomicBoolean(true);
        try (CapturedLog log = new CapturedLog(UdpSessions.class);
                UdpPod pod = new UdpPod("a");
                UdpProxy udp = new UdpProxy(transport, 100, new Faulty(faulty));
                UdpClient client = new UdpClient(udp.serve(pod))) {
            client.send("who");
            client.send("who");
            await().untilAsserted(() -> assertThat(udp.count(Event.FAULT)).isEqualTo(2));
            assertThat(udp.count(Event.ENDED)).isEqualTo(2);
            assertThat(log.lines())
                    .isNotEmpty()
                    .allMatch(line -> line.startsWith("ERROR") && line.contains("UDP session"));

            faulty.set(false);
            assertThat(client.ask("who")).isEqualTo("a");
        }
    }

    /** Selects the first endpoint, or fails. */
    private record Faulty(AtomicBoolean faulty) implements BackendSelectorFactory {
        @Override
        public BackendSelector selector(ServicePort servicePort, EndpointSet set, IpFamily family) {
            List<Endpoint> endpoints = servicePort.endpoints(set, family);
            return new BackendSelector() {
                @Override
                public Optional<Endpoint> select(IpAddress client, Set<Endpoint> tried) {
                    if (faulty.get()) {
                        throw new IllegalStateException("made by the test");
                    }
                    return endpoints.stream().findFirst();
                }

                @Override
                public void dialFailed(IpAddress client, Endpoint endpoint) {}
            };
        }

        @Override
        public void remove(ServicePortName name) {}
    }

    private static Endpoint closedPort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return Services.endpoint(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort()));
        }
    }
}
