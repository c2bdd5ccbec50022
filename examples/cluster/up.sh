#!/bin/bash
# Starts etcd and a real kube-apiserver in the network namespace NS (default "kube", made if it is not there), and prints
# the path of a kubeconfig for it. What runs already is left alone. Needs root, and build.sh once.
#
#   [NS=kube] [BIND=127.0.0.1] [ADVERTISE=192.0.2.1] [AUTHZ=AlwaysAllow|RBAC] [CONTROLLERS=1] [RUNTIME_CONFIG=…] ./up.sh
#
# BIND            where it listens inside the namespace, port 6443
# ADVERTISE       its endpoint in the Service default/kubernetes, and address of the Node "node"; not loopback
# AUTHZ=RBAC      the service account kube-system:sluice may do what RBAC grants, and no more
# CONTROLLERS=1   also kube-controller-manager with the controllers that make Endpoints and EndpointSlices of Pods
# RUNTIME_CONFIG  --runtime-config: discovery.k8s.io/v1beta1=false takes EndpointSlices away
#
# admin.kubeconfig may do everything, sluice.kubeconfig is that service account; down.sh ends it all.
. "$(dirname "$0")/common.sh"
need_root
need_programs ip etcd kubectl curl openssl setsid
need_built kube-apiserver ${CONTROLLERS:+kube-controller-manager}

advertise=${ADVERTISE:-192.0.2.1}
case $advertise in 127.* | ::1) fail "ADVERTISE=$advertise: must not be loopback, the API server refuses that" ;; esac
authz=${AUTHZ:-AlwaysAllow}
case $authz in AlwaysAllow | RBAC) ;; *) fail "AUTHZ=$authz: must be AlwaysAllow or RBAC" ;; esac

mkdir -p "$state"
if ! [ -e "/run/netns/$ns" ]; then
  ip netns add "$ns"
  # down.sh removes what this made, and nothing else.
  : >"$state/namespace"
fi
ip -n "$ns" link set lo up

printf '%s=%q\n' bind "$bind" advertise "$advertise" authz "$authz" runtime_config "${RUNTIME_CONFIG:-}" >"$state/settings"
[ -f "$state/service-account.key" ] || openssl genrsa -out "$state/service-account.key" 2048 2>/dev/null
if ! [ -f "$state/tokens.csv" ]; then
  admin=$(openssl rand -hex 16)
  sluice=$(openssl rand -hex 16)
  printf '%s\n' "$admin,admin,admin,\"system:masters\"" \
    "$sluice,system:serviceaccount:kube-system:sluice,sluice,\"system:serviceaccounts,system:authenticated\"" >"$state/tokens.csv"
  echo "Authorization: Bearer $admin" >"$state/admin.header"
fi

start_etcd
start_apiserver

while IFS=, read -r token _ user _; do
  cat >"$state/$user.kubeconfig" <<K
apiVersion: v1
kind: Config
clusters: [{name: cluster, cluster: {server: "https://$bind:6443", certificate-authority: $state/certs/apiserver.crt}}]
users: [{name: $user, user: {token: $token}}]
contexts: [{name: cluster, context: {cluster: cluster, user: $user}}]
current-context: cluster
K
done <"$state/tokens.csv"
create_node

if [ -n "${CONTROLLERS:-}" ]; then
  start controllers "$bin/kube-controller-manager" --kubeconfig="$state/admin.kubeconfig" --leader-elect=false \
    --controllers=endpoint,endpointslice,endpointslicemirroring --bind-address=127.0.0.1 --port=0 --secure-port=10257 \
    --cert-dir="$state/controllers-certs"
  await "the controllers are up" 60 controllers in_ns curl -fsSk --max-time 2 https://127.0.0.1:10257/healthz
fi
echo "$state/admin.kubeconfig"
