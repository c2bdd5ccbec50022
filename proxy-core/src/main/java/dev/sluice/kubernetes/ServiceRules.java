package dev.sluice.kubernetes;

import dev.sluice.config.ProxyConfig;
import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Settings that decide which Services are served, and which of the addresses that they name.
 *
 * <p>Immutable; any thread.
 *
 * @param proxyName the value of {@code service.kubernetes.io/service-proxy-name} of Services that
 *     are served; empty: those without this label
 * @param externalIps ranges of {@code spec.externalIPs} that are served; KEP-5707 tells why not all
 */
record ServiceRules(
        LoopbackEndpoints loopback, Optional<String> proxyName, List<Cidr> externalIps) {

    ServiceRules {
        externalIps = List.copyOf(externalIps);
    }

    /** Services without a proxy name, and no external IPs. */
    static ServiceRules of(LoopbackEndpoints loopback) {
        return new ServiceRules(loopback, Optional.empty(), List.of());
    }

    /** What the settings say. */
    static ServiceRules of(ProxyConfig config) {
        return new ServiceRules(
                config.dial().allowLoopback()
                        ? LoopbackEndpoints.ALLOWED
                        : LoopbackEndpoints.REFUSED,
                config.services().proxyName(),
                config.services().externalIps());
    }

    boolean servesExternalIp(IpAddress address) {
        return externalIps.stream().anyMatch(range -> range.contains(address));
    }

    /** Whether the labels of a Service leave it to this proxy. */
    boolean servesLabels(Map<String, String> labels) {
        return !labels.containsKey(WellKnownLabels.HEADLESS)
                && proxyName.equals(
                        Optional.ofNullable(labels.get(WellKnownLabels.SERVICE_PROXY_NAME)));
    }
}
