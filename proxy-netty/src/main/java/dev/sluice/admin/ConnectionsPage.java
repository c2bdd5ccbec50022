package dev.sluice.admin;

import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.netty.ConnectionStatus;
import dev.sluice.netty.Traffic;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JsonGenerator;

/**
 * {@code /api/v1/connections}: live connections and UDP sessions, the oldest first.
 *
 * <p>Threads: the admin loop only; event loops are asked and waited for without blocking.
 */
final class ConnectionsPage implements Page {
    private static final int USUAL_LIMIT = 1000;
    private static final int HIGHEST_LIMIT = 10_000;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final double NANOS_PER_SECOND = 1e9;

    private final Traffic traffic;
    private final Executor adminLoop;
    private final JsonPage json = new JsonPage();

    ConnectionsPage(Traffic traffic, Executor adminLoop) {
        this.traffic = traffic;
        this.adminLoop = adminLoop;
    }

    @Override
    public CompletionStage<Reply> reply(PageRequest request) {
        request.allowOnly("limit", "namespace", "service");
        int limit = request.number("limit", USUAL_LIMIT, 1, HIGHEST_LIMIT);
        return traffic.connections(request.servicePorts(), limit)
                .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .thenApplyAsync(sample -> json.reply(out -> write(out, sample)), adminLoop);
    }

    private static void write(JsonGenerator out, ConnectionStatus.Sample sample) {
        out.writeNumberProperty("total", sample.total());
        out.writeBooleanProperty("truncated", sample.total() > sample.oldest().size());
        out.writeArrayPropertyStart("connections");
        sample.oldest().forEach(connection -> write(out, connection));
        out.writeEndArray();
    }

    private static void write(JsonGenerator out, ConnectionStatus connection) {
        out.writeStartObject();
        ServicesPage.writeName(out, connection.servicePort());
        out.writeStringProperty("client", connection.client().withPort(connection.clientPort()));
        // Null where nothing redirects: such a client asked for the listener. Null for UDP, too.
        out.writeStringProperty(
                "frontEnd", connection.frontEnd().map(FrontEnd::toString).orElse(null));
        out.writeStringProperty(
                "endpoint", connection.endpoint().map(Endpoint::toString).orElse(null));
        out.writeStringProperty("phase", phase(connection.phase()));
        out.writeNumberProperty("ageSeconds", connection.age().toNanos() / NANOS_PER_SECOND);
        out.writeNumberProperty("bytesFromClient", connection.bytesFromClient());
        out.writeNumberProperty("bytesFromEndpoint", connection.bytesFromEndpoint());
        out.writeEndObject();
    }

    private static String phase(ConnectionStatus.Phase phase) {
        return phase.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
