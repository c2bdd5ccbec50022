package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code docker/rbac.yaml} grants each request that is made, and no other. */
@Timeout(60)
class ApiRightsTest {
    private static final Path RBAC = Path.of("../docker/rbac.yaml");
    private static final Pattern RESOURCE =
            Pattern.compile("/(?:api|apis/([^/]+))/v[^/]+/(?:namespaces/[^/]+/)?([^/]+)(/[^/]+)?");

    @Test
    void requestsAndGrantsAreTheSame() throws Exception {
        Set<String> asked = new TreeSet<>();
        asked.addAll(askedOf(List.of("v1")));
        asked.addAll(askedOf(List.of()));

        assertThat(asked).isEqualTo(granted());
    }

    private static Set<String> granted() throws Exception {
        Set<String> granted = new TreeSet<>();
        RbacManifest.granted(Files.readString(RBAC))
                .forEach(
                        (resource, verbs) -> {
                            for (String verb : verbs.split(" ", -1)) {
                                granted.add(verb + " " + resource);
                            }
                        });
        return granted;
    }

    /**
     * @param discoveryVersions of EndpointSlices; without any the source turns to Endpoints
     */
    private static Set<String> askedOf(List<String> discoveryVersions) throws Exception {
        try (ScriptedApi api = new ScriptedApi()) {
            api.discoveryVersions(discoveryVersions);
            api.put(ScriptedApi.NODES, KubernetesFixtures.node("a"));
            api.put(ScriptedApi.SERVICES, KubernetesFixtures.service("web", "10.96.0.1"));
            String endpoints =
                    discoveryVersions.isEmpty() ? ScriptedApi.ENDPOINTS : ScriptedApi.SLICES;
            try (FollowedSource source = FollowedSource.of(api.address())) {
                source.awaitServed("web [10.96.0.1] -> []");
                for (String path : List.of(ScriptedApi.SERVICES, ScriptedApi.NODES, endpoints)) {
                    await().until(() -> api.openWatches(path) == 1);
                }
                source.source().applied(KubernetesFixtures.portsFail("is taken", "web"));
                await().until(() -> !api.posted().isEmpty());
            }
            Set<String> asked = new TreeSet<>();
            api.requests(request -> !isDiscovery(request)).stream()
                    .map(ApiRightsTest::asked)
                    .forEach(asked::add);
            return asked;
        }
    }

    /** What every account may read, to find out what the server has. */
    private static boolean isDiscovery(ScriptedApi.Request request) {
        return request.path().equals("/apis") || request.path().matches("/apis/[^/]+(/v[^/]+)?");
    }

    private static String asked(ScriptedApi.Request request) {
        Matcher resource = RESOURCE.matcher(request.path());
        assertThat(resource.matches()).as(request.path()).isTrue();
        String verb =
                switch (request.method()) {
                    case "GET" ->
                            request.watch() ? "watch" : resource.group(3) == null ? "list" : "get";
                    case "POST" -> "create";
                    default -> request.method();
                };
        String group = resource.group(1) == null ? "" : resource.group(1);
        return verb + " " + RbacManifest.resource(group, resource.group(2));
    }
}
