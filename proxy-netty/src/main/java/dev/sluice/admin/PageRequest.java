package dev.sluice.admin;

import static dev.sluice.admin.RefusedRequest.badRequest;
import static dev.sluice.admin.RefusedRequest.quoted;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.model.ServicePortName;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * A checked request for a page.
 *
 * <p>Immutable; any thread.
 *
 * @param path without parameters, decoded
 * @param parameters by name; each stands once
 * @param accept value of {@code Accept}
 */
record PageRequest(String path, Map<String, String> parameters, Optional<String> accept) {
    private static final int MOST_PARAMETERS = 16;

    /**
     * Takes a request target apart.
     *
     * @throws RefusedRequest if it is none
     */
    static PageRequest of(String target, Optional<String> accept) {
        if (!target.startsWith("/")) {
            throw badRequest("target " + quoted(target) + ": must begin with /");
        }
        try {
            QueryStringDecoder decoder =
                    new QueryStringDecoder(target, UTF_8, true, MOST_PARAMETERS);
            Map<String, String> parameters = new TreeMap<>();
            decoder.parameters().forEach((name, values) -> put(parameters, name, values));
            return new PageRequest(decoder.path(), parameters, accept);
        } catch (IllegalArgumentException e) {
            throw badRequest("target " + quoted(target) + ": " + e.getMessage());
        }
    }

    private static void put(Map<String, String> parameters, String name, List<String> values) {
        if (values.size() != 1) {
            throw badRequest("parameter " + quoted(name) + ": must stand once");
        }
        parameters.put(name, values.get(0));
    }

    /**
     * Refuses parameters that the page does not have.
     *
     * @throws RefusedRequest for the first of them
     */
    void allowOnly(String... names) {
        for (String name : parameters.keySet()) {
            if (!Set.of(names).contains(name)) {
                throw badRequest(
                        "parameter "
                                + quoted(name)
                                + ": must be one of "
                                + new TreeSet<>(Set.of(names)));
            }
        }
    }

    /** Whether a parameter stands there, with or without a value, as in {@code ?verbose}. */
    boolean has(String name) {
        return parameters.containsKey(name);
    }

    /**
     * A parameter that is a whole number.
     *
     * @throws RefusedRequest if it is not, or out of the range
     */
    int number(String name, int fallback, int least, int most) {
        String text = parameters.get(name);
        if (text == null) {
            return fallback;
        }
        if (text.matches("\\d{1,9}")) {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw badRequest(
                "parameter "
                        + name
                        + " "
                        + quoted(text)
                        + ": must be a whole number from "
                        + least
                        + " to "
                        + most);
    }

    /** The Service ports that {@code namespace} and {@code service} ask for; all without them. */
    Predicate<ServicePortName> servicePorts() {
        String namespace = parameters.get("namespace");
        String service = parameters.get("service");
        return name ->
                (namespace == null || namespace.equals(name.service().namespace()))
                        && (service == null || service.equals(name.service().name()));
    }
}
