package dev.sluice.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.StringWriter;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * Writes JSON (RFC 8259) in ASCII only, so that no name that an object may hold, half of a
 * surrogate pair included, makes it invalid.
 *
 * <p>Immutable; any thread.
 */
final class JsonPage {
    private final JsonFactory factory =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    /**
     * One object.
     *
     * @param content writes its properties
     */
    Reply reply(Consumer<JsonGenerator> content) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = factory.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            content.accept(json);
            json.writeEndObject();
        }
        text.write("\n");
        return new Reply(
                HttpResponseStatus.OK, "application/json", text.toString().getBytes(US_ASCII));
    }

    static void counts(JsonGenerator json, String name, Map<String, Long> counts) {
        json.writeObjectPropertyStart(name);
        counts.forEach(json::writeNumberProperty);
        json.writeEndObject();
    }
}
