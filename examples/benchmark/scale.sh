#!/bin/bash
# What many Services cost, from a real API server, with real rules.
#
#   ./mvnw -q -DskipTests package && examples/cluster/build.sh && examples/benchmark/scale.sh [SERVICES ENDPOINTS]
#
# As root. 2000 Services of 5 endpoints unless told; SLUICE_JVM is that of the launcher. All is in a network namespace of its own: etcd, the API server, Sluice and the client. The
# endpoints are addresses that nobody has, but for one that new Services get; nobody asks the others.
set -euo pipefail

services=${1:-2000}
endpoints=${2:-5}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
launcher=$here/../../proxy-netty/target/sluice
[ -f "$launcher" ] || { echo "${0##*/}: $launcher is missing: ./mvnw -q -DskipTests package" >&2; exit 1; }
export NS=sluice-scale
state=/run/sluice-cluster/$NS

work=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  "$here/../cluster/down.sh"
  rm -rf "$work"
}
trap finish EXIT
inside() { ip netns exec "$NS" "$@"; }

"$here/../cluster/up.sh" >/dev/null
# A packet to a ClusterIP needs a route where it is sent from.
ip -n "$NS" link add lan type bridge
ip -n "$NS" addr add 192.0.2.1/24 dev lan
ip -n "$NS" link set lan up
ip -n "$NS" route add default via 192.0.2.2

cat >"$work/Backend.java" <<'JAVA'
class Backend {
    public static void main(String[] args) throws Exception {
        try (var server = new java.net.ServerSocket(8080)) {
            while (true) server.accept().close();
        }
    }
}
JAVA
ip netns exec "$NS" java -Xmx32m "$work/Backend.java" &
pids+=($!)

inside java -Xmx512m "$here/Scale.java" load "$state" "$services" "$endpoints"

started=$(date +%s%N)
ip netns exec "$NS" "$launcher" run --kubeconfig "$state/admin.kubeconfig" --set node.name=node \
  --set state.directory="$work/state" 2>"$work/sluice.log" &
sluice=$!
pids+=("$sluice")
until grep -q "serving " "$work/sluice.log"; do
  kill -0 "$sluice" 2>/dev/null || { cat "$work/sluice.log" >&2; exit 1; }
  sleep 0.02
done
printf '%-44s %10.1f\n' "start to serving, ms" "$((($(date +%s%N) - started) / 100000))e-1"
printf '%-44s %10.1f\n' "start to serving, CPU ms" \
  "$(awk '{sub(/.*\) /, ""); print ($12 + $13 + $14 + $15) * 10}' "/proc/$sluice/stat")"
curl() { inside /usr/bin/curl -s "$@"; }
printf '%-44s %10.1f\n' "first run of the control path, ms" \
  "$(curl http://127.0.0.1:10249/metrics | awk '/^kubeproxy_sync_proxy_rules_duration_seconds_sum/ {print $2 * 1000}')"
if ! inside java -Xmx256m "$here/Scale.java" measure "$state" "$services" "$endpoints" "$sluice" 192.0.2.1:8080; then
  tail -20 "$work/sluice.log" >&2
  exit 1
fi
printf '%-44s %10.1f\n' "rules in the kernel" "$(inside iptables-save | grep -c '^-A SLUICE-' || true)"
grep -E "WARN|ERROR" "$work/sluice.log" | head -5 || true
