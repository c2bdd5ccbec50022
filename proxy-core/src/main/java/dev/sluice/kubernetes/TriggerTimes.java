package dev.sluice.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When the changes of endpoints were made that have come since the last look: annotation {@code
 * endpoints.kubernetes.io/last-change-trigger-time}, which the controllers of slices and Endpoints
 * write. A time before the start says when something else happened, not how long this proxy took.
 *
 * <p>Threads: one.
 */
final class TriggerTimes {
    private static final String ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

    private final Instant start;
    private Map<String, String> last = Map.of();
    private List<Instant> untold = new ArrayList<>();

    TriggerTimes(Instant start) {
        this.start = start;
    }

    /** Looks at all objects as they are now. */
    void look(Collection<? extends HasMetadata> objects) {
        Map<String, String> now = new HashMap<>();
        for (HasMetadata object : objects) {
            @Nullable String text =
                    Optional.ofNullable(object.getMetadata())
                            .map(metadata -> metadata.getAnnotations())
                            .map(annotations -> annotations.get(ANNOTATION))
                            .orElse(null);
            if (text == null) {
                continue;
            }
            String key = KubernetesObjects.describe(object);
            now.put(key, text);
            if (!text.equals(last.get(key))) {
                time(text).filter(time -> !time.isBefore(start)).ifPresent(untold::add);
            }
        }
        last = now;
    }

    /** The times that were found and not told yet. */
    List<Instant> take() {
        List<Instant> times = List.copyOf(untold);
        untold = new ArrayList<>();
        return times;
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
