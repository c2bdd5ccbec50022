package dev.sluice.config;

import dev.sluice.config.ConfigSources.Flag;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Optional;
import java.util.Set;

/**
 * Takes the flags of kube-proxy, as they stand in DaemonSets, out of a command line.
 *
 * <p>Immutable; any thread.
 *
 * @param rest what is left, for Sluice's own command line
 * @param flags those that Sluice has a use for, as its settings
 * @param unused the others whose value is not what happens anyway, as they were written
 */
public record KubeProxyFlags(List<String> rest, List<Flag> flags, List<String> unused) {
    /** Flags that are for Sluice's own command line, where they stand without a value. */
    private static final Set<String> SWITCHES = Set.of("--cleanup", "--init-only");

    /** From this verbosity on kube-proxy logs what Sluice does with {@code -v}. */
    private static final int DETAILS = 4;

    public KubeProxyFlags {
        rest = List.copyOf(rest);
        flags = List.copyOf(flags);
        unused = List.copyOf(unused);
    }

    /**
     * Reads {@code --flag=value}, {@code --flag value} and, for a truth value, {@code --flag}.
     *
     * @throws InvalidConfigException for a value that breaks a rule of kube-proxy
     */
    public static KubeProxyFlags of(List<String> arguments) {
        List<String> rest = new ArrayList<>();
        List<Flag> flags = new ArrayList<>();
        List<String> unused = new ArrayList<>();
        for (ListIterator<String> each = arguments.listIterator(); each.hasNext(); ) {
            String argument = each.next();
            if (isVerbosity(argument, each)) {
                if (level(argument, each) >= DETAILS) {
                    rest.add("-v");
                }
                continue;
            }
            Optional<KubeProxySetting> known = setting(argument);
            if (known.isEmpty() || known.get().flag().equals("kubeconfig")) {
                ownArgument(argument).ifPresent(rest::add);
                continue;
            }
            KubeProxySetting setting = known.get();
            String value = value(argument, setting, each);
            if (setting.isUsed()) {
                flag(setting, value).ifPresent(flags::add);
            } else if (setting.isNews(value)) {
                unused.add("--" + setting.flag() + "=" + value);
            }
        }
        return new KubeProxyFlags(rest, flags, unused);
    }

    private static Optional<KubeProxySetting> setting(String argument) {
        if (!argument.startsWith("--")) {
            return Optional.empty();
        }
        int equals = argument.indexOf('=');
        return KubeProxyTable.ofFlag(
                argument.substring(2, equals < 0 ? argument.length() : equals));
    }

    private static String value(String argument, KubeProxySetting setting, Iterator<String> more) {
        int equals = argument.indexOf('=');
        if (equals >= 0) {
            return argument.substring(equals + 1);
        }
        if (setting.isTruth()) {
            return "true";
        }
        if (!more.hasNext()) {
            throw new InvalidConfigException(argument + ": must have a value");
        }
        return more.next();
    }

    /** An argument as Sluice knows it; none for a switch that is off. */
    private static Optional<String> ownArgument(String argument) {
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        if (equals < 0 || !SWITCHES.contains(name)) {
            return Optional.of(argument);
        }
        return switch (argument.substring(equals + 1)) {
            case "true" -> Optional.of(name);
            case "false" -> Optional.empty();
            default -> throw new InvalidConfigException(argument + ": must be true or false");
        };
    }

    private static Optional<Flag> flag(KubeProxySetting setting, String value) {
        String origin = "--" + setting.flag();
        boolean isOff = value.isEmpty() && setting.key().endsWith(".address");
        if (!setting.isNews(value) && !isOff) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Flag(origin, setting.key(), setting.translation().apply(value)));
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigException(origin + " = '" + value + "': " + e.getMessage(), e);
        }
    }

    /** {@code -v} alone is Sluice's own. */
    private static boolean isVerbosity(String argument, ListIterator<String> more) {
        return argument.equals("--v")
                || argument.startsWith("--v=")
                || argument.startsWith("-v=")
                || argument.matches("-v\\d+")
                || (argument.equals("-v") && isNumberNext(more));
    }

    private static boolean isNumberNext(ListIterator<String> more) {
        if (!more.hasNext()) {
            return false;
        }
        boolean isNumber = more.next().matches("\\d+");
        more.previous();
        return isNumber;
    }

    private static int level(String argument, Iterator<String> more) {
        String text =
                (argument.equals("--v") || argument.equals("-v")) && more.hasNext()
                        ? more.next()
                        : argument.replaceFirst("^--?v=?", "");
        if (!text.matches("\\d{1,3}")) {
            throw new InvalidConfigException(
                    argument + ": must have a verbosity such as --v=2, not '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}
