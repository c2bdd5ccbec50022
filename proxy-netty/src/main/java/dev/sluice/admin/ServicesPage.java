package dev.sluice.admin;

import dev.sluice.affinity.AffinitySelectorFactory;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Problem;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.netty.ConnectionCounters;
import dev.sluice.netty.ConnectionCounters.Event;
import dev.sluice.netty.ServedPort;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import tools.jackson.core.JsonGenerator;

/**
 * {@code /api/v1/services}: each Service port with what it serves and what became of it, and what
 * was left out.
 *
 * <p>Threads: the admin loop only.
 */
final class ServicesPage implements Page {
    private final FreshTraffic traffic;
    private final AffinitySelectorFactory affinity;
    private final Supplier<ReconcileStatus> status;
    private final JsonPage json = new JsonPage();

    ServicesPage(
            FreshTraffic traffic,
            AffinitySelectorFactory affinity,
            Supplier<ReconcileStatus> status) {
        this.traffic = traffic;
        this.affinity = affinity;
        this.status = status;
    }

    @Override
    public CompletionStage<Reply> reply(PageRequest request) {
        request.allowOnly("namespace", "service");
        return traffic.reply(() -> json.reply(out -> write(out, request)));
    }

    private void write(JsonGenerator out, PageRequest request) {
        ReconcileStatus now = status.get();
        SortedMap<ServicePortName, String> failures = new TreeMap<>(now.portFailures());
        failures.keySet().removeIf(request.servicePorts().negate());
        out.writeArrayPropertyStart("servicePorts");
        for (ServedPort served : traffic.traffic().servedPorts()) {
            ServicePortName name = served.servicePort().name();
            if (request.servicePorts().test(name)) {
                out.writeStartObject();
                writeName(out, name);
                write(out, served);
                out.writeStringProperty("failure", failures.remove(name));
                out.writeEndObject();
            }
        }
        // Those that could not be opened at all.
        failures.forEach(
                (name, failure) -> {
                    out.writeStartObject();
                    writeName(out, name);
                    out.writeStringProperty("failure", failure);
                    out.writeEndObject();
                });
        out.writeEndArray();
        writeProblems(out, now.problems());
    }

    static void writeName(JsonGenerator out, ServicePortName name) {
        out.writeStringProperty("namespace", name.service().namespace());
        out.writeStringProperty("service", name.service().name());
        out.writeStringProperty("port", name.port());
        out.writeStringProperty("protocol", name.protocol().name());
    }

    private void write(JsonGenerator out, ServedPort served) {
        ServicePort servicePort = served.servicePort();
        out.writeArrayPropertyStart("frontEnds");
        for (FrontEnd frontEnd : servicePort.frontEnds()) {
            writeAddress(out, frontEnd.address().toString(), frontEnd.port());
        }
        out.writeEndArray();
        out.writeObjectPropertyStart("listener");
        out.writeStringProperty("address", IpAddress.of(served.address().getAddress()).toString());
        out.writeNumberProperty("port", served.address().getPort());
        out.writeBooleanProperty("accepting", served.accepting());
        out.writeEndObject();
        writeAffinity(out, servicePort);
        out.writeArrayPropertyStart("endpoints");
        for (Endpoint endpoint : servicePort.endpoints()) {
            out.writeStartObject();
            out.writeStringProperty("address", endpoint.address().toString());
            out.writeNumberProperty("port", endpoint.port());
            out.writeStringProperty("state", "usable");
            out.writeEndObject();
        }
        out.writeEndArray();
        writeCounters(out, served.counters());
    }

    private static void writeAddress(JsonGenerator out, String address, int port) {
        out.writeStartObject();
        out.writeStringProperty("address", address);
        out.writeNumberProperty("port", port);
        out.writeEndObject();
    }

    private void writeAffinity(JsonGenerator out, ServicePort servicePort) {
        out.writeObjectPropertyStart("affinity");
        if (servicePort.affinity() instanceof SessionAffinity.ClientIp clientIp) {
            out.writeStringProperty("type", "ClientIP");
            out.writeNumberProperty("timeoutSeconds", clientIp.timeout().toSeconds());
            out.writeNumberProperty("entries", affinity.pins(servicePort.name()));
        } else {
            out.writeStringProperty("type", "None");
        }
        out.writeEndObject();
    }

    private static void writeCounters(JsonGenerator out, ConnectionCounters counters) {
        out.writeObjectPropertyStart("connections");
        out.writeNumberProperty("opened", counters.get(Event.ACCEPTED));
        out.writeNumberProperty("active", counters.active());
        JsonPage.counts(out, "failed", Outcomes.happened(Outcomes.FAILED, counters::get));
        JsonPage.counts(out, "broken", Outcomes.happened(Outcomes.BROKEN, counters::get));
        out.writeNumberProperty("bytesFromClients", counters.bytesFromClients());
        out.writeNumberProperty("bytesFromEndpoints", counters.bytesFromEndpoints());
        out.writeEndObject();
        out.writeObjectPropertyStart("dials");
        out.writeNumberProperty("tries", counters.get(Event.DIALLED));
        out.writeNumberProperty("retries", counters.get(Event.DIAL_RETRIED));
        JsonPage.counts(out, "failed", Outcomes.happened(Outcomes.DIALS_FAILED, counters::get));
        out.writeEndObject();
    }

    private static void writeProblems(JsonGenerator out, List<Problem> problems) {
        out.writeArrayPropertyStart("problems");
        for (Problem problem : problems) {
            out.writeStartObject();
            out.writeStringProperty("where", problem.where());
            out.writeStringProperty("field", problem.field());
            out.writeStringProperty("value", problem.value());
            out.writeStringProperty("rule", problem.rule());
            out.writeEndObject();
        }
        out.writeEndArray();
    }
}
