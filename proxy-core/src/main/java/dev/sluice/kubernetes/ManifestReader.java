package dev.sluice.kubernetes;

import dev.sluice.model.Problem;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the Services, EndpointSlices, Endpoints and Nodes of some manifests, once.
 *
 * <p>Threads: one.
 */
final class ManifestReader {
    private static final Logger logger = LoggerFactory.getLogger(ManifestReader.class);

    private static final String DISCOVERY = "discovery.k8s.io/";

    private final ObjectConverter converter;
    private final List<Service> services = new ArrayList<>();
    private final List<EndpointSlice> slices = new ArrayList<>();
    private final List<Endpoints> endpoints = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final IdentityHashMap<HasMetadata, String> places = new IdentityHashMap<>();
    private final Map<String, String> firstPlaces = new HashMap<>();
    private final List<Problem> problems = new ArrayList<>();

    ManifestReader(ObjectConverter converter) {
        this.converter = converter;
    }

    void read(ManifestFile file) {
        List<YamlDocument> documents;
        try {
            documents = YamlDocument.split(file.read());
        } catch (IOException e) {
            problems.add(
                    new Problem(file.name(), "", "", "cannot be read: " + ManifestFile.reason(e)));
            return;
        }
        for (YamlDocument document : documents) {
            String place = file.name() + " document " + document.number();
            try {
                @Nullable Object value = document.parse();
                // Like kubectl; templates leave such documents behind.
                if (value != null) {
                    readValue(place, value, "", "");
                }
            } catch (ManifestException e) {
                problems.add(new Problem(place, e.field(), e.value(), e.rule()));
            }
        }
    }

    KubernetesObjects objects() {
        return new KubernetesObjects(
                services,
                slices,
                endpoints,
                object ->
                        Objects.requireNonNullElse(places.get(object), "?")
                                + ": "
                                + KubernetesObjects.describe(object));
    }

    /** The Node of this name. */
    Optional<Node> node(String name) {
        return nodes.stream()
                .filter(node -> node.getMetadata() != null)
                .filter(node -> name.equals(node.getMetadata().getName()))
                .findFirst();
    }

    List<Problem> problems() {
        return List.copyOf(problems);
    }

    /**
     * @param kindOfList what an object of a typed list is that does not say so itself, as the API
     *     server writes them
     */
    private void readValue(
            String place, @Nullable Object value, String versionOfList, String kindOfList)
            throws ManifestException {
        if (!(value instanceof Map<?, ?> content)) {
            throw new ManifestException("is not an object");
        }
        String version = text(content, "apiVersion", versionOfList);
        String kind = text(content, "kind", kindOfList);
        switch (kind) {
            case "List" -> readItems(place, content, "", "");
            case "ServiceList", "EndpointSliceList", "EndpointsList", "NodeList" ->
                    readItems(
                            place,
                            content,
                            version,
                            kind.substring(0, kind.length() - "List".length()));
            case "Service" -> {
                if (isRead(kind, version, "", place)) {
                    add(place, converter.convert(content, Service.class), services);
                }
            }
            case "Endpoints" -> {
                if (isRead(kind, version, "", place)) {
                    add(place, converter.convert(content, Endpoints.class), endpoints);
                }
            }
            case "Node" -> {
                if (isRead(kind, version, "", place)) {
                    add(place, converter.convert(content, Node.class), nodes);
                }
            }
            case "EndpointSlice" -> {
                if (isRead(kind, version, DISCOVERY, place)) {
                    add(
                            place,
                            withDefaults(converter.convert(content, EndpointSlice.class)),
                            slices);
                }
            }
            default -> logger.debug("{}: {} {} is of no interest", place, version, kind);
        }
    }

    private void readItems(String place, Map<?, ?> list, String version, String kind)
            throws ManifestException {
        @Nullable Object items = list.get("items");
        if (items != null && !(items instanceof List<?>)) {
            throw new ManifestException("items", items.toString(), "is not a list");
        }
        int index = 0;
        for (Object item : items instanceof List<?> all ? all : List.of()) {
            String itemPlace = place + " items[" + index++ + "]";
            try {
                readValue(itemPlace, item, version, kind);
            } catch (ManifestException e) {
                problems.add(new Problem(itemPlace, e.field(), e.value(), e.rule()));
            }
        }
    }

    /** Other groups have kinds of the same name, such as the Service of Knative. */
    private static boolean isRead(String kind, String version, String group, String place)
            throws ManifestException {
        if (version.equals(group + "v1")) {
            return true;
        }
        if (version.isEmpty()) {
            throw new ManifestException("apiVersion", "", "is missing");
        }
        boolean ofGroup =
                version.indexOf('/') < 0 || (!group.isEmpty() && version.startsWith(group));
        if (!ofGroup) {
            logger.debug("{}: {} {} is of no interest", place, version, kind);
            return false;
        }
        throw new ManifestException(
                "apiVersion", version, "is not read; " + kind + " is read as " + group + "v1");
    }

    private static String text(Map<?, ?> content, String field, String whenAbsent)
            throws ManifestException {
        @Nullable Object value = content.get(field);
        if (value == null && !whenAbsent.isEmpty()) {
            return whenAbsent;
        }
        if (value == null && field.equals("kind")) {
            throw new ManifestException(field, "", "is missing");
        }
        if (value != null && !(value instanceof String)) {
            throw new ManifestException(field, value.toString(), "is not a string");
        }
        return value == null ? "" : (String) value;
    }

    private <T extends HasMetadata> void add(String place, T object, List<T> objects) {
        @Nullable ObjectMeta metadata = object.getMetadata();
        if (metadata != null) {
            boolean isGlobal = object instanceof Node;
            if (!isGlobal
                    && (metadata.getNamespace() == null || metadata.getNamespace().isEmpty())) {
                metadata.setNamespace("default");
            }
            // Edited by hand, a file keeps the version that the object was saved with.
            metadata.setResourceVersion(null);
        }
        String name = KubernetesObjects.describe(object);
        @Nullable String first = firstPlaces.putIfAbsent(name, place);
        if (first != null) {
            problems.add(new Problem(place, "metadata.name", name, "stands in " + first + ", too"));
            return;
        }
        places.put(object, place);
        objects.add(object);
    }

    /** The API server gives a port without a name the empty name. */
    private static EndpointSlice withDefaults(EndpointSlice slice) {
        for (EndpointPort port : FieldRules.orEmpty(slice.getPorts())) {
            if (port != null && port.getName() == null) {
                port.setName("");
            }
        }
        return slice;
    }
}
