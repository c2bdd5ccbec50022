package dev.sluice.config;

import com.typesafe.config.Config;
import dev.sluice.config.ProxyConfig.Admin;
import dev.sluice.config.ProxyConfig.Affinity;
import dev.sluice.config.ProxyConfig.Connections;
import dev.sluice.config.ProxyConfig.DetectLocal;
import dev.sluice.config.ProxyConfig.Dial;
import dev.sluice.config.ProxyConfig.Health;
import dev.sluice.config.ProxyConfig.Keepalive;
import dev.sluice.config.ProxyConfig.Kubernetes;
import dev.sluice.config.ProxyConfig.Listener;
import dev.sluice.config.ProxyConfig.Metrics;
import dev.sluice.config.ProxyConfig.Node;
import dev.sluice.config.ProxyConfig.NodePorts;
import dev.sluice.config.ProxyConfig.Reconcile;
import dev.sluice.config.ProxyConfig.Redirect;
import dev.sluice.config.ProxyConfig.Services;
import dev.sluice.config.ProxyConfig.Shutdown;
import dev.sluice.config.ProxyConfig.State;
import dev.sluice.config.ProxyConfig.Transport;
import dev.sluice.config.ProxyConfig.Udp;
import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Builds the records from a configuration that has every key. */
final class ProxyConfigReader {
    private static final Path STATE_WHEN_REDIRECTING = Path.of("/run/sluice");
    private static final int FIRST_UNPRIVILEGED_PORT = 1024;
    private static final Pattern NODE_NAME =
            Pattern.compile("(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?");
    private static final Pattern INTERFACE = Pattern.compile("[^/\\s]{1,15}");
    private static final Pattern LABEL_VALUE =
            Pattern.compile("(?=.{1,63}$)[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?");

    private ProxyConfigReader() {}

    static ProxyConfig read(Config complete) {
        ConfigValues root = new ConfigValues(ConfigKeys.ROOT, complete.getObject(ConfigKeys.ROOT));
        Redirect redirect = redirect(root.section("redirect"));
        return new ProxyConfig(
                root.path("manifests"),
                kubernetes(root.section("kubernetes")),
                node(root.section("node")),
                services(root.section("services")),
                new NodePorts(root.section("node-ports").nodePortAddresses("addresses")),
                udp(root.section("udp")),
                new Health(root.section("health").socketAddress("address")),
                transport(root.section("transport")),
                redirect,
                listener(root.section("listener")),
                dial(root.section("dial"), redirect.mode()),
                connections(root.section("connections")),
                new Affinity(root.section("affinity").number("max-clients", 1, 1 << 24)),
                reconcile(root.section("reconcile")),
                state(root.section("state"), redirect.mode()),
                shutdown(root.section("shutdown")),
                admin(root.section("admin")));
    }

    private static Kubernetes kubernetes(ConfigValues values) {
        return new Kubernetes(
                values.path("kubeconfig"),
                values.serverAddress("api-server"),
                values.path("ca-file"),
                values.path("token-file"),
                values.truth("allow-exec"),
                values.truth("events"));
    }

    private static Node node(ConfigValues values) {
        return new Node(
                values.name("name", NODE_NAME, "must be a DNS name of at most 253 characters")
                        .map(name -> name.toLowerCase(Locale.ROOT)),
                detectLocal(values.section("detect-local")));
    }

    private static DetectLocal detectLocal(ConfigValues values) {
        DetectLocal.Detection mode = values.choice("mode", DetectLocal.Detection.class);
        List<Cidr> ranges = values.cidrs("cluster-cidrs");
        if (ranges.size() > 2
                || (ranges.size() == 2 && ranges.get(0).family() == ranges.get(1).family())) {
            throw values.invalid("cluster-cidrs", "must be at most one range of each family");
        }
        Optional<String> bridge =
                values.name("bridge-interface", INTERFACE, "must be the name of an interface");
        Optional<String> prefix =
                values.name(
                        "interface-name-prefix",
                        INTERFACE,
                        "must be what names of interfaces begin with");
        if (mode == DetectLocal.Detection.CLUSTER_CIDR && ranges.isEmpty()) {
            throw values.invalid("cluster-cidrs", "must be set where mode is cluster-cidr");
        }
        if (mode == DetectLocal.Detection.BRIDGE_INTERFACE && bridge.isEmpty()) {
            throw values.invalid("bridge-interface", "must be set where mode is bridge-interface");
        }
        if (mode == DetectLocal.Detection.INTERFACE_NAME_PREFIX && prefix.isEmpty()) {
            throw values.invalid(
                    "interface-name-prefix", "must be set where mode is interface-name-prefix");
        }
        return new DetectLocal(mode, ranges, bridge, prefix);
    }

    private static Services services(ConfigValues values) {
        return new Services(
                values.name(
                        "proxy-name",
                        LABEL_VALUE,
                        "must be a label value: at most 63 letters, digits, '-', '_' and '.'"),
                values.cidrs("external-ips"));
    }

