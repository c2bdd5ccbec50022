package dev.sluice.admin;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;

/**
 * Times as Go prints them unless told otherwise ({@code time.Time.String}), in UTC.
 *
 * <p>Immutable; any thread.
 */
final class GoTime {
    /** Go's zero time: never. */
    static final Instant ZERO = Instant.parse("0001-01-01T00:00:00Z");

    private static final DateTimeFormatter FORMAT =
            new DateTimeFormatterBuilder()
                    .appendPattern("uuuu-MM-dd HH:mm:ss")
                    .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
                    .appendLiteral(" +0000 UTC")
                    .toFormatter(Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private GoTime() {}

    static String text(Instant time) {
        return FORMAT.format(time);
    }
}
