package dev.sluice.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.control.OpenListener;
import dev.sluice.control.ServiceListeners;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LoggingServiceListenersTest {
    private static final ServicePortName NAME =
            ServicePortName.of("default", "web", "http", Protocol.TCP);

    private final Logger logger = (Logger) LoggerFactory.getLogger(LoggingServiceListeners.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final NextPort real = new NextPort();
    private final LoggingServiceListeners listeners =
            new LoggingServiceListeners(real, IpAddress.parse("127.0.0.1"));

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(logged);
    }

    @Test
    void tellsWhatAPersonCanConnectTo() throws IOException {
        assertThat(listeners.open(port(80, "10.244.0.1", "10.96.0.10", "fd00::a")).port())
                .isEqualTo(23_456);

        assertThat(lines())
                .containsExactly(
                        "default/web:http/tcp 10.96.0.10:80 [fd00::a]:80 -> 127.0.0.1:23456");
    }

    @Test
    void aChangeOfEndpointsIsNoNews() throws IOException {
        listeners.open(port(80, "10.244.0.1", "10.96.0.10"));
        listeners.update(port(80, "10.244.0.2", "10.96.0.10"));
        assertThat(lines()).hasSize(1);

        listeners.update(port(81, "10.244.0.2", "10.96.0.10"));
        real.port = 23_457;
        listeners.update(port(81, "10.244.0.2", "10.96.0.10"));
        assertThat(lines().skip(1))
                .containsExactly(
                        "default/web:http/tcp 10.96.0.10:81 -> 127.0.0.1:23456",
                        "default/web:http/tcp 10.96.0.10:81 -> 127.0.0.1:23457");
    }

    @Test
    void tellsWhatIsGone() throws IOException {
        listeners.open(port(80, "10.244.0.1", "10.96.0.10"));
        listeners.close(NAME);

        assertThat(real.closed).isTrue();
        assertThat(lines().skip(1))
                .containsExactly("default/web:http/tcp closed, was 127.0.0.1:23456");
    }

    @Test
    void aListenerThatDidNotOpenIsNotTold() {
        real.port = 0;

        assertThatThrownBy(() -> listeners.open(port(80, "10.244.0.1", "10.96.0.10")))
                .hasMessage("no port");
        assertThat(lines()).isEmpty();
    }

    private Stream<String> lines() {
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage);
    }

    private static ServicePort port(int port, String endpoint, String... clusterIps) {
        return new ServicePort(
                NAME,
                Stream.of(clusterIps).map(IpAddress::parse).toList(),
                port,
                SessionAffinity.NONE,
                List.of(new Endpoint(IpAddress.parse(endpoint), 8080)));
    }

    /** Answers with the port it is given. */
    private static final class NextPort implements ServiceListeners {
        private int port = 23_456;
        private boolean closed;

        @Override
        public OpenListener open(ServicePort servicePort) throws IOException {
            if (port == 0) {
                throw new IOException("no port");
            }
            return new OpenListener(port, Map.of());
        }

        @Override
        public OpenListener update(ServicePort servicePort) {
            return new OpenListener(port, Map.of());
        }

        @Override
        public void close(ServicePortName name) {
            closed = true;
        }
    }
}
