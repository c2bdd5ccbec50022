package dev.sluice.cluster;

import dev.sluice.e2e.Pod;
import java.io.IOException;

/**
 * The object that stands for a pod in the API, with the label {@code app: NAME} of its application;
 * what a kubelet reports is written by the test.
 *
 * <p>Threads: the test's.
 */
record KubePod(ControlPlane controlPlane, String name, String app, Pod pod) {
    private static final String POD =
            """
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%s", "namespace": "default", "labels": {"app": "%s"}},
             "spec": {"nodeName": "node", "containers": [{"name": "main", "image": "none"}]},
             "status": {"phase": "Running", "podIP": "%3$s", "podIPs": [{"ip": "%3$s"}],
                        "conditions": [{"type": "Ready", "status": "%4$s"}]}}
            """;

    /** Creates it as one that is not ready. */
    void create() throws IOException {
        controlPlane.apply(json("False"));
        becomes("False");
    }

    /** Reports the condition Ready as {@code True} or {@code False}. */
    void becomes(String ready) throws IOException {
        controlPlane.replaceStatus("/api/v1/namespaces/default/pods/" + name, json(ready));
    }

    void delete() throws IOException {
        controlPlane.kubectl("delete", "pod", name, "--grace-period=0", "--force");
    }

    private String json(String ready) {
        return POD.formatted(name, app, pod.ipv4(), ready);
    }
}
