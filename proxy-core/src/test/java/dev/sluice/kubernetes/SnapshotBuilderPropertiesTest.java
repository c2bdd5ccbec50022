package dev.sluice.kubernetes;

import static dev.sluice.kubernetes.KubernetesFixtures.ready;
import static dev.sluice.kubernetes.KubernetesFixtures.service;
import static dev.sluice.kubernetes.KubernetesFixtures.slice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

class SnapshotBuilderPropertiesTest {
    private static final @Nullable Object[] ODD_VALUES = {
        null,
        "",
        "None",
        "x",
        -1,
        0,
        65_536,
        Integer.MAX_VALUE,
        "127.0.0.1",
        "10.010.0.1",
        "::ffff:127.0.0.1",
        "fe80::1%1",
        "10.96.0.1",
        "UDP",
        "ExternalName",
        true,
        "2024-13-01T00:00:00Z",
        "a\nb"
    };

    private final KubernetesSerialization serialization = new KubernetesSerialization();

    /** Events of a watch in any order: put, replayed, deleted, made anew, listed again. */
    @Property(tries = 300)
    void aBuilderThatRemembersEqualsANewOne(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int events) {
        Random random = new Random(seed);
        Map<String, Service> services = new HashMap<>();
        Map<String, EndpointSlice> slices = new HashMap<>();
        SnapshotBuilder builder = new SnapshotBuilder(KubernetesFixtures.RULES);
        ServiceSnapshot before = ServiceSnapshot.EMPTY;
        for (int version = 1; version <= events; version++) {
            change(random, services, slices, version);
            ServiceSnapshot now =
                    builder.build(shuffled(random, services, slices), KubernetesFixtures.NODE);

            assertThat(now)
                    .isEqualTo(
                            new SnapshotBuilder(KubernetesFixtures.RULES)
                                    .build(
                                            shuffled(random, services, slices),
                                            KubernetesFixtures.NODE));
            assertEqualOnesAreTheSame(before, now);
            before = now;
        }
    }

    /** Any part of any object gone or wrong: the others are served and nothing forbidden is. */
    @Property(tries = 2_000)
    void noGarbledObjectMakesABuildFail(@ForAll long seed) {
        Random random = new Random(seed);
        Service service =
                garbled(random, service("odd", "10.96.0.66", "fd00:96::66"), Service.class);
        EndpointSlice slice =
                garbled(
                        random,
                        slice("odd-1", "odd", ready("10.244.6.6"), ready("10.244.6.7")),
                        EndpointSlice.class);

        ServiceSnapshot snapshot =
                new SnapshotBuilder(KubernetesFixtures.RULES)
                        .build(
                                KubernetesFixtures.objects(
                                        service,
                                        slice,
                                        service("web", "10.96.0.1"),
                                        slice("web-1", "web", ready("10.244.0.5"))),
                                KubernetesFixtures.NODE);

        assertThat(KubernetesFixtures.endpointsOf(snapshot, "web")).contains("10.244.0.5:8080");
        Set<IpAddress> served = new HashSet<>();
        for (ServicePort port : snapshot.servicePorts().values()) {
            assertThat(port.name().protocol()).isNotEqualTo(Protocol.SCTP);
            served.addAll(port.clusterIps());
            port.endpoints().stream().map(Endpoint::address).forEach(served::add);
        }
        assertThat(served)
                .noneMatch(IpAddress::isLoopback)
                .noneMatch(IpAddress::isLinkLocal)
                .noneMatch(IpAddress::isUnspecified);
    }

    private static void change(
            Random random,
            Map<String, Service> services,
            Map<String, EndpointSlice> slices,
            int version) {
        String name = "s" + random.nextInt(3);
        String sliceName = name + "-" + random.nextInt(3);
        switch (random.nextInt(6)) {
            case 0 -> services.remove(name);
            case 1 -> slices.remove(sliceName);
            case 2 -> {
                // An event that comes twice brings an equal copy of what is known.
                services.replaceAll((key, service) -> service.toBuilder().build());
                slices.replaceAll((key, slice) -> slice.toBuilder().build());
            }
            case 3 -> services.put(name, versioned(random, randomService(random, name), version));
            default ->
                    slices.put(
                            sliceName,
                            versioned(random, randomSlice(random, sliceName, name), version));
        }
    }

