package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Turns maps, lists and scalars into objects of the API as strictly as the API server does: a text
 * is no number, and a number is no text. Fields that are not known are let through.
 *
 * <p>Threads: any.
 */
final class ObjectConverter {
    private final KubernetesSerialization serialization =
            new KubernetesSerialization(
                    JsonMapper.builderWithJackson2Defaults()
                            .withCoercionConfig(
                                    LogicalType.Textual,
                                    config ->
                                            config.setCoercion(
                                                            CoercionInputShape.Integer,
                                                            CoercionAction.Fail)
                                                    .setCoercion(
                                                            CoercionInputShape.Float,
                                                            CoercionAction.Fail)
                                                    .setCoercion(
                                                            CoercionInputShape.Boolean,
                                                            CoercionAction.Fail))
                            .withCoercionConfig(
                                    LogicalType.Integer,
                                    config ->
                                            config.setCoercion(
                                                            CoercionInputShape.String,
                                                            CoercionAction.Fail)
                                                    .setCoercion(
                                                            CoercionInputShape.EmptyString,
                                                            CoercionAction.Fail)
                                                    .setCoercion(
                                                            CoercionInputShape.Float,
                                                            CoercionAction.Fail))
                            .build(),
                    false);

    /**
     * @throws ManifestException naming the field that is of another type
     */
    <T extends HasMetadata> T convert(Map<?, ?> content, Class<T> type) throws ManifestException {
        try {
            return serialization.convertValue(content, type);
        } catch (IllegalArgumentException e) {
            if (e.getCause() instanceof MismatchedInputException mismatch) {
                throw describe(mismatch, content);
            }
            throw new ManifestException("is no " + type.getSimpleName() + ": " + e.getMessage());
        }
    }

    private static ManifestException describe(MismatchedInputException e, Map<?, ?> content) {
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
                field.toString(), String.valueOf(value), "is not " + typeName(e.getTargetType()));
    }

    private static String typeName(@Nullable Class<?> type) {
        if (type == null) {
            return "of the right type";
        }
        if (type == Integer.class || type == Long.class) {
            return "an integer of " + (type == Integer.class ? 32 : 64) + " bits";
        }
        if (type == String.class) {
            return "a string (quotes make it one)";
        }
        if (List.class.isAssignableFrom(type)) {
            return "a list";
        }
        return type == Boolean.class
                ? "true or false"
                : "an object (" + type.getSimpleName().toLowerCase(Locale.ROOT) + ")";
    }
}
