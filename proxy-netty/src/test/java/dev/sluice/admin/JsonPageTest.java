package dev.sluice.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class JsonPageTest {
    private final JsonPage page = new JsonPage();

    @Property(tries = 500)
    void anyTextComesBackAsItWas(@ForAll String text) {
        Reply reply = page.reply(json -> json.writeStringProperty("name", text));
        JsonNode read = new ObjectMapper().readTree(reply.body());

        assertThat(read.get("name").asString()).isEqualTo(text);
    }

    @Example
    void halfOfASurrogatePairIsValidAsWell() {
        Reply reply =
                page.reply(json -> JsonPage.counts(json, "\ud800", Map.of("a\"\u2028\n", 1L)));

        assertThat(new String(reply.body(), UTF_8))
                .isEqualToIgnoringCase("{\"\\ud800\":{\"a\\\"\\u2028\\n\":1}}\n");
    }
}