    /** Few ClusterIPs, so that Services get in each other's way. */
    private static Service randomService(Random random, String name) {
        Service service = service(name, "10.96.0." + random.nextInt(4));
        service.getSpec().getPorts().get(0).setPort(random.nextInt(3));
        if (random.nextInt(5) == 0) {
            service.getSpec().setType("ExternalName");
        }
        if (random.nextBoolean()) {
            service.getMetadata()
                    .setCreationTimestamp("2024-01-0" + (1 + random.nextInt(5)) + "T00:00:00Z");
        }
        return service;
    }

    /** Few addresses, so that slices share them; some are ClusterIPs and some are forbidden. */
    private static EndpointSlice randomSlice(Random random, String name, String service) {
        EndpointSlice slice = slice(name, service);
        slice.setAddressType("IPv4");
        List<io.fabric8.kubernetes.api.model.discovery.v1.Endpoint> endpoints = new ArrayList<>();
        String[] prefixes = {"10.244.0.", "10.244.0.", "10.244.0.", "10.96.0.", "127.0.0."};
        for (int i = random.nextInt(4); i > 0; i--) {
            io.fabric8.kubernetes.api.model.discovery.v1.Endpoint endpoint =
                    ready(prefixes[random.nextInt(prefixes.length)] + random.nextInt(4));
            endpoint.setConditions(
                    new EndpointConditions(
                            random.nextBoolean(), random.nextBoolean(), random.nextBoolean()));
            endpoints.add(endpoint);
        }
        slice.setEndpoints(endpoints);
        return slice;
    }

    private static <T extends HasMetadata> T versioned(Random random, T object, int version) {
        if (random.nextInt(3) > 0) {
            object.getMetadata().setUid(object.getMetadata().getName());
            object.getMetadata().setResourceVersion(Integer.toString(version));
        }
        return object;
    }

    private static KubernetesObjects shuffled(
            Random random, Map<String, Service> services, Map<String, EndpointSlice> slices) {
        List<Service> someServices = new ArrayList<>(services.values());
        List<EndpointSlice> someSlices = new ArrayList<>(slices.values());
        Collections.shuffle(someServices, random);
        Collections.shuffle(someSlices, random);
        return new KubernetesObjects(someServices, someSlices, List.of());
    }

    private static void assertEqualOnesAreTheSame(ServiceSnapshot before, ServiceSnapshot now) {
        for (Map.Entry<ServicePortName, ServicePort> entry : now.servicePorts().entrySet()) {
            ServicePort old = before.servicePorts().get(entry.getKey());
            if (entry.getValue().equals(old)) {
                assertThat(entry.getValue()).isSameAs(old);
            }
        }
    }

    /**
     * Replaces up to three values somewhere in the object; what no longer fits its type is kept
     * out.
     */
    private <T extends HasMetadata> T garbled(Random random, T object, Class<T> type) {
        T last = object;
        for (int i = random.nextInt(4); i > 0; i--) {
            @SuppressWarnings("unchecked")
            Map<String, @Nullable Object> tree = serialization.convertValue(last, Map.class);
            garble(random, tree);
            try {
                last = serialization.convertValue(tree, type);
            } catch (IllegalArgumentException e) {
                // Such an object never comes out of the client either.
            }
        }
        return last;
    }

    @SuppressWarnings("unchecked")
    private static void garble(Random random, @Nullable Object node) {
        if (node instanceof Map<?, ?> map && !map.isEmpty()) {
            List<String> keys = new ArrayList<>(((Map<String, ?>) map).keySet());
            String key = keys.get(random.nextInt(keys.size()));
            Object child = map.get(key);
            if (isTree(child) && random.nextInt(5) > 0) {
                garble(random, child);
            } else {
                ((Map<String, @Nullable Object>) map).put(key, oddValue(random));
            }
        } else if (node instanceof List<?> list && !list.isEmpty()) {
            int index = random.nextInt(list.size());
            Object child = list.get(index);
            if (isTree(child) && random.nextInt(5) > 0) {
                garble(random, child);
            } else {
                ((List<@Nullable Object>) list).set(index, oddValue(random));
            }
        }
    }

    private static boolean isTree(@Nullable Object value) {
        return value instanceof Map<?, ?> || value instanceof List<?>;
    }

    private static @Nullable Object oddValue(Random random) {
        return ODD_VALUES[random.nextInt(ODD_VALUES.length)];
    }
}
