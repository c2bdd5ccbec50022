# shellcheck shell=bash
# What the scripts of this folder share: names, paths, and how processes are started and ended. Sourced, never run.
set -euo pipefail
umask 077

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for the scripts
kube_version=1.20.2
bin=${KUBE_BIN:-$HOME/.cache/sluice/kube-$kube_version}
ns=${NS:-kube}
# Below /run, where nobody but root can have put something in the way; in memory, so that etcd's syncs cost nothing.
state=$(realpath -m "${STATE:-/run/sluice-cluster/$ns}")
bind=${BIND:-127.0.0.1}

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

need_root() {
  [ "$(id -u)" = 0 ] || fail "must run as root: it makes a network namespace and runs programs there"
}

need_programs() {
  local program
  for program; do
    command -v "$program" >/dev/null || fail "$program is missing: run $here/build.sh first"
  done
}

need_built() {
  local program
  for program; do
    [ -x "$bin/$program" ] || fail "$bin/$program is missing: run $here/build.sh first"
  done
}

need_cluster() {
  [ -f "$state/admin.kubeconfig" ] || fail "no cluster in network namespace '$ns' (state directory $state): run up.sh first"
}

in_ns() {
  ip netns exec "$ns" "$@"
}

# Waits until a command succeeds: what for, seconds at most, name of the process that must live meanwhile, command.
await() {
  local what=$1 end=$((SECONDS + $2)) name=$3
  shift 3
  until "$@" >/dev/null 2>&1; do
    # A process that replaces its program has no command line for a moment.
    is_running "$name" || { sleep 0.2 && is_running "$name"; } || fail "$name ended before $what; the end of $state/$name.log:
$(tail -n 5 "$state/$name.log")"
    [ "$SECONDS" -lt "$end" ] || fail "$what: not in time; see $state/$name.log"
    sleep 0.1
  done
}

# Whether the process of this name runs. Its command line holds the state directory, so that a later process with the same
# pid is not taken for it.
is_running() {
  local pid
  [ -f "$state/$1.pid" ] || return 1
  pid=$(cat "$state/$1.pid")
  grep -qsaF -- "$state/" "/proc/$pid/cmdline"
}

# Starts a program in the namespace unless it runs already: its name, the command.
start() {
  local name=$1
  shift
  is_running "$name" && return
  # In a session of its own, so that ^C in a terminal does not end it; exec, so that the pid is the program's.
  (exec ip netns exec "$ns" setsid "$@" </dev/null >>"$state/$name.log" 2>&1) &
  echo $! >"$state/$name.pid"
  # Until then the process is this script's.
  until is_running "$name" || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
}

# Ends a program if it runs, by force after some seconds, and returns when it is gone: its name, the seconds.
stop() {
  local name=$1 end=$((SECONDS + $2)) pid
  if is_running "$name"; then
    pid=$(cat "$state/$name.pid")
    kill "$pid"
    while is_running "$name"; do
      [ "$SECONDS" -lt "$end" ] || kill -KILL "$pid" 2>/dev/null || true
      sleep 0.1
    done
  fi
  rm -f "$state/$name.pid"
}

start_etcd() {
  mkdir -p "$state/etcd"
  start etcd etcd --data-dir "$state/etcd" --listen-client-urls http://127.0.0.1:2379 \
    --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380 --logger zap
  await "etcd answers" 30 etcd in_ns curl -fsS --max-time 2 http://127.0.0.1:2379/health
}

# Settings are those with which up.sh was called.
start_apiserver() {
  local advertise='' authz='' runtime_config=''
  # shellcheck source=/dev/null
  . "$state/settings"
  start apiserver "$bin/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --service-cluster-ip-range=10.96.0.0/16 \
    --bind-address="$bind" --secure-port=6443 --cert-dir="$state/certs" --advertise-address="$advertise" \
    --service-account-key-file="$state/service-account.key" --service-account-signing-key-file="$state/service-account.key" \
    --service-account-issuer=https://kubernetes.default.svc --api-audiences=api \
    --token-auth-file="$state/tokens.csv" --authorization-mode="$authz" --disable-admission-plugins=ServiceAccount \
    --max-requests-inflight=2000 --max-mutating-requests-inflight=1000 ${runtime_config:+--runtime-config="$runtime_config"}
  await "the API server is ready" 90 apiserver \
    in_ns curl -fsS --max-time 5 --cacert "$state/certs/apiserver.crt" -H "@$state/admin.header" "https://$bind:6443/readyz"
}

# The Node object that the endpoint controllers and kube-proxy look for. No kubelet reports it; nothing is scheduled.
create_node() {
  local advertise=''
  # shellcheck source=/dev/null
  . "$state/settings"
  in_ns kubectl --kubeconfig "$state/admin.kubeconfig" apply -f - >/dev/null <<K
apiVersion: v1
kind: Node
metadata: {name: node}
K
  # Status is not part of apply.
  in_ns curl -fsS --cacert "$state/certs/apiserver.crt" -H "@$state/admin.header" \
    -X PATCH -H "Content-Type: application/merge-patch+json" \
    -d "{\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"$advertise\"}]}}" \
    "https://$bind:6443/api/v1/nodes/node/status" >/dev/null
}
