package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Turns maps, lists and scalars into objects of the API as strictly as the API server does: a text
 * is no number, and a number is no text. Fields that are not known are let through.
 *
 * <p>The client's own {@code KubernetesSerialization} would read the text {@code '010'} as a
 * number.
 *
 * <p>Immutable; any thread.
 */
final class ObjectConverter {
    private final JsonMapper mapper =
            JsonMapper.builder()
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .withCoercionConfig(
                            LogicalType.Textual,
                            config ->
                                    config.setCoercion(
                                                    CoercionInputShape.Integer, CoercionAction.Fail)
                                            .setCoercion(
                                                    CoercionInputShape.Float, CoercionAction.Fail)
                                            .setCoercion(
                                                    CoercionInputShape.Boolean,
                                                    CoercionAction.Fail))
                    .withCoercionConfig(
                            LogicalType.Integer,
                            config ->
                                    config.setCoercion(
                                                    CoercionInputShape.String, CoercionAction.Fail)
                                            .setCoercion(
                                                    CoercionInputShape.EmptyString,
                                                    CoercionAction.Fail)
                                            .setCoercion(
                                                    CoercionInputShape.Float, CoercionAction.Fail))
                    .withCoercionConfig(
                            LogicalType.Boolean,
                            config ->
                                    config.setCoercion(
                                                    CoercionInputShape.String, CoercionAction.Fail)
                                            .setCoercion(
                                                    CoercionInputShape.Integer,
                                                    CoercionAction.Fail))
                    .build();

    /**
     * @throws ManifestException naming the field that is of another type
     */
    <T extends HasMetadata> T convert(Map<?, ?> content, Class<T> type) throws ManifestException {
        try {
            return mapper.convertValue(content, type);
        } catch (JacksonException e) {
            throw describe(e, content);
        }
    }

    private static ManifestException describe(JacksonException e, Map<?, ?> content) {
        StringBuilder field = new StringBuilder();
        @Nullable Object value = content;
        for (Reference step : e.getPath()) {
            @Nullable String name = step.getPropertyName();
            if (name != null) {
                field.append(field.isEmpty() ? "" : ".").append(name);
                value = value instanceof Map<?, ?> map ? map.get(name) : null;
            } else {
                int index = step.getIndex();
                field.append('[').append(index).append(']');
                value =
                        value instanceof List<?> list && index >= 0 && index < list.size()
                                ? list.get(index)
                                : null;
            }
        }
        return new ManifestException(
                field.toString(), String.valueOf(value), "is not " + typeName(e));
    }

    private static String typeName(JacksonException e) {
        @Nullable Class<?> type = null;
        if (e instanceof MismatchedInputException mismatch) {
            type = mismatch.getTargetType();
        } else if (e instanceof InputCoercionException overflow) {
            type = overflow.getTargetType();
        }
        if (type == null) {
            return "of the right type";
        }
        if (type == Integer.class || type == int.class) {
            return "an integer of 32 bits";
        }
        if (type == String.class) {
            return "a string (quotes make it one)";
        }
        if (List.class.isAssignableFrom(type)) {
            return "a list";
        }
        return type == Boolean.class ? "true or false" : "an object";
    }
}
