package dev.sluice.kubernetes;

import dev.sluice.benchmark.ManyServices;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** From the objects of watches to a snapshot. Threads: JMH's, one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SnapshotBuilderBenchmark {
    /** Services and endpoints of each. */
    @Param({"2000x5", "10000x10"})
    public String cluster = "";

    private final List<Service> services = new ArrayList<>();
    private final List<EndpointSlice> slices = new ArrayList<>();
    private SnapshotBuilder builder;
    private EndpointSlice other;
    private int changing;

    /** Makes the objects, and a builder that knows them. */
    @Setup
    public void setUp() {
        ManyServices all = ManyServices.parse(cluster);
        for (int i = 0; i < all.services(); i++) {
            Service service =
                    KubernetesFixtures.service(
                            ManyServices.name(i), ManyServices.clusterIp(i).toString());
            service.getMetadata().setResourceVersion("1");
            services.add(service);
            slices.add(slice(i, all.endpoints(i), "1"));
        }
        changing = all.services() / 2;
        List<dev.sluice.model.Endpoint> endpoints = all.endpoints(changing);
        other = slice(changing, endpoints.subList(1, endpoints.size()), "2");
        builder = KubernetesFixtures.freshBuilder();
        build(builder);
    }

    private static EndpointSlice slice(
            int service, List<dev.sluice.model.Endpoint> endpoints, String resourceVersion) {
        String name = ManyServices.name(service);
        EndpointSlice slice =
                KubernetesFixtures.slice(
                        name + "-1",
                        name,
                        endpoints.stream()
                                .map(pod -> KubernetesFixtures.ready(pod.address().toString()))
                                .toArray(Endpoint[]::new));
        slice.getMetadata().setUid("uid-" + name + "-1");
        slice.getMetadata().setResourceVersion(resourceVersion);
        return slice;
    }

    private ServiceSnapshot build(SnapshotBuilder by) {
        return by.build(
                new KubernetesObjects(services, slices, List.of()), KubernetesFixtures.NODE);
    }

    /** The first snapshot of a process. */
    @Benchmark
    public ServiceSnapshot all() {
        return build(KubernetesFixtures.freshBuilder());
    }

    /** The next one, with one slice that has lost an endpoint, or has it back. */
    @Benchmark
    public ServiceSnapshot afterOneSlice() {
        other = slices.set(changing, other);
        return build(builder);
    }
}
