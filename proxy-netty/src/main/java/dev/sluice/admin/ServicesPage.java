package dev.sluice.admin;

import dev.sluice.affinity.AffinitySelectorFactory;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.model.Endpoint;
import dev.sluice.model.ExternalAccess;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Problem;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import dev.sluice.model.TrafficPolicy;
import dev.sluice.netty.ConnectionCounters;
import dev.sluice.netty.ConnectionCounters.Event;
import dev.sluice.netty.ServedPort;
import java.util.List;
import java.util.Set;
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
        servicePort.kinds().forEach((frontEnd, kind) -> writeFrontEnd(out, frontEnd, kind));
        out.writeEndArray();
        writePolicies(out, servicePort);
        out.writeObjectPropertyStart("listener");
        out.writeStringProperty("address", IpAddress.of(served.address().getAddress()).toString());
        out.writeNumberProperty("port", served.address().getPort());
        out.writeBooleanProperty("accepting", served.accepting());
        out.writeEndObject();
        writeAffinity(out, servicePort);
        out.writeArrayPropertyStart("nodePorts");
        served.nodePorts()
                .forEach(
                        address ->
                                writeAddress(
                                        out,
                                        IpAddress.of(address.getAddress()).toString(),
                                        address.getPort()));
        out.writeEndArray();
        writeEndpoints(out, servicePort);
        writeCounters(out, served.counters());
    }

    private static void writeFrontEnd(JsonGenerator out, FrontEnd frontEnd, FrontEndKind kind) {
        out.writeStartObject();
        out.writeStringProperty("address", frontEnd.address().toString());
        out.writeNumberProperty("port", frontEnd.port());
        out.writeStringProperty(
                "kind",
                switch (kind) {
                    case CLUSTER_IP -> "clusterIP";
                    case NODE_PORT -> "nodePort";
                    case LOAD_BALANCER_IP -> "loadBalancerIP";
                    case EXTERNAL_IP -> "externalIP";
                });
        out.writeEndObject();
    }

    private static void writePolicies(JsonGenerator out, ServicePort servicePort) {
        ExternalAccess external = servicePort.external();
        out.writeStringProperty("internalTrafficPolicy", name(servicePort.internalPolicy()));
        out.writeStringProperty("externalTrafficPolicy", name(external.policy()));
        if (external.sourceRanges().limited()) {
            out.writeArrayPropertyStart("sourceRanges");
            external.sourceRanges().ranges().forEach(range -> out.writeString(range.toString()));
            out.writeEndArray();
        }
    }

    /** As the API writes it. */
    private static String name(TrafficPolicy policy) {
        return policy == TrafficPolicy.LOCAL ? "Local" : "Cluster";
    }

    private static void writeEndpoints(JsonGenerator out, ServicePort servicePort) {
        Set<Endpoint> local = Set.copyOf(servicePort.localEndpoints());
        out.writeArrayPropertyStart("endpoints");
        for (Endpoint endpoint : servicePort.endpoints()) {
            writeEndpoint(out, endpoint, local.contains(endpoint) ? "local" : "usable");
        }
        // One that only a policy of Local still uses: it is about to end, and others are ready.
        servicePort.localEndpoints().stream()
                .filter(endpoint -> !servicePort.endpoints().contains(endpoint))
                .forEach(endpoint -> writeEndpoint(out, endpoint, "local only"));
        out.writeEndArray();
    }

    private static void writeEndpoint(JsonGenerator out, Endpoint endpoint, String state) {
        out.writeStartObject();
        out.writeStringProperty("address", endpoint.address().toString());
        out.writeNumberProperty("port", endpoint.port());
        out.writeStringProperty("state", state);
        out.writeEndObject();
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
