package dev.sluice.kubernetes;

import java.util.Map;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.CoreScalarResolver;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import org.snakeyaml.engine.v2.schema.Schema;

/**
 * What a scalar without quotes is: null, boolean, integer, float or text, by the core schema (YAML
 * 1.2, 10.3.2), of which three scalars are left out, each a text here:
 *
 * <ul>
 *   <li>{@code 010}: ten in YAML 1.2, but eight for kubectl, which reads YAML 1.1;
 *   <li>{@code <<}: merging doubles the work with each level, so a small file would never be read;
 *   <li>{@code ${NAME}}: the parser would put a variable of the proxy's environment there.
 * </ul>
 *
 * <p>Immutable; any thread.
 */
final class ManifestSchema implements Schema {
    private static final Pattern TEXT = Pattern.compile("[-+]?0[0-9]+|<<|\\$.*", Pattern.DOTALL);

    private final CoreSchema core = new CoreSchema();
    private final ScalarResolver resolver = new CoreScalarResolver(false);

    @Override
    public ScalarResolver getScalarResolver() {
        return (text, isPlain) ->
                TEXT.matcher(text).matches() ? Tag.STR : resolver.resolve(text, isPlain);
    }

    @Override
    public Map<Tag, ConstructNode> getSchemaTagConstructors() {
        return core.getSchemaTagConstructors();
    }
}
