package dev.sluice.cluster;

import java.io.IOException;

/**
 * kube-proxy 1.20.2.
 *
 * <p>Threads: the test's.
 */
final class KubeProxyOnNode implements NodeProxy {
    private final ControlPlane controlPlane;
    private final String mode;

    /**
     * One that does not run yet.
     *
     * @param mode {@code userspace} or {@code iptables}
     */
    KubeProxyOnNode(Lab lab, String mode) {
        this.controlPlane = lab.controlPlane();
        this.mode = mode;
    }

    @Override
    public void start() throws IOException {
        controlPlane.script("kube-proxy.sh", mode);
    }

    @Override
    public void restart() throws IOException {
        controlPlane.script("kube-proxy.sh", "end");
        start();
    }

    /** The end of the control plane ends it. */
    @Override
    public void close() {}
}
