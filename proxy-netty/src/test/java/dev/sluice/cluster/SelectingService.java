package dev.sluice.cluster;

import dev.sluice.e2e.Pod;
import java.net.InetSocketAddress;

/**
 * A Service whose endpoints are the ready Pods with the label {@code app: APP}, which the
 * controllers find.
 *
 * <p>Immutable; any thread.
 *
 * @param app what is selected, and a label of the Service as well
 * @param name of the Service, in the namespace {@code default}
 * @param clusterIp of 10.96.0.0/16, port 80
 */
record SelectingService(String app, String name, String clusterIp) {
    InetSocketAddress address() {
        return new InetSocketAddress(clusterIp, 80);
    }

    String yaml() {
        return """
        apiVersion: v1
        kind: Service
        metadata: {name: %1$s, labels: {app: %2$s}}
        spec: {selector: {app: %2$s}, clusterIP: %3$s, ports: [{port: 80, targetPort: %4$d}]}
        """
                .formatted(name, app, clusterIp, Pod.PORT);
    }
}
