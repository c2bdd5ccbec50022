package dev.sluice.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * One thing that kube-proxy can be told, by a field of its file (kubeproxy.config.k8s.io/v1alpha1)
 * or by a flag, and what becomes of it here.
 *
 * <p>Immutable; any thread.
 *
 * @param field path in the file; empty: there is only the flag
 * @param flag without the dashes; empty: there is only the field
 * @param key of Sluice, without {@code sluice.}; empty: Sluice has no use for it
 * @param translation of a value into that of the key
 * @param asGood values that need no warning although Sluice has no use for them: what kube-proxy
 *     does by default, and what Sluice does anyway
 */
record KubeProxySetting(
        String field,
        String flag,
        String key,
        UnaryOperator<String> translation,
        Set<String> asGood) {

    /** Everything, in the order of the file. */
    static final List<KubeProxySetting> ALL =
            List.of(
                    used("clientConnection.kubeconfig", "kubeconfig", "kubernetes.kubeconfig"),
                    used("", "master", "kubernetes.api-server"),
                    used(
                            "hostnameOverride",
                            "hostname-override",
                            "node.name",
                            text -> text.strip().toLowerCase(Locale.ROOT)),
                    used(
                            "healthzBindAddress",
                            "healthz-bind-address",
                            "health.address",
                            text -> address(text, 10_256)),
                    used(
                            "metricsBindAddress",
                            "metrics-bind-address",
                            "admin.address",
                            text -> address(text, 10_249)),
                    used("nodePortAddresses", "nodeport-addresses", "node-ports.addresses"),
                    used("clusterCIDR", "cluster-cidr", "node.detect-local.cluster-cidrs"),
                    used(
                            "detectLocalMode",
                            "detect-local-mode",
                            "node.detect-local.mode",
                            KubeProxySetting::detection),
                    used(
                            "detectLocal.bridgeInterface",
                            "pod-bridge-interface",
                            "node.detect-local.bridge-interface"),
                    used(
                            "detectLocal.interfaceNamePrefix",
                            "pod-interface-name-prefix",
                            "node.detect-local.interface-name-prefix"),
                    used(
                            "portRange",
                            "proxy-port-range",
                            "listener.port-range",
                            KubeProxySetting::portRange),
                    used(
                            "iptables.minSyncPeriod",
                            "iptables-min-sync-period",
                            "reconcile.min-rule-interval",
                            KubeProxySetting::duration),
                    used(
                            "conntrack.udpTimeout",
                            "conntrack-udp-timeout",
                            "udp.unreplied-timeout",
                            KubeProxySetting::duration),
                    used(
                            "conntrack.udpStreamTimeout",
                            "conntrack-udp-timeout-stream",
                            "udp.replied-timeout",
                            KubeProxySetting::duration),
                    unused("mode", "proxy-mode", "iptables", "userspace"),
                    unused("bindAddress", "bind-address", "0.0.0.0", "::"),
                    unused("bindAddressHardFail", "bind-address-hard-fail"),
                    unused("enableProfiling", "profiling"),
                    unused("showHiddenMetricsForVersion", "show-hidden-metrics-for-version"),
                    unused("featureGates", "feature-gates"),
                    unused("clientConnection.acceptContentTypes", ""),
                    unused(
                            "clientConnection.contentType",
                            "kube-api-content-type",
                            "application/vnd.kubernetes.protobuf",
                            "application/json"),
                    unused("clientConnection.qps", "kube-api-qps", "5", "5.0"),
                    unused("clientConnection.burst", "kube-api-burst", "10"),
                    unused("logging.format", "logging-format", "text"),
                    unused("logging.verbosity", ""),
                    unused("logging.flushFrequency", "log-flush-frequency", "5s", "5000000000"),
                    unused("logging.vmodule", "vmodule"),
                    unused("logging.options", ""),
                    unused("iptables.masqueradeBit", "iptables-masquerade-bit", "14"),
                    unused("iptables.masqueradeAll", "masquerade-all", "true"),
                    unused("iptables.localhostNodePorts", "iptables-localhost-nodeports", "true"),
                    unused("iptables.syncPeriod", "iptables-sync-period", "30s"),
                    unused("ipvs.syncPeriod", "ipvs-sync-period", "30s"),
                    unused("ipvs.minSyncPeriod", "ipvs-min-sync-period", "1s"),
                    unused("ipvs.scheduler", "ipvs-scheduler", "rr"),
                    unused("ipvs.excludeCIDRs", "ipvs-exclude-cidrs"),
                    unused("ipvs.strictARP", "ipvs-strict-arp"),
                    unused("ipvs.tcpTimeout", "ipvs-tcp-timeout"),
                    unused("ipvs.tcpFinTimeout", "ipvs-tcpfin-timeout"),
                    unused("ipvs.udpTimeout", "ipvs-udp-timeout"),
                    unused("nftables.masqueradeBit", "", "14"),
                    unused("nftables.masqueradeAll", "", "true"),
                    unused("nftables.syncPeriod", "", "30s"),
                    unused("nftables.minSyncPeriod", "", "1s"),
                    unused("winkernel", ""),
                    unused("oomScoreAdj", "oom-score-adj", "-999"),
                    unused("conntrack.maxPerCore", "conntrack-max-per-core", "32768"),
                    unused("conntrack.min", "conntrack-min", "131072"),
                    unused(
                            "conntrack.tcpEstablishedTimeout",
                            "conntrack-tcp-timeout-established",
                            "24h",
                            "24h0m0s"),
                    unused(
                            "conntrack.tcpCloseWaitTimeout",
                            "conntrack-tcp-timeout-close-wait",
                            "1h",
                            "1h0m0s"),
                    unused("conntrack.tcpBeLiberal", "conntrack-tcp-be-liberal"),
                    unused("configSyncPeriod", "config-sync-period", "15m", "15m0s"),
                    unused("windowsRunAsService", "windows-service"),
                    unused("", "init-only"),
                    unused("", "cleanup-ipvs"),
                    unused("", "udp-timeout"),
                    unused("", "healthz-port", "10256"),
                    unused("", "metrics-port", "10249"));

    private static final Map<String, String> DETECTION =
            Map.of(
                    "ClusterCIDR", "cluster-cidr",
                    "NodeCIDR", "node-cidr",
                    "BridgeInterface", "bridge-interface",
                    "InterfaceNamePrefix", "interface-name-prefix");

    /** Flags that stand without a value as a rule. */
    private static final Set<String> TRUTHS =
            Set.of(
                    "bind-address-hard-fail",
                    "profiling",
                    "masquerade-all",
                    "iptables-localhost-nodeports",
                    "ipvs-strict-arp",
                    "conntrack-tcp-be-liberal",
                    "windows-service",
                    "init-only",
                    "cleanup-ipvs");

    KubeProxySetting {
        asGood = Set.copyOf(asGood);
    }

    private static KubeProxySetting used(String field, String flag, String key) {
        return used(field, flag, key, text -> text);
    }

    private static KubeProxySetting used(
            String field, String flag, String key, UnaryOperator<String> translation) {
        return new KubeProxySetting(field, flag, key, translation, Set.of());
    }

    private static KubeProxySetting unused(String field, String flag, String... asGood) {
        return new KubeProxySetting(field, flag, "", text -> text, Set.of(asGood));
    }

    boolean isUsed() {
        return !key.isEmpty();
    }

    boolean isTruth() {
        return TRUTHS.contains(flag);
    }

    /** Whether a value says nothing: the defaults of kube-proxy take its place. */
    static boolean isUnset(String value) {
        return Set.of("", "null", "0", "0s", "false", "[]", "{}").contains(value);
    }

    static Optional<KubeProxySetting> ofFlag(String name) {
        return ALL.stream()
                .filter(setting -> !name.isEmpty() && setting.flag.equals(name))
                .findFirst();
    }

    static Map<String, KubeProxySetting> byField() {
        Map<String, KubeProxySetting> byField = new TreeMap<>();
        ALL.stream()
                .filter(setting -> !setting.field.isEmpty())
                .forEach(setting -> byField.put(setting.field, setting));
        return byField;
    }

    /** A bare address gets the port, as kube-proxy's flags do it. */
    private static String address(String text, int port) {
        if (text.isEmpty()) {
            return "none";
        }
        boolean isBare4 = text.indexOf(':') < 0;
        boolean isBare6 = !text.startsWith("[") && text.indexOf(':') != text.lastIndexOf(':');
        return isBare4 ? text + ":" + port : isBare6 ? "[" + text + "]:" + port : text;
    }

    private static String detection(String text) {
        String mode = DETECTION.get(text);
        if (mode == null) {
            throw new IllegalArgumentException(
                    "must be one of ClusterCIDR, NodeCIDR, BridgeInterface, InterfaceNamePrefix");
        }
        return mode;
    }

    /** {@code 20000-21000}, {@code 20000+1000} or one port. */
    private static String portRange(String text) {
        int plus = text.indexOf('+');
        if (plus < 0) {
            return text;
        }
        try {
            int first = Integer.parseInt(text.substring(0, plus).strip());
            int more = Integer.parseInt(text.substring(plus + 1).strip());
            return first + "-" + Math.addExact(first, more);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "must be a port range such as 20000-21000 or 20000+1000", e);
        }
    }

    /** What Go writes, such as {@code 1m30s}, in milliseconds. */
    private static String duration(String text) {
        try {
            return Duration.parse("PT" + text.toUpperCase(Locale.ROOT)).toMillis() + "ms";
        } catch (DateTimeException e) {
            if (text.matches("\\d{1,9}ms")) {
                return text;
            }
            throw new IllegalArgumentException("must be a duration such as 1m30s or 500ms", e);
        }
    }
}
