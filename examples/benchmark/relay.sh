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
programs=(java haproxy nginx wrk curl)
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

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
nginx -c "$work/backend.conf" -p "$work" 2>/dev/null & pid[backend]=$!
nginx -c "$work/stream.conf" -p "$work" 2>/dev/null & pid[nginx]=$!; port[nginx]=19002
haproxy -f "$work/haproxy.cfg" 2>/dev/null & pid[haproxy]=$!; port[haproxy]=19001
haproxy -f "$work/haproxy-splice.cfg" 2>/dev/null & pid[haproxy-splice]=$!; port[haproxy-splice]=19003
sluice TCP 19000
for name in "${!port[@]}"; do
  for _ in $(seq 50); do curl -sf -o /dev/null "http://127.0.0.1:${port[$name]}/small" && break; sleep 0.1; done
done

# Each prints: units done (GiB, requests, connections), then seconds.
bulk() { local t; t=$(now); for _ in 1 2 3 4; do curl -s -o /dev/null "http://127.0.0.1:$1/big"; done; echo "4 $(echo "$(now) - $t" | bc)"; }
wrk_count() { wrk -t1 -c"$2" -d"${seconds}s" "${@:3}" "http://127.0.0.1:$1/small" | awk '/requests in/ {n=$1; t=$4; sub(/s,/, "", t); print n, t}'; }
requests() { wrk_count "$1" 32; }
connections() { wrk_count "$1" 16 -H 'Connection: close'; }

names=(haproxy haproxy-splice nginx sluice)
for round in $(seq 0 "$rounds"); do
  for kind in bulk requests connections; do
    for name in "${names[@]}"; do measure "$kind" "$name" "$round" "$kind" "${port[$name]}"; done
  done
done

report "${names[*]}" "bulk:CPU ms per GiB:1000:GiB/s" "requests:CPU us per request:1:requests/s" \
  "connections:CPU us per connection:1:connections/s"
