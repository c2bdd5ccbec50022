package dev.sluice.benchmark;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.SessionAffinity;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A cluster of equal Services: {@code svc-0}, {@code svc-1} and so on in namespace {@code default},
 * each with the TCP port {@code http} 80 and endpoints of its own at port 8080.
 *
 * <p>Immutable; any thread.
 *
 * @param services at most 65536
 * @param endpoints of each Service; of all of them, at most 2^23
 */
public record ManyServices(int services, int endpoints) {
    private static final int FIRST_CLUSTER_IP = 0x0A60_0000;
    private static final int FIRST_POD = 0x0A80_0000;

    /** Reads {@code SERVICESxENDPOINTS}, such as {@code 2000x5}. */
    public static ManyServices parse(String size) {
        String[] parts = size.split("x", 2);
        return new ManyServices(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }

    /** {@code svc-7}. */
    public static String name(int service) {
        return "svc-" + service;
    }

    /** {@code 10.96.0.7}. */
    public static IpAddress clusterIp(int service) {
        return address(FIRST_CLUSTER_IP + service);
    }

    /** The endpoints of a Service, in ascending order. */
    public List<Endpoint> endpoints(int service) {
        return IntStream.range(service * endpoints, (service + 1) * endpoints)
                .mapToObj(pod -> new Endpoint(address(FIRST_POD + pod), 8080))
                .toList();
    }

    /** A Service over some endpoints. */
    public static ServicePort servicePort(int service, List<Endpoint> endpoints) {
        return new ServicePort(
                ServicePortName.of("default", name(service), "http", Protocol.TCP),
                List.of(clusterIp(service)),
                80,
                SessionAffinity.NONE,
                endpoints);
    }

    /** All of them by key. */
    public SortedMap<ServicePortName, ServicePort> servicePorts() {
        SortedMap<ServicePortName, ServicePort> all = new TreeMap<>();
        for (int i = 0; i < services; i++) {
            ServicePort servicePort = servicePort(i, endpoints(i));
            all.put(servicePort.name(), servicePort);
        }
        return all;
    }

    private static IpAddress address(int bits) {
        return IpAddress.of(ByteBuffer.allocate(4).putInt(bits).array());
    }
}
