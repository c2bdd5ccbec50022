package dev.sluice.state;

import dev.sluice.config.PortRanges;

/** Ports that other programs of a node expect to find free, perhaps only later. */
final class WellKnownPorts {
    /**
     * Never given to a listener. Only those are listed that lie in the default of {@code
     * sluice.listener.port-range}.
     */
    static final PortRanges OF_NODES =
            PortRanges.parse(
                    String.join(
                            ",",
                            "10000", // webmin
                            "10010", // containerd: streaming of exec and logs
                            "10050-10051", // Zabbix
                            // ingress-nginx 10245-10247 and 10254, kubelet 10248, 10250 and 10255,
                            // kube-proxy 10249 and 10256, controller managers 10252, 10257 and
                            // 10258, scheduler 10251 and 10259, cloud webhook 10260
                            "10245-10260",
                            "10443", // API servers and ingresses of local clusters
                            "11211", // memcached
                            "11434", // Ollama
                            "12379-12380", // etcd of MicroK8s
                            "15000-15090", // Istio: Envoy admin, inbound, outbound, health
                            "15672", // RabbitMQ management
                            "16379", // Redis cluster bus
                            "16443", // API server of MicroK8s
                            "18080", // health and metrics of many programs
                            "19001", // dqlite of MicroK8s
                            "19100", // node exporter behind a proxy (OpenShift)
                            "20048", // NFS mountd
                            "24007-24008", // GlusterFS
                            "25000", // cluster agent of MicroK8s
                            "25672", // RabbitMQ clustering
                            "26257", // CockroachDB
                            "26379", // Redis Sentinel
                            "27017-27019", // MongoDB
                            "28015", // RethinkDB
                            "29092", // Kafka
                            "61208-61209", // Glances
                            "61616", // ActiveMQ
                            "61678-61679")); // AWS VPC CNI: introspection and metrics

    /**
     * The default of the API server's {@code --service-node-port-range}; left out of the ephemeral
     * fallback. Whoever names such ports in {@code sluice.listener.port-range} has another range.
     */
    static final PortRanges NODE_PORTS = PortRanges.parse("30000-32767");

    private WellKnownPorts() {}
}
