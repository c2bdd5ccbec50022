#!/bin/bash
# kube-proxy in the namespace of a cluster that up.sh has started:
#
#   [NS=kube] ./kube-proxy.sh userspace|iptables
#   [NS=kube] ./kube-proxy.sh end        it ends, its rules stay, as it is made
#   [NS=kube] ./kube-proxy.sh stop       it ends, and its rules are taken away
#
# An interface of the namespace must have the address ADVERTISE of up.sh, and the default route must lead over it.
. "$(dirname "$0")/common.sh"
need_root
need_cluster
need_built kube-proxy
case ${1:-} in
  end)
    stop kube-proxy 3
    exit 0
    ;;
  stop)
    stop kube-proxy 3
    # Where ipset is missing it says that it failed, whatever it did; empty chains stay behind.
    in_ns "$bin/kube-proxy" --cleanup >>"$state/kube-proxy.log" 2>&1 || true
    if in_ns iptables-save | grep -E '^-A (PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING) .*KUBE-'; then
      fail "these rules are left; see $state/kube-proxy.log"
    fi
    exit 0
    ;;
  userspace | iptables) mode=$1 ;;
  *) fail "'${1:-}': must be userspace, iptables, end or stop" ;;
esac

# The userspace proxier of 1.20 reads core/v1 Endpoints only, and waits for ever with slices (kubernetes/kubernetes#100880).
slices=true
[ "$mode" = userspace ] && slices=false
cat >"$state/kube-proxy.yaml" <<K
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
hostnameOverride: node
mode: $mode
clientConnection: {kubeconfig: $state/admin.kubeconfig}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
featureGates: {EndpointSliceProxying: $slices}
# No sysctl of conntrack is set: those of a namespace are not all its own.
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
K
start kube-proxy "$bin/kube-proxy" --config="$state/kube-proxy.yaml" -v=2
await "kube-proxy answers" 30 kube-proxy in_ns curl -fsS --max-time 2 http://127.0.0.1:10256/healthz
