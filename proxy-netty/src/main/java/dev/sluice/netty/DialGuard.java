package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is never dialled, whoever asks for it: addresses that reach the node itself or nobody in
 * particular (CVE-2021-25737), and addresses that would come back to Sluice. Checked at each dial,
 * since an endpoint may have been harmless when it was read.
 *
 * <p>Threads: written by the control thread, read by event loops.
 */
final class DialGuard {
    private final boolean allowLoopback;
    private final Map<FrontEnd, ServicePort> frontEnds = new ConcurrentHashMap<>();

    /** Several may have one port, each on another address of the node. */
    private final Map<LocalPort, Set<ServicePortName>> listenerPorts = new ConcurrentHashMap<>();

    DialGuard(boolean allowLoopback) {
        this.allowLoopback = allowLoopback;
    }

    /** Takes note of a Service port that is served on local ports. */
    void add(ServicePort servicePort, Set<Integer> localPorts) {
        servicePort.frontEnds().forEach(frontEnd -> frontEnds.put(frontEnd, servicePort));
        localPorts.forEach(port -> take(servicePort.name(), port));
    }

    /** Takes note of the value that follows another one, without a gap in what both have. */
    void replace(
            ServicePort before,
            Set<Integer> portsBefore,
            ServicePort after,
            Set<Integer> portsAfter) {
        add(after, portsAfter);
        portsBefore.stream()
                .filter(port -> !portsAfter.contains(port))
                .forEach(port -> leave(before.name(), port));
        before.frontEnds().stream()
                .filter(frontEnd -> !after.frontEnds().contains(frontEnd))
                .forEach(frontEnd -> frontEnds.remove(frontEnd, before));
    }

    /**
     * Forgets a value that was added, unless another Service port has taken its front ends over.
     */
    void remove(ServicePort servicePort, Set<Integer> localPorts) {
        servicePort.frontEnds().forEach(frontEnd -> frontEnds.remove(frontEnd, servicePort));
        localPorts.forEach(port -> leave(servicePort.name(), port));
    }

    private void take(ServicePortName name, int port) {
        listenerPorts
                .computeIfAbsent(
                        new LocalPort(port, name.protocol()),
                        unowned -> ConcurrentHashMap.newKeySet())
                .add(name);
    }

    private void leave(ServicePortName name, int port) {
        listenerPorts.computeIfPresent(
                new LocalPort(port, name.protocol()),
                (key, owners) -> {
                    owners.remove(name);
                    return owners.isEmpty() ? null : owners;
                });
    }

    /** The reason not to reach an endpoint by a protocol; empty if there is none. */
    Optional<String> forbids(Endpoint endpoint, Protocol protocol) {
        IpAddress address = endpoint.address();
        if (address.isLoopback() && !allowLoopback) {
            return Optional.of("a loopback address");
        }
        if (address.isLinkLocal()) {
            return Optional.of("a link-local address");
        }
        if (address.isMulticast() || address.isBroadcast()) {
            return Optional.of("no address of one host");
        }
        if (address.isUnspecified()) {
            return Optional.of("the unspecified address");
        }
        if (frontEnds.containsKey(new FrontEnd(address, endpoint.port(), protocol))) {
            return Optional.of("a front end of a Service");
        }
        if (listenerPorts.containsKey(new LocalPort(endpoint.port(), protocol))
                && isLocal(address)) {
            return Optional.of("a listener of this proxy");
        }
        return Optional.empty();
    }

    private static boolean isLocal(IpAddress address) {
        try {
            return address.isLoopback()
                    || NetworkInterface.getByInetAddress(address.toInetAddress()) != null;
        } catch (SocketException e) {
            return true;
        }
    }

    private record LocalPort(int port, Protocol protocol) {}
}
