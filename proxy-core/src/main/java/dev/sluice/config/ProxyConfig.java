package dev.sluice.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * All settings of a proxy.
 *
 * <p>Immutable; any thread.
 *
 * @param manifests {@code sluice.manifests}: the file or folder that Services are read from, for
 *     the program
 */
public record ProxyConfig(
        Optional<Path> manifests,
        Kubernetes kubernetes,
        Node node,
        Services services,
        NodePorts nodePorts,
        Udp udp,
        Health health,
        Transport transport,
        Redirect redirect,
        Listener listener,
        Dial dial,
        Connections connections,
        Affinity affinity,
        Reconcile reconcile,
        State state,
        Shutdown shutdown,
        Admin admin) {

    /**
     * Reads and checks {@code sluice { … }} of a configuration; what it leaves out has the default
     * of {@code reference.conf}. Other top-level keys are none of this method's business.
     *
     * @throws InvalidConfigException for the first unknown key, wrong type or value that breaks a
     *     rule
     */
    public static ProxyConfig from(Config config) {
        ConfigKeys keys = ConfigKeys.read();
        keys.check(config);
        return ProxyConfigReader.read(config.withFallback(keys.defaults()).resolve());
    }

    /** What {@code reference.conf} says. */
    public static ProxyConfig defaults() {
        return from(ConfigFactory.empty());
    }

    /**
     * For tests and programs without root: no redirect, listeners on 127.0.0.1, endpoints on
     * loopback allowed, nothing kept on disk, no NodePorts, no admin or health server.
     */
    public static ProxyConfig embedded() {
        return from(
                ConfigFactory.parseString(
                        "sluice { redirect.mode = none, dial.allow-loopback = true,"
                                + " admin.address = none, health.address = none,"
                                + " node-ports.addresses = [] }"));
    }

    /**
     * The same with endpoints on loopback allowed, also together with a redirect: for a program
     * that sets the endpoints itself.
     */
    public ProxyConfig allowingLoopback() {
        return with(
                new Dial(dial.tryTimeouts(), dial.totalTimeout(), dial.retryPause(), true),
                health,
                admin);
    }

    /** The same with another admin server, or with none. */
    public ProxyConfig withAdmin(Admin other) {
        return with(dial, health, other);
    }

    /** The same with another health server, or with none. */
    public ProxyConfig withHealth(Health other) {
        return with(dial, other, admin);
    }

    private ProxyConfig with(Dial otherDial, Health otherHealth, Admin otherAdmin) {
        return new ProxyConfig(
                manifests,
                kubernetes,
                node,
                services,
                nodePorts,
                udp,
                otherHealth,
                transport,
                redirect,
                listener,
                otherDial,
                connections,
                affinity,
                reconcile,
                state,
                shutdown,
                otherAdmin);
    }

    /**
     * How the API server is reached, for the program.
     *
     * @param kubeconfig file that names it, and how this program proves who it is
     * @param apiServer its address, which wins over that of the kubeconfig; {@code https}, or
     *     {@code http} on a loopback address
     * @param caFile certificates in PEM that sign its own
     * @param tokenFile bearer token, read again for each request
     * @param allowExec whether the kubeconfig may have programs run
     * @param events whether Events are written on Services that can't be served as they ask
     */
    public record Kubernetes(
            Optional<Path> kubeconfig,
            Optional<URI> apiServer,
            Optional<Path> caFile,
            Optional<Path> tokenFile,
            boolean allowExec,
            boolean events) {
        /** Whether one of the settings says where the API server is. */
        public boolean namesServer() {
            return kubeconfig.isPresent() || apiServer.isPresent();
        }
    }

    /**
     * The node that the proxy runs on.
     *
     * @param name in lower case; empty: the host name
     */
    public record Node(Optional<String> name, DetectLocal detectLocal) {}

    /**
     * How pods of this node are told by their addresses.
     *
     * @param clusterCidrs at most one of each family; for {@link Detection#CLUSTER_CIDR}
     * @param bridgeInterface for {@link Detection#BRIDGE_INTERFACE}
     * @param interfaceNamePrefix for {@link Detection#INTERFACE_NAME_PREFIX}
     */
    public record DetectLocal(
            Detection mode,
            List<Cidr> clusterCidrs,
            Optional<String> bridgeInterface,
            Optional<String> interfaceNamePrefix) {
        /** {@code detectLocalMode} of kube-proxy, and {@code NONE}. */
        public enum Detection {
            NONE,
            CLUSTER_CIDR,
            NODE_CIDR,
            BRIDGE_INTERFACE,
            INTERFACE_NAME_PREFIX
        }

        public DetectLocal {
            clusterCidrs = List.copyOf(clusterCidrs);
        }
    }

    /**
     * Which Services are served.
     *
     * @param proxyName value of the label {@code service.kubernetes.io/service-proxy-name}; empty:
     *     Services without it
     * @param externalIps the addresses of {@code spec.externalIPs} that are served
     */
    public record Services(Optional<String> proxyName, List<Cidr> externalIps) {
        public Services {
            externalIps = List.copyOf(externalIps);
        }
    }

    /** Where NodePorts are served. */
    public record NodePorts(NodePortAddresses addresses) {}

    /**
     * Sessions of UDP clients.
     *
     * @param unrepliedTimeout end of a session to which no endpoint has answered
     * @param repliedTimeout end of one that was answered and is idle
     * @param maxSessions most at once; empty: a quarter of the descriptor limit
     */
    public record Udp(
            Duration unrepliedTimeout, Duration repliedTimeout, OptionalInt maxSessions) {}

    /**
     * What the node's health is asked at.
     *
     * @param address where it listens, port 0 for any free one; empty: there is none
     */
    public record Health(Optional<InetSocketAddress> address) {
        /** Nobody is told. */
        public static final Health NONE = new Health(Optional.empty());
    }

    /** Which Netty transport carries the connections, and on how many event loops. */
    public record Transport(Kind kind, int eventLoops) {
        /** {@code AUTO} is epoll where its native library loads, else NIO. */
        public enum Kind {
            AUTO,
            EPOLL,
            NIO
        }
    }

    /**
     * How ClusterIP traffic comes to the listeners.
     *
     * @param address4 destination for pods that come in through an interface without an IPv4
     *     address; empty: the node's own
     * @param address6 the same for IPv6
     * @param lockWait how long one call may wait for the xtables lock
     * @param besideKubeProxy whether to start although rules of kube-proxy are in force
     */
    public record Redirect(
            Mode mode,
            Flavour flavour,
            Optional<IpAddress> address4,
            Optional<IpAddress> address6,
            Duration lockWait,
            boolean besideKubeProxy) {
        /** Which back end writes the rules. */
        public enum Mode {
            IPTABLES,
            NONE
        }

        /** Which iptables program; {@code AUTO} takes the one whose kernel tables are in use. */
        public enum Flavour {
            AUTO,
            LEGACY,
            NFT
        }
    }

    /**
     * Where listeners are bound.
     *
     * @param address the address with {@code redirect = none}; otherwise listeners are bound to all
     *     addresses
     * @param portRanges where random ports are taken from
     */
    public record Listener(IpAddress address, PortRanges portRanges) {}

    /**
     * How an endpoint is dialled for a client.
     *
     * @param tryTimeouts time limit of each try, the number of tries being its length
     * @param totalTimeout limit of all tries together
     * @param retryPause pause before endpoints that all failed once are tried again
     * @param allowLoopback whether endpoints in 127.0.0.0/8 and ::1 are dialled
     */
    public record Dial(
            List<Duration> tryTimeouts,
            Duration totalTimeout,
            Duration retryPause,
            boolean allowLoopback) {}

    /**
     * Limits of connections.
     *
     * @param max most connections at once; empty: as many as the descriptor limit carries
     * @param halfClosedTimeout end of a half-closed connection without a byte either way
     * @param unackedTimeout end of a connection whose peer acknowledges nothing and answers no
     *     probe
     * @param reapInterval how often both are looked for
     */
    public record Connections(
            OptionalInt max,
            Duration halfClosedTimeout,
            Duration unackedTimeout,
            Duration reapInterval,
            Keepalive keepalive) {}

    /** TCP keepalive of both legs of a connection; idle and interval in whole seconds. */
    public record Keepalive(Duration idle, Duration interval, int probes) {}

    /**
     * Bounds of ClientIP session affinity: most client addresses per Service port and address
     * family.
     */
    public record Affinity(int maxClients) {}

    /**
     * Pace of the control path.
     *
     * @param minInterval least time between two runs
     * @param minRuleInterval least time between two writes of rules
     * @param retryInterval time until a run that failed in part is repeated
     * @param verifyInterval time after which rules are compared with the kernel's although nothing
     *     changed, to bring back what another program removed
     */
    public record Reconcile(
            Duration minInterval,
            Duration minRuleInterval,
            Duration retryInterval,
            Duration verifyInterval) {}

    /**
     * What outlives the process.
     *
     * @param directory holds the lock and the remembered ports; empty: nothing is kept and no lock
     *     is taken
     * @param takeoverWait how long a second copy waits for the first to end
     */
    public record State(Optional<Path> directory, Duration takeoverWait) {}

    /**
     * How the program ends.
     *
     * @param drain how long connections may go on after the first signal
     * @param keepRules whether the redirect rules stay for the next process
     */
    public record Shutdown(Duration drain, boolean keepRules) {}

    /**
     * The admin server.
     *
     * @param address where it listens, port 0 for any free one; empty: there is none
     * @param allowedHosts host names, in lower case, that requests may be addressed to besides
     *     loopback and the address itself
     * @param metrics what it shows at {@code /metrics}
     */
    public record Admin(
            Optional<InetSocketAddress> address, Set<String> allowedHosts, Metrics metrics) {
        /** No admin server. */
        public static final Admin NONE = new Admin(Optional.empty(), Set.of(), new Metrics(0));

        public Admin {
            allowedHosts = Set.copyOf(allowedHosts);
        }
    }

    /**
     * Bounds of metrics.
     *
     * @param maxServicePorts most Service ports with series of their own
     */
    public record Metrics(int maxServicePorts) {}
}
