package dev.sluice.config;

import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;

/** How an error names a value and the place it came from. */
final class Origins {
    private static final int LONGEST_VALUE = 80;

    private Origins() {}

    /** {@code key = 'value' is refused: rule (origin)}. */
    static InvalidConfigException invalid(String key, ConfigValue value, String rule) {
        return new InvalidConfigException(
                key + " = " + shown(value) + ": " + rule + " (" + place(value.origin()) + ")");
    }

    /** {@code file:line}, or the description of a flag or environment variable. */
    static String place(ConfigOrigin origin) {
        String file = origin.filename();
        if (file == null) {
            return origin.description();
        }
        return origin.lineNumber() > 0 ? file + ":" + origin.lineNumber() : file;
    }

    private static String shown(ConfigValue value) {
        if (value.valueType() == ConfigValueType.OBJECT) {
            return "{ … }";
        }
        String text = String.valueOf(value.unwrapped());
        return "'"
                + (text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…")
                + "'";
    }
}
