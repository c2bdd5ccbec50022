package dev.sluice.control;

import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import java.util.List;
import java.util.stream.Stream;

/** Short ways to write Service ports. Threads: any. */
final class ServicePorts {
    private ServicePorts() {}

    static ServicePortName name(String service) {
        return ServicePortName.of("default", service, "http", Protocol.TCP);
    }

    /** A Service port on port 80 with these endpoints. */
    static ServicePort port(String service, List<String> clusterIps, String... endpoints) {
        return new ServicePort(
                name(service),
                clusterIps.stream().map(IpAddress::parse).toList(),
                80,
                SessionAffinity.NONE,
                Stream.of(endpoints)
                        .map(address -> new Endpoint(IpAddress.parse(address), 8080))
                        .toList());
    }

    static ServicePort port(String service, String clusterIp, String... endpoints) {
        return port(service, List.of(clusterIp), endpoints);
    }

    static FrontEnd frontEnd(String clusterIp) {
        return new FrontEnd(IpAddress.parse(clusterIp), 80, Protocol.TCP);
    }
}
