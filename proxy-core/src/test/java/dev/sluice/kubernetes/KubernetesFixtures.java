package dev.sluice.kubernetes;

import dev.sluice.config.NodePortAddresses;
import dev.sluice.config.ProxyConfig.DetectLocal;
import dev.sluice.config.ProxyConfig.DetectLocal.Detection;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.EndpointAddressBuilder;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.EndpointsBuilder;
import io.fabric8.kubernetes.api.model.LoadBalancerIngressBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Objects as an API server would give them out. */
final class KubernetesFixtures {
    static final ServiceRules RULES = ServiceRules.of(LoopbackEndpoints.REFUSED);

    /** Node {@code a} in zone {@code z1} with the addresses 192.0.2.1 and fd00:2::1. */
    static final NodeContext NODE =
            new NodeContext(
                    "a",
                    Optional.of("z1"),
                    List.of(IpAddress.parse("192.0.2.1"), IpAddress.parse("fd00:2::1")),
                    LocalSources.NONE);

    private KubernetesFixtures() {}

    /** Node {@code a} with the address 192.0.2.1, on all of which NodePorts are served. */
    static OwnNode ownNode() {
        return ownNode(
                NodePortAddresses.parse(List.of("all")),
                new DetectLocal(Detection.NONE, List.of(), Optional.empty(), Optional.empty()),
                new FixedKernel("192.0.2.1"));
    }

    static OwnNode ownNode(
            NodePortAddresses nodePorts, DetectLocal detectLocal, NodeKernel kernel) {
        return new OwnNode("a", detectLocal, nodePorts, kernel);
    }

    /** A Service in namespace default with the TCP port {@code http} 80. */
    static Service service(String name, String... clusterIps) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .withUid("uid-" + name)
                .endMetadata()
                .withNewSpec()
                .withType("ClusterIP")
                .withClusterIP(clusterIps[0])
                .withClusterIPs(clusterIps)
                .addNewPort()
                .withName("http")
                .withPort(80)
                .withProtocol("TCP")
                .endPort()
                .endSpec()
                .build();
    }

    /** A Service of ClusterIP 10.96.0.1 and type LoadBalancer, NodePort 30080. */
    static Service loadBalancer(String name, String... ingressIps) {
        return new ServiceBuilder(service(name, "10.96.0.1"))
                .editSpec()
                .withType("LoadBalancer")
                .editPort(0)
                .withNodePort(30080)
                .endPort()
                .endSpec()
                .withNewStatus()
                .withNewLoadBalancer()
                .withIngress(
                        Arrays.stream(ingressIps)
                                .map(ip -> new LoadBalancerIngressBuilder().withIp(ip).build())
                                .toList())
                .endLoadBalancer()
                .endStatus()
                .build();
    }

    /** A ready endpoint on a node. */
    static Endpoint readyOn(String node, String address) {
        return new EndpointBuilder(ready(address)).withNodeName(node).build();
    }

    static Node node(String name) {
        return new NodeBuilder().withNewMetadata().withName(name).endMetadata().build();
    }

    /** A slice of port {@code http} 8080. */
    static EndpointSlice slice(String name, String service, Endpoint... endpoints) {
        String address =
                endpoints.length == 0 || endpoints[0].getAddresses().isEmpty()
                        ? ""
                        : endpoints[0].getAddresses().get(0);
        return new EndpointSliceBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .addToLabels("kubernetes.io/service-name", service)
                .endMetadata()
                .withAddressType(address.contains(":") ? "IPv6" : "IPv4")
                .addNewPort()
                .withName("http")
                .withPort(8080)
                .withProtocol("TCP")
                .endPort()
                .withEndpoints(endpoints)
                .build();
    }

    static Endpoint ready(String... addresses) {
        return endpoint(true, null, null, addresses);
    }

    static Endpoint endpoint(
            @Nullable Boolean ready,
            @Nullable Boolean serving,
            @Nullable Boolean terminating,
            String... addresses) {
        return new EndpointBuilder()
                .withAddresses(addresses)
                .withNewConditions()
                .withReady(ready)
                .withServing(serving)
                .withTerminating(terminating)
                .endConditions()
                .build();
    }

    /** An Endpoints object of port {@code http} 8080. */
    static Endpoints endpoints(String service, String... ready) {
        return new EndpointsBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(service)
                .endMetadata()
                .addNewSubset()
                .withAddresses(
                        Arrays.stream(ready)
                                .map(ip -> new EndpointAddressBuilder().withIp(ip).build())
                                .toList())
                .addNewPort()
                .withName("http")
                .withPort(8080)
                .endPort()
                .endSubset()
                .build();
    }

    /** A slice of {@code discovery.k8s.io/v1beta1} of port {@code http} 8080. */
    static io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSlice betaSlice(
            String name, String service, String address) {
        return new io.fabric8.kubernetes.api.model.discovery.v1beta1.EndpointSliceBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .addToLabels("kubernetes.io/service-name", service)
                .endMetadata()
                .withAddressType("IPv4")
                .addNewPort()
                .withName("http")
                .withPort(8080)
                .withProtocol("TCP")
                .endPort()
                .addNewEndpoint()
                .withAddresses(address)
                .withNewConditions()
                .withReady(true)
                .endConditions()
                .endEndpoint()
                .build();
    }

    /** Sorts the objects by their kinds. */
    static KubernetesObjects objects(Object... all) {
        return new KubernetesObjects(
                only(Service.class, all),
                only(EndpointSlice.class, all),
                only(Endpoints.class, all));
    }

    /** A snapshot of a new builder. */
    static ServiceSnapshot build(Object... all) {
        return build(NODE, all);
    }

    /** A snapshot of a new builder, on this node. */
    static ServiceSnapshot build(NodeContext node, Object... all) {
        return freshBuilder().build(objects(all), node);
    }

    static SnapshotBuilder freshBuilder() {
        return new SnapshotBuilder(RULES);
    }

    /** {@code NAME/PORT-NAME}: each key, in the default namespace. */
    static List<String> names(ServiceSnapshot snapshot) {
        return snapshot.servicePorts().keySet().stream()
                .map(name -> name.service().name() + "/" + name.port())
                .toList();
    }

    static List<String> endpointsOf(ServiceSnapshot snapshot, String service) {
        return snapshot.servicePorts().entrySet().stream()
                .filter(entry -> entry.getKey().service().name().equals(service))
                .flatMap(entry -> entry.getValue().endpoints().stream())
                .map(Object::toString)
                .toList();
    }

    static ServicePort only(ServiceSnapshot snapshot) {
        if (snapshot.servicePorts().size() != 1) {
            throw new AssertionError("not one Service port but " + snapshot);
        }
        return snapshot.servicePorts().values().iterator().next();
    }

    static List<String> problems(ServiceSnapshot snapshot) {
        return snapshot.problems().stream().map(Object::toString).toList();
    }

    private static <T> List<T> only(Class<T> type, Object... all) {
        return Stream.of(all).filter(type::isInstance).map(type::cast).toList();
    }

    /** The port {@code http} of some Services of namespace default can't be served. */
    static ReconcileStatus portsFail(String why, String... services) {
        SortedMap<ServicePortName, String> failures = new TreeMap<>();
        for (String service : services) {
            failures.put(ServicePortName.of("default", service, "http", Protocol.TCP), why);
        }
        return new ReconcileStatus(
                true, List.of(), failures, new TreeMap<>(), Optional.empty(), true, Map.of());
    }
}
