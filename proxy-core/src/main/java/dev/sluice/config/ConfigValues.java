package dev.sluice.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import com.typesafe.config.ConfigValueType;
import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Typed and checked access to the values of one section. Typesafe Config itself is lenient (a
 * duration without a unit is milliseconds, {@code yes} is true); here each value has one form.
 *
 * <p>Values of flags and environment variables are always text, so a number or a truth value may be
 * written as text everywhere.
 */
final class ConfigValues {
    private static final Pattern WHOLE_NUMBER = Pattern.compile("-?\\d{1,18}");
    private static final Pattern UNIT = Pattern.compile(".*\\p{L}");
    private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*");

    private final String path;
    private final ConfigObject section;

    /**
     * @param section has every key of the section and no other, as {@link ConfigKeys#check} sees to
     */
    ConfigValues(String path, ConfigObject section) {
        this.path = path;
        this.section = section;
    }

    ConfigValues section(String name) {
        return new ConfigValues(path + "." + name, (ConfigObject) value(name));
    }

    /** A refusal of a value by a rule that concerns more than the value alone. */
    InvalidConfigException invalid(String name, String rule) {
        return Origins.invalid(path + "." + name, value(name), rule);
    }

    String text(String name) {
        return scalar(name, value(name));
    }

    boolean truth(String name) {
        return switch (text(name)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid(name, "must be true or false");
        };
    }

    int number(String name, int least, int most) {
        String rule = "must be a whole number from " + least + " to " + most;
        String text = text(name);
        if (!WHOLE_NUMBER.matcher(text).matches()) {
            throw invalid(name, rule);
        }
        long number = Long.parseLong(text);
        if (number < least || number > most) {
            throw invalid(name, rule);
        }
        return (int) number;
    }

    /** A duration within bounds given as the documentation writes them: {@code 1ms}, {@code 5m}. */
    Duration duration(String name, String least, String most) {
        return duration(name, text(name), least, most);
    }

    /** A duration that the kernel or a program counts in seconds. */
    Duration wholeSeconds(String name, String least, String most) {
        Duration duration = duration(name, least, most);
        if (!duration.equals(Duration.ofSeconds(duration.toSeconds()))) {
            throw invalid(name, "must be a whole number of seconds");
        }
        return duration;
    }

    List<Duration> durations(String name, int mostEntries, String least, String most) {
        List<String> texts = texts(name);
        if (texts.isEmpty() || texts.size() > mostEntries) {
            throw invalid(name, "must have 1 to " + mostEntries + " entries");
        }
        return texts.stream().map(text -> duration(name, text, least, most)).toList();
    }

    /** A constant in lower case. */
    <E extends Enum<E>> E choice(String name, Class<E> type) {
        String text = text(name);
        List<E> constants = List.of(type.getEnumConstants());
        return constants.stream()
                .filter(constant -> written(constant).equals(text))
                .findFirst()
                .orElseThrow(
                        () ->
                                invalid(
                                        name,
                                        constants.stream()
                                                .map(ConfigValues::written)
                                                .collect(
                                                        Collectors.joining(
                                                                ", ", "must be one of ", ""))));
    }

    /** Empty text is no path. */
    Optional<Path> path(String name) {
        return parsed(name, text(name), Path::of);
    }

    /** Empty text is no address. */
    Optional<IpAddress> address(String name) {
        return parsed(name, text(name), IpAddress::parse);
    }

    /** Empty text is no name. */
    Optional<String> name(String name, Pattern allowed, String rule) {
        String text = text(name);
        if (!text.isEmpty() && !allowed.matcher(text).matches()) {
            throw invalid(name, rule);
        }
        return Optional.of(text).filter(given -> !given.isEmpty());
    }

    List<Cidr> cidrs(String name) {
        return texts(name).stream()
                .map(text -> parsed(name, text, Cidr::parse))
                .flatMap(Optional::stream)
                .toList();
    }

    NodePortAddresses nodePortAddresses(String name) {
        try {
            return NodePortAddresses.parse(texts(name));
        } catch (IllegalArgumentException e) {
            throw invalid(name, String.valueOf(e.getMessage()));
        }
    }

    /** Empty text is no server. */
    Optional<URI> serverAddress(String name) {
        return parsed(name, text(name), ServerAddress::parse);
    }

    /** {@code none}, or empty text, is no address. */
    Optional<InetSocketAddress> socketAddress(String name) {
        String text = text(name);
        return parsed(name, text.equals("none") ? "" : text, SocketAddressText::parse);
    }

    /** In lower case. */
    Set<String> hostNames(String name) {
        Set<String> names = new TreeSet<>();
        for (String text : texts(name)) {
            if (!HOST_NAME.matcher(text).matches()) {
                throw invalid(
                        name, "must be host names without a port: letters, digits, '-' and '.'");
            }
            names.add(text.toLowerCase(Locale.ROOT));
        }
        return names;
    }

    PortRanges portRanges(String name) {
        return parsed(name, String.join(",", texts(name)), PortRanges::parse)
                .orElseThrow(() -> invalid(name, "must have at least one port range"));
    }

    private <T> Optional<T> parsed(String name, String text, Function<String, T> parser) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(parser.apply(text));
        } catch (InvalidPathException e) {
            throw invalid(name, "must be a path: " + e.getReason());
        } catch (IllegalArgumentException e) {
            throw invalid(name, String.valueOf(e.getMessage()));
        }
    }

    private Duration duration(String name, String text, String least, String most) {
        String rule = "must be a duration with its unit from " + least + " to " + most;
        if (!UNIT.matcher(text).matches()) {
            throw invalid(name, rule);
        }
        Duration duration;
        try {
            duration = duration(text);
        } catch (ConfigException.BadValue e) {
            throw invalid(name, rule);
        }
        if (duration.compareTo(duration(least)) < 0 || duration.compareTo(duration(most)) > 0) {
            throw invalid(name, rule);
        }
        return duration;
    }

    private static Duration duration(String text) {
        return ConfigValueFactory.fromAnyRef(text).atKey("d").getDuration("d");
    }

    /** The entries of a list, or of a text with commas. */
    private List<String> texts(String name) {
        ConfigValue value = value(name);
        if (value instanceof ConfigList list) {
            return list.stream().map(entry -> scalar(name, entry)).toList();
        }
        String text = scalar(name, value);
        return text.isBlank()
                ? List.of()
                : Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    }

    private String scalar(String name, ConfigValue value) {
        ConfigValueType type = value.valueType();
        if (type == ConfigValueType.STRING
                || type == ConfigValueType.NUMBER
                || type == ConfigValueType.BOOLEAN) {
            return String.valueOf(value.unwrapped());
        }
        throw invalid(name, "must be a single value, not " + type.name().toLowerCase(Locale.ROOT));
    }

    private ConfigValue value(String name) {
        return Objects.requireNonNull(section.get(name), () -> path + "." + name);
    }

    private static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