    private static Udp udp(ConfigValues values) {
        int max = values.number("max-sessions", 0, 10_000_000);
        return new Udp(
                values.duration("unreplied-timeout", "1s", "24h"),
                values.duration("replied-timeout", "1s", "24h"),
                max == 0 ? OptionalInt.empty() : OptionalInt.of(max));
    }

    private static Transport transport(ConfigValues values) {
        return new Transport(
                values.choice("kind", Transport.Kind.class), values.number("event-loops", 0, 1024));
    }

    private static Redirect redirect(ConfigValues values) {
        return new Redirect(
                values.choice("mode", Redirect.Mode.class),
                values.choice("flavour", Redirect.Flavour.class),
                nodeAddress(values, "address4", IpFamily.IPV4),
                nodeAddress(values, "address6", IpFamily.IPV6),
                values.wholeSeconds("lock-wait", "1s", "60s"),
                values.truth("beside-kube-proxy"));
    }

    private static Optional<IpAddress> nodeAddress(
            ConfigValues values, String name, IpFamily family) {
        Optional<IpAddress> address = values.address(name);
        if (address.isPresent()
                && (address.get().family() != family || !isReachable(address.get()))) {
            throw values.invalid(
                    name,
                    "must be an address of this node of family "
                            + family
                            + " that pods can reach: not loopback, link-local, multicast,"
                            + " broadcast or unspecified");
        }
        return address;
    }

    private static boolean isReachable(IpAddress address) {
        return !address.isLoopback()
                && !address.isLinkLocal()
                && !address.isMulticast()
                && !address.isBroadcast()
                && !address.isUnspecified();
    }

    private static Listener listener(ConfigValues values) {
        IpAddress address =
                values.address("address")
                        .filter(given -> !given.isMulticast() && !given.isBroadcast())
                        .orElseThrow(
                                () ->
                                        values.invalid(
                                                "address",
                                                "must be an address that a listener can be bound"
                                                        + " to"));
        PortRanges ranges = values.portRanges("port-range");
        if (ranges.ports().anyMatch(port -> port < FIRST_UNPRIVILEGED_PORT)) {
            throw values.invalid("port-range", "must be within 1024-65535");
        }
        return new Listener(address, ranges);
    }

    private static Dial dial(ConfigValues values, Redirect.Mode mode) {
        Duration total = values.duration("total-timeout", "1ms", "5m");
        List<Duration> tries = values.durations("try-timeouts", 8, "1ms", "60s");
        if (tries.stream().anyMatch(each -> each.compareTo(total) > 0)) {
            throw values.invalid(
                    "try-timeouts", "must not be longer than sluice.dial.total-timeout");
        }
        boolean allowLoopback = values.truth("allow-loopback");
        if (allowLoopback && mode != Redirect.Mode.NONE) {
            throw values.invalid(
                    "allow-loopback", "may be true only when sluice.redirect.mode is none");
        }
        return new Dial(tries, total, values.duration("retry-pause", "1ms", "10s"), allowLoopback);
    }

    private static Connections connections(ConfigValues values) {
        int max = values.number("max", 0, 10_000_000);
        return new Connections(
                max == 0 ? OptionalInt.empty() : OptionalInt.of(max),
                values.duration("half-closed-timeout", "1s", "24h"),
                values.duration("unacked-timeout", "1s", "24h"),
                values.duration("reap-interval", "100ms", "30s"),
                keepalive(values.section("keepalive")));
    }

    private static Keepalive keepalive(ConfigValues values) {
        return new Keepalive(
                values.wholeSeconds("idle", "1s", "32767s"),
                values.wholeSeconds("interval", "1s", "32767s"),
                values.number("probes", 1, 127));
    }

    private static Reconcile reconcile(ConfigValues values) {
        return new Reconcile(
                values.duration("min-interval", "1ms", "60s"),
                values.duration("min-rule-interval", "1ms", "60s"),
                values.duration("retry-interval", "10ms", "60s"),
                values.duration("verify-interval", "100ms", "1h"));
    }

    private static State state(ConfigValues values, Redirect.Mode mode) {
        Optional<Path> fallback =
                mode == Redirect.Mode.NONE ? Optional.empty() : Optional.of(STATE_WHEN_REDIRECTING);
        return new State(
                values.path("directory").or(() -> fallback),
                values.duration("takeover-wait", "0s", "10m"));
    }

    private static Shutdown shutdown(ConfigValues values) {
        return new Shutdown(values.duration("drain", "0s", "24h"), values.truth("keep-rules"));
    }

    private static Admin admin(ConfigValues values) {
        return new Admin(
                values.socketAddress("address"),
                values.hostNames("allowed-hosts"),
                new Metrics(values.section("metrics").number("max-service-ports", 0, 100_000)));
    }
}
