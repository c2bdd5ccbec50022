#!/bin/bash
# Sluice's relay against HAProxy (TCP mode, with and without splice) and nginx (stream) in one run, on loopback.
#
#   ./mvnw -q -DskipTests package && examples/benchmark/relay.sh [ROUNDS] [SECONDS]
#
# Needs java, haproxy, nginx with its stream module, wrk and curl. No root: no redirect is part of it, for nobody. Backend,
# load generator and proxy share the machine's cores, so what is compared is the CPU time of the proxy's process, which the
# others' work hardly touches, and the rate as a second figure. Rounds are interleaved; the first warms up and is not
# counted; medians are printed, and the ratio to HAProxy.
set -euo pipefail

rounds=${1:-5}
seconds=${2:-5}
root=$(cd "$(dirname "$0")/../.." && pwd)
jar=$root/proxy-netty/target/sluice.jar
for program in java haproxy nginx wrk curl; do
  command -v "$program" >/dev/null || { echo "$0: $program is missing" >&2; exit 1; }
done
[ -f "$jar" ] || { echo "$0: $jar is missing: ./mvnw -q -DskipTests package" >&2; exit 1; }

work=$(mktemp -d)
declare -A pid port
cleanup() {
  for p in "${pid[@]}"; do kill "$p" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

module=$(find /usr/lib/nginx /usr/lib64/nginx -name ngx_stream_module.so 2>/dev/null | head -1 || true)
nginx_conf() { # name, body
  cat >"$work/$1.conf" <<CONF
${module:+load_module $module;}
daemon off; master_process off; worker_processes 1; pid $work/$1.pid; error_log $work/$1.log;
events { worker_connections 4096; }
$2
CONF
}
temp="client_body_temp_path $work/t; proxy_temp_path $work/t; fastcgi_temp_path $work/t; uwsgi_temp_path $work/t; scgi_temp_path $work/t;"
mkdir "$work/www"
head -c 100 /dev/zero | tr '\0' x >"$work/www/small"
truncate -s 1G "$work/www/big"
nginx_conf backend "http { $temp access_log off; keepalive_requests 100000000; sendfile on; server { listen 127.0.0.1:19000; root $work/www; } }"
nginx_conf stream "stream { server { listen 127.0.0.1:19002; proxy_pass 127.0.0.1:19000; } }"
haproxy_conf() { # name, port, options
  cat >"$work/$1.cfg" <<CONF
global
  nbthread $(nproc)
  maxconn 4000
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  $3
listen l
  bind 127.0.0.1:$2
  server s 127.0.0.1:19000
CONF
}
haproxy_conf haproxy 19001 ""
haproxy_conf haproxy-splice 19003 "option splice-auto"
cat >"$work/services.yaml" <<'CONF'
apiVersion: v1
kind: Service
metadata: {name: backend}
spec: {clusterIP: 192.0.2.1, ports: [{port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: backend-1, labels: {kubernetes.io/service-name: backend}}
addressType: IPv4
endpoints: [{addresses: [127.0.0.1]}]
ports: [{name: "", port: 19000}]
CONF

nginx -c "$work/backend.conf" -p "$work" 2>/dev/null & pid[backend]=$!
nginx -c "$work/stream.conf" -p "$work" 2>/dev/null & pid[nginx]=$!; port[nginx]=19002
haproxy -f "$work/haproxy.cfg" 2>/dev/null & pid[haproxy]=$!; port[haproxy]=19001
haproxy -f "$work/haproxy-splice.cfg" 2>/dev/null & pid[haproxy-splice]=$!; port[haproxy-splice]=19003
java -jar "$jar" run --manifests "$work/services.yaml" --redirect none --set dial.allow-loopback=true --set admin.address=none 2>"$work/sluice.log" &
pid[sluice]=$!
for _ in $(seq 100); do
  port[sluice]=$(sed -n 's/.*-> 127.0.0.1:\([0-9]*\)$/\1/p' "$work/sluice.log" | head -1)
  [ -n "${port[sluice]}" ] && break
  sleep 0.1
done
[ -n "${port[sluice]}" ] || { cat "$work/sluice.log" >&2; exit 1; }
for name in "${!port[@]}"; do
  for _ in $(seq 50); do curl -sf -o /dev/null "http://127.0.0.1:${port[$name]}/small" && break; sleep 0.1; done
done

cpu_ticks() { awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$1/stat"; }
now() { date +%s.%N; }
tick=$(getconf CLK_TCK)

# Each prints: units done (GiB, requests, connections), then seconds.
bulk() { local t; t=$(now); for _ in 1 2 3 4; do curl -s -o /dev/null "http://127.0.0.1:$1/big"; done; echo "4 $(echo "$(now) - $t" | bc)"; }
wrk_count() { wrk -t1 -c"$2" -d"${seconds}s" "${@:3}" "http://127.0.0.1:$1/small" | awk '/requests in/ {n=$1; t=$4; sub(/s,/, "", t); print n, t}'; }
requests() { wrk_count "$1" 32; }
connections() { wrk_count "$1" 16 -H 'Connection: close'; }

measure() { # kind, name, round
  local before after units time
  before=$(cpu_ticks "${pid[$2]}")
  read -r units time < <("$1" "${port[$2]}")
  after=$(cpu_ticks "${pid[$2]}")
  [ "$3" -eq 0 ] || echo "$1 $2 $units $time $(((after - before) * 1000000 / tick))" >>"$work/results"
}

names=(haproxy haproxy-splice nginx sluice)
for round in $(seq 0 "$rounds"); do
  for kind in bulk requests connections; do
    for name in "${names[@]}"; do measure "$kind" "$name" "$round"; done
  done
done

awk -v names="${names[*]}" '
  function median(list, n, a, i, j, t) {
    n = split(list, a, " ")
    for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j-1] + 0 > a[j] + 0; j--) { t = a[j]; a[j] = a[j-1]; a[j-1] = t }
    return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
  }
  { cpu[$1, $2] = cpu[$1, $2] " " $5 / $3; rate[$1, $2] = rate[$1, $2] " " $3 / $4 }
  END {
    unit["bulk"] = "CPU ms per GiB"; scale["bulk"] = 1000; per["bulk"] = "GiB/s"
    unit["requests"] = "CPU us per request"; scale["requests"] = 1; per["requests"] = "requests/s"
    unit["connections"] = "CPU us per connection"; scale["connections"] = 1; per["connections"] = "connections/s"
    n = split(names, name, " ")
    for (k = 1; k <= 3; k++) {
      kind = k == 1 ? "bulk" : k == 2 ? "requests" : "connections"
      printf "%-12s %-16s %22s %8s %16s %8s\n", kind, "", unit[kind], "ratio", per[kind], "ratio"
      for (i = 1; i <= n; i++) {
        c = median(cpu[kind, name[i]]) / scale[kind]; r = median(rate[kind, name[i]])
        if (i == 1) { c1 = c; r1 = r }
        printf "%-12s %-16s %22.1f %8.2f %16.2f %8.2f\n", "", name[i], c, c / c1, r, r / r1
      }
    }
  }' "$work/results"
