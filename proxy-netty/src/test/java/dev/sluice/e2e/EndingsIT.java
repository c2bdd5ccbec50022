package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.eventually;
import static dev.sluice.e2e.Testbed.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.peer.Behaviour;
import dev.sluice.peer.Content;
import dev.sluice.peer.Ending;
import dev.sluice.peer.Received;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each end of a connection sees how the other one ended it, through the redirect as well. */
@Timeout(60)
class EndingsIT {
    private static final InetSocketAddress WEB4 = service("10.96.0.1");
    private static final InetSocketAddress WEB6 = service("fd00:96::1");
    private static final int MIB = 1 << 20;
    private static final int KIB = 1 << 10;

    @RegisterExtension private final Testbed bed = new Testbed();

    @BeforeEach
    void oneEndpoint() throws Exception {
        bed.apply(ServiceManifest.named("web", "10.96.0.1", "fd00:96::1").withEndpoints(bed.a()));
        bed.start();
    }

    @Test
    void aReplyThatBeginsAfterTheClientsEndArrivesWhole() throws Exception {
        bed.a()
                .serve(
                        () ->
                                Behaviour.answerAfterEnd(
                                        Duration.ofMillis(50), Content.of(0), 8 * MIB));

        for (Pod client : bed.clients()) {
            for (InetSocketAddress service : new InetSocketAddress[] {WEB4, WEB6}) {
                assertThat(client.exchange(service, 1000))
                        .as(client + " to " + service)
                        .isEqualTo(Received.intact(8 * MIB, Ending.EOF));
            }
        }
    }

    @Test
    void aResetAtOnceIsAReset() throws Exception {
        bed.a().serve(Behaviour::resetOnAccept);

        for (Pod client : bed.clients()) {
            assertThat(client.fetch(WEB4)).isEqualTo(Received.intact(0, Ending.RESET));
            assertThat(client.fetch(WEB6)).isEqualTo(Received.intact(0, Ending.RESET));
        }
    }

    @Test
    void aResetInTheMiddleOfAReplyIsAReset() throws Exception {
        bed.a()
                .serve(
                        () ->
                                peer -> {
                                    peer.send(Content.of(0), 4 * MIB);
                                    peer.reset();
                                });

        for (Pod client : bed.clients()) {
            Received received = client.fetch(WEB4);

            assertThat(received.ending()).isEqualTo(Ending.RESET);
            assertThat(received.isPrefix()).isTrue();
            assertThat(received.bytes()).isPositive();
        }
    }

    @Test
    void aResetAfterACompleteReplyComesAfterTheReply() throws Exception {
        bed.a()
                .serve(
                        () ->
                                peer -> {
                                    peer.send(Content.of(0), 64 * KIB);
                                    peer.awaitAcknowledged();
                                    peer.reset();
                                });

        for (Pod client : bed.clients()) {
            for (int i = 0; i < 10; i++) {
                assertThat(client.fetch(WEB4)).isEqualTo(Received.intact(64 * KIB, Ending.RESET));
                assertThat(client.fetch(WEB6)).isEqualTo(Received.intact(64 * KIB, Ending.RESET));
            }
        }
    }

    @Test
    void aClientThatResetsEndsTheBackendsConnection() throws Exception {
        bed.a().serve(Behaviour::echo);
        Connection connection = bed.routedClient().connect(WEB4);
        assertThat(connection.echo("hello")).isEqualTo("hello");
        assertThat(bed.a().openConnections()).isEqualTo(1);

        connection.reset();

        eventually(() -> assertThat(bed.a().openConnections()).isZero());
    }
}
