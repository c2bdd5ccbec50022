package dev.sluice.config;

import static dev.sluice.config.KubeProxySetting.truth;
import static dev.sluice.config.KubeProxySetting.unused;
import static dev.sluice.config.KubeProxySetting.used;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * All that kube-proxy can be told: the fields of its file and its flags, those of its log and those
 * of earlier versions included.
 *
 * <p>Immutable; any thread.
 */
final class KubeProxyTable {
    /** In the order of the file; flags that no field stands for are last. */
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
                            text -> KubeProxyValues.address(text, 10_256)),
                    used(
                            "metricsBindAddress",
                            "metrics-bind-address",
                            "admin.address",
                            text -> KubeProxyValues.address(text, 10_249)),
                    used("nodePortAddresses", "nodeport-addresses", "node-ports.addresses"),
                    used("clusterCIDR", "cluster-cidr", "node.detect-local.cluster-cidrs"),
                    used(
                            "detectLocalMode",
                            "detect-local-mode",
                            "node.detect-local.mode",
                            KubeProxyValues::detection,
                            "ClusterCIDR"),
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
                            KubeProxyValues::portRange,
                            "0-0"),
                    used(
                            "iptables.minSyncPeriod",
                            "iptables-min-sync-period",
                            "reconcile.min-rule-interval",
                            KubeProxyValues::duration),
                    used(
                            "conntrack.udpTimeout",
                            "conntrack-udp-timeout",
                            "udp.unreplied-timeout",
                            KubeProxyValues::duration),
                    used(
                            "conntrack.udpStreamTimeout",
                            "conntrack-udp-timeout-stream",
                            "udp.replied-timeout",
                            KubeProxyValues::duration),
                    unused("mode", "proxy-mode", "iptables", "userspace"),
                    unused("bindAddress", "bind-address", "0.0.0.0", "::"),
                    truth("bindAddressHardFail", "bind-address-hard-fail"),
                    truth("enableProfiling", "profiling"),
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
                    truth("iptables.masqueradeAll", "masquerade-all", "true", "false"),
                    truth("iptables.localhostNodePorts", "iptables-localhost-nodeports", "true"),
                    unused("iptables.snatNodeInternalIP", ""),
                    unused("iptables.syncPeriod", "iptables-sync-period", "30s"),
                    unused("ipvs.syncPeriod", "ipvs-sync-period", "30s"),
                    unused("ipvs.minSyncPeriod", "ipvs-min-sync-period", "1s"),
                    unused("ipvs.scheduler", "ipvs-scheduler", "rr"),
                    unused("ipvs.excludeCIDRs", "ipvs-exclude-cidrs"),
                    truth("ipvs.strictARP", "ipvs-strict-arp"),
                    unused("ipvs.tcpTimeout", "ipvs-tcp-timeout"),
                    unused("ipvs.tcpFinTimeout", "ipvs-tcpfin-timeout"),
                    unused("ipvs.udpTimeout", "ipvs-udp-timeout"),
                    unused("nftables.masqueradeBit", "", "14"),
                    unused("nftables.masqueradeAll", "", "true", "false"),
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
                    truth("conntrack.tcpBeLiberal", "conntrack-tcp-be-liberal"),
                    unused("configSyncPeriod", "config-sync-period", "15m", "15m0s"),
                    truth("windowsRunAsService", "windows-service"),
                    truth("", "cleanup-ipvs"),
                    unused("", "udp-timeout"),
                    unused("", "healthz-port", "10256"),
                    unused("", "metrics-port", "10249"),
                    truth("", "logtostderr", "true", "false"),
                    truth("", "alsologtostderr"),
                    unused("", "stderrthreshold", "2", "ERROR"),
                    unused("", "log-file"),
                    unused("", "log-file-max-size", "1800"),
                    unused("", "log-dir"),
                    unused("", "log-backtrace-at", ":0"),
                    truth("", "add-dir-header"),
                    truth("", "skip-headers"),
                    truth("", "skip-log-headers"),
                    truth("", "one-output"),
                    unused("", "log-json-info-buffer-size"),
                    truth("", "log-json-split-stream"),
                    unused("", "log-text-info-buffer-size"),
                    truth("", "log-text-split-stream"));

    private KubeProxyTable() {}

    /**
     * @param name without the dashes; as in kube-proxy, {@code log_dir} is {@code log-dir}
     */
    static Optional<KubeProxySetting> ofFlag(String name) {
        String dashed = name.replace('_', '-');
        return ALL.stream()
                .filter(setting -> !dashed.isEmpty() && setting.flag().equals(dashed))
                .findFirst();
    }

    /**
     * What a field of the file is. A section that Sluice has no use for at all stands for its
     * fields.
     *
     * @param path such as {@code iptables.syncPeriod}
     */
    static Optional<KubeProxySetting> ofField(String path) {
        return ALL.stream()
                .filter(setting -> !setting.field().isEmpty())
                .filter(
                        setting ->
                                path.equals(setting.field())
                                        || (!setting.isUsed()
                                                && path.startsWith(setting.field() + ".")))
                .findFirst();
    }

    /** Whether fields stand below this path. */
    static boolean isSection(String path) {
        return ALL.stream().anyMatch(setting -> setting.field().startsWith(path + "."));
    }
}
