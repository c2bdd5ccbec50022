package dev.sluice.cluster;

import static dev.sluice.cluster.Lab.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kubernetes.RbacManifest;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code docker/rbac.yaml} grants what the program needs, and nothing else. */
@Tag("cluster")
@Timeout(180)
class RbacIT {
    @Test
    void withSlicesEachVerbIsNeededAndTheLogNamesAMissingOne() throws Exception {
        try (Lab lab = new Lab(Map.of("AUTHZ", "RBAC"))) {
            checkGrants(lab.controlPlane());
            checkServes(lab);
            checkEachVerbIsNeeded(lab, "services");
            checkEachVerbIsNeeded(lab, "endpointslices");
            checkEachVerbIsNeeded(lab, "nodes");
            checkEventsAreLeftOutWithoutTheRight(lab);
        }
    }

    @Test
    void withoutSlicesSoAreThoseOnEndpoints() throws Exception {
        Map<String, String> settings =
                Map.of("AUTHZ", "RBAC", "RUNTIME_CONFIG", "discovery.k8s.io/v1beta1=false");
        try (Lab lab = new Lab(settings)) {
            checkGrants(lab.controlPlane());
            checkEachVerbIsNeeded(lab, "endpoints");
        }
    }

    private static void checkGrants(ControlPlane controlPlane) throws IOException {
        String manifest = Rbac.manifest();
        controlPlane.apply(manifest);
        eventually(
                () ->
                        assertThat(Rbac.allowed(controlPlane))
                                .isNotEmpty()
                                .isEqualTo(RbacManifest.granted(manifest)));
    }

    private static void checkServes(Lab lab) throws IOException {
        HandMadeService web = HandMadeService.of("web", "10.96.1.1");
        lab.controlPlane().apply(web.yaml(lab.a()));
        try (SluiceOnNode sluice = new SluiceOnNode(lab)) {
            sluice.start();
            assertThat(lab.client().ask(web.address())).isEqualTo("a");
        }
    }

    private static void checkEventsAreLeftOutWithoutTheRight(Lab lab) throws IOException {
        ControlPlane controlPlane = lab.controlPlane();
        controlPlane.apply(Rbac.withoutRule("events"));
        HandMadeService looped = HandMadeService.of("looped", "10.96.1.9");
        controlPlane.apply(looped.serviceYaml());
        controlPlane.apply(
                """
                apiVersion: discovery.k8s.io/v1beta1
                kind: EndpointSlice
                metadata: {name: looped-1, labels: {kubernetes.io/service-name: looped}}
                addressType: IPv4
                ports: [{name: http, port: 80}]
                endpoints: [{addresses: [10.96.1.9], conditions: {ready: true}}]
                """);
        try (SluiceOnNode sluice = new SluiceOnNode(lab)) {
            sluice.launch();
            sluice.process().awaitLog("no Events are written from now on");
        }
    }

    private static void checkEachVerbIsNeeded(Lab lab, String resource) throws IOException {
        checkMissing(lab, "list", resource, "cannot list resource \"" + resource + "\"");
        checkMissing(lab, "watch", resource, "watch=true. Message: Forbidden");
    }

    private static void checkMissing(Lab lab, String verb, String resource, String message)
            throws IOException {
        ControlPlane controlPlane = lab.controlPlane();
        String manifest = Rbac.without(verb, resource);
        controlPlane.apply(manifest);
        eventually(
                () ->
                        assertThat(Rbac.allowed(controlPlane))
                                .isEqualTo(RbacManifest.granted(manifest)));
        try (SluiceOnNode sluice = new SluiceOnNode(lab)) {
            sluice.launch();
            assertThat(sluice.process().awaitLog(message).log().lines())
                    .anySatisfy(
                            line -> assertThat(line).contains("WARN", resource + " of", message));
        }
    }
}
