package dev.sluice.config;

import dev.sluice.config.ConfigSources.Flag;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

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
        for (Iterator<String> each = arguments.iterator(); each.hasNext(); ) {
            String argument = each.next();
            if (isVerbosity(argument)) {
                int level = level(argument, each);
                if (level >= DETAILS) {
                    rest.add("-v");
                }
                continue;
            }
            Optional<KubeProxySetting> known = setting(argument);
            if (known.isEmpty() || known.get().flag().equals("kubeconfig")) {
                rest.add(argument);
                continue;
            }
            KubeProxySetting setting = known.get();
            String value = value(argument, setting, each);
            if (setting.isUsed()) {
                flags.addAll(flag(setting, value));
            } else if (!KubeProxySetting.isUnset(value) && !setting.asGood().contains(value)) {
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
        return KubeProxySetting.ofFlag(
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

    private static List<Flag> flag(KubeProxySetting setting, String value) {
        String origin = "--" + setting.flag();
        boolean isOff = value.isEmpty() && setting.key().endsWith(".address");
        if (KubeProxySetting.isUnset(value) && !isOff) {
            return List.of();
        }
        String translated;
        try {
            translated = setting.translation().apply(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigException(origin + " = '" + value + "': " + e.getMessage(), e);
        }
        List<Flag> flags = new ArrayList<>();
        if (setting.key().endsWith(".cluster-cidrs")) {
            // Before what else may be said of it: the later one counts.
            flags.add(new Flag(origin, "node.detect-local.mode", "cluster-cidr"));
        }
        flags.add(new Flag(origin, setting.key(), translated));
        return flags;
    }

    private static boolean isVerbosity(String argument) {
        return argument.equals("--v")
                || argument.startsWith("--v=")
                || argument.startsWith("-v=")
                || argument.matches("-v\\d+");
    }

    private static int level(String argument, Iterator<String> more) {
        String text =
                argument.equals("--v") && more.hasNext()
                        ? more.next()
                        : argument.replaceFirst("^--?v=?", "");
        if (!text.matches("\\d{1,3}")) {
            throw new InvalidConfigException(
                    argument + ": must have a verbosity such as --v=2, not '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}
