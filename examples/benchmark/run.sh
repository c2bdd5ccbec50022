#!/bin/bash
# Sluice beside other proxies, the kernel's DNAT and no proxy at all, over network namespaces: client - node - server.
#
#   ./mvnw -q -DskipTests package && examples/benchmark/run.sh [--install] [ROUNDS] [SECONDS]
#
# Root on Linux. --install gets missing Debian packages. PEERS names a part of the peers, KINDS a part of the kinds;
# SLUICE_JVM is that of Sluice's launcher. README.md says what is measured and how.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
root=$(cd "$here/../.." && pwd)
install=
[ "${1:-}" != --install ] || { install=1; shift; }
rounds=${1:-5}
seconds=${2:-5}
rate=2000 idle=3000
[ "$(id -u)" = 0 ] || fail "must run as root: it makes network namespaces and NAT rules"

hdr=/usr/share/java/hdrhistogram.jar
stream=/usr/lib/nginx/modules/ngx_stream_module.so
missing=()
while read -r program package; do
  command -v "$program" >/dev/null || [ -e "$program" ] || missing+=("$package")
done <<P
java openjdk-17-jdk-headless
haproxy haproxy
nginx nginx-light
$stream libnginx-mod-stream
wrk wrk
curl curl
ip iproute2
iptables iptables
conntrack conntrack
$hdr libhdrhistogram-java
P
if [ ${#missing[@]} -gt 0 ]; then
  [ -n "$install" ] || fail "missing Debian packages: ${missing[*]} (--install gets them)"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
launcher=$root/proxy-netty/target/sluice
[ -f "$launcher" ] || fail "$launcher is missing: ./mvnw -q -DskipTests package"
ulimit -n "$(ulimit -Hn)"

work=$(mktemp -d)
c=bench-client-$$ n=bench-node-$$ s=bench-server-$$
declare -A pid=() vip=()
own=()
kube=$root/examples/cluster
cleanup() {
  [ ! -d "/run/sluice-cluster/$n" ] || NS=$n "$kube/down.sh" || true
  for p in "${own[@]}"; do kill "$p" 2>/dev/null || true; done
  wait 2>/dev/null || true
  for ns in "$c" "$n" "$s"; do ip netns del "$ns" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
in_ns() { ip netns exec "$@"; }
start() { # name, namespace, command; $! is the program's, which takes the place of ip
  (exec ip netns exec "${@:2}" </dev/null >>"$work/$1.log" 2>&1) &
  own+=($!)
}

# 10.77.1.2 client - 10.77.1.1 node 10.77.2.1 - server 10.77.2.2; 10.78.0.0/16 are more addresses of the client.
for ns in "$c" "$n" "$s"; do
  ip netns add "$ns"
  ip -n "$ns" link set lo up
  in_ns "$ns" sysctl -qw net.ipv4.ip_local_port_range="1024 65535" net.ipv4.tcp_tw_reuse=1
done
ip -n "$c" link add eth0 type veth peer name client netns "$n"
ip -n "$s" link add eth0 type veth peer name server netns "$n"
ip -n "$c" addr add 10.77.1.2/24 dev eth0
ip -n "$n" addr add 10.77.1.1/24 dev client
ip -n "$n" addr add 10.77.2.1/24 dev server
ip -n "$s" addr add 10.77.2.2/24 dev eth0
for end in "$c eth0" "$s eth0" "$n client" "$n server"; do ip -n "${end% *}" link set "${end#* }" up; done
ip -n "$c" route add default via 10.77.1.1
ip -n "$c" route add local 10.78.0.0/16 dev lo
ip -n "$s" route add default via 10.77.2.1
ip -n "$n" route add 10.78.0.0/16 via 10.77.1.2
ip -n "$n" route add default via 10.77.2.2
in_ns "$n" sysctl -qw net.ipv4.ip_forward=1
nat() { in_ns "$n" iptables -w -t nat -A PREROUTING -d "$1" -p "$2" --dport "$3" -j "${@:4}"; }

mkdir "$work/www"
head -c 100 /dev/zero | tr '\0' x >"$work/www/small"
truncate -s 64G "$work/www/big"
nginx_conf() { # name, body
  cat >"$work/$1.conf" <<CONF
load_module $stream;
daemon off; master_process off; worker_processes 1; pid $work/$1.pid; error_log $work/$1.log;
events { worker_connections 10000; }
$2
CONF
}
temp=$(for t in client_body proxy fastcgi uwsgi scgi; do echo "${t}_temp_path $work/t;"; done)
nginx_conf backend "http { $temp access_log off; keepalive_requests 100000000; keepalive_timeout 1h; sendfile on;
  server { listen 8000 backlog=4096; root $work/www; } }"
nginx_conf nginx "stream { server { listen 9003 backlog=4096; proxy_pass 10.77.2.2:8000; }
  server { listen 9004 udp; proxy_pass 10.77.2.2:8001; proxy_timeout 30s; }
  server { listen 9005 udp; proxy_pass 10.77.2.2:8001; proxy_responses 1; proxy_timeout 30s; } }"
haproxy_peer() { # name, port, VIP, option
  cat >"$work/$1.cfg" <<CONF
global
  nbthread $(nproc)
  maxconn 5000
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  $4
listen l
  bind 0.0.0.0:$2 backlog 4096
  server s 10.77.2.2:8000
CONF
  start "$1" "$n" haproxy -f "$work/$1.cfg"; pid[$1]=$!
  vip[$1]=$3; nat "$3" tcp 80 REDIRECT --to-ports "$2"
}
objects() { # VIP; a Service with one endpoint, for each who reads such
  cat <<CONF
apiVersion: v1
kind: Service
metadata: {name: backend}
spec: {clusterIP: $1, ports: [{name: tcp, port: 80, protocol: TCP}, {name: udp, port: 80, protocol: UDP}]}
---
apiVersion: discovery.k8s.io/v1$2
kind: EndpointSlice
metadata: {name: backend-1, labels: {kubernetes.io/service-name: backend}}
addressType: IPv4
endpoints: [{addresses: [10.77.2.2]}]
ports: [{name: tcp, port: 8000, protocol: TCP}, {name: udp, port: 8001, protocol: UDP}]
CONF
}
start_sluice() {
  objects 10.96.0.15 "" >"$work/services.yaml"
  start sluice "$n" "$launcher" run --manifests "$work/services.yaml" --set state.directory="$work/state" \
    --set redirect.beside-kube-proxy=true --set admin.address=none --set health.address=none
  pid[sluice]=$!; vip[sluice]=10.96.0.15
}
start_kube() {
  [ -x "${KUBE_BIN:-$HOME/.cache/sluice/kube-1.20.2}/kube-proxy" ] || { echo "kube-proxy: left out, examples/cluster/build.sh has not built it" >&2; return; }
  local config
  config=$(NS=$n ADVERTISE=10.77.2.1 "$kube/up.sh") || fail "the control plane did not start"
  { objects 10.96.0.16 beta1; cat <<CONF
---
apiVersion: v1
kind: Endpoints
metadata: {name: backend}
subsets: [{addresses: [{ip: 10.77.2.2}], ports: [{name: tcp, port: 8000, protocol: TCP}, {name: udp, port: 8001, protocol: UDP}]}]
CONF
  } | in_ns "$n" kubectl --kubeconfig "$config" apply -f - >/dev/null
  vip[kube-userspace]=10.96.0.16 vip[kube-iptables]=10.96.0.16
}
# Both modes of kube-proxy write the same chains, so each runs in its own turn only.
turn() { # peer, begin or end
  [[ $1 = kube-* ]] || return 0
  if [ "$2" = end ]; then NS=$n "$kube/kube-proxy.sh" stop; unset "pid[$1]"; return; fi
  NS=$n "$kube/kube-proxy.sh" "${1#kube-}"
  # What kube-proxy does in iptables mode is no part of any connection; its process is the control path's.
  [ "$1" = kube-iptables ] || pid[$1]=$(cat "/run/sluice-cluster/$n/kube-proxy.pid")
  await "$1 serves" answers "$1"
}

target() { [ "$1" = direct ] && echo 10.77.2.2 8000 || echo "${vip[$1]} 80"; }
url() { target "$1" | tr ' ' : ; }
answers() { in_ns "$c" curl -sf --max-time 1 -o /dev/null "http://$(url "$1")/small"; }
bulk() { # the end of time is how it ends: 28
  in_ns "$c" curl -s -o /dev/null -w '%{size_download} %{time_total} %{http_code}' --max-time "$seconds" "http://$(url "$1")/big" |
    awk '$3 == 200 {print $1 / 1e9, $2}' || true
}
wrk_count() { # peer, connections, more options
  in_ns "$c" wrk -t1 -c"$2" -d"${seconds}s" --timeout 10s "${@:3}" "http://$(url "$1")/small" |
    awk '/requests in/ {n = $1; t = $4; sub(/s,/, "", t)} /Socket errors|Non-2xx/ {print > "/dev/stderr"; bad = 1} END {if (bad) exit 1; print n, t}'
}
load() { in_ns "$c" java -XX:+UseSerialGC -Xmx256m -cp "$hdr" "$here/Load.java" "$@"; }
latency() { local to; read -ra to < <(target "$1"); load latency "${to[@]}" "$rate" "$seconds"; }
ask() { # peer, kept or fresh; an answer that does not come within 2 s is an error
  local port=80 host=${vip[$1]:-10.77.2.2}
  [ "$1" != direct ] || port=8001
  [ "$1 $2" != "nginx fresh" ] || port=81
  echo "$2 $host $port $seconds" | in_ns "$c" java -XX:+UseSerialGC "$here/Questions.java" ask
}
idle_bytes() { # peer; kind, peer, connections, KiB before, KiB more
  local to before word
  read -ra to < <(target "$1")
  before=$(rss_kib "${pid[$1]}")
  coproc HOLD { load idle "${to[@]}" "$idle"; }
  local holder=$HOLD_PID out=${HOLD[1]}
  read -r -t 60 word <&"${HOLD[0]}" && [ "$word" = ready ] || fail "idle connections of $1: not opened"
  echo "idle $1 $idle $before $(($(rss_kib "${pid[$1]}") - before))"
  exec {out}>&-
  wait "$holder" || fail "idle connections of $1 failed"
}
one() { # kind, peer
  case $1 in
    bulk | latency) measure "$1" "$2" "$1" "$2" ;;
    requests-*) measure "$1" "$2" wrk_count "$2" "${1#*-}" ;;
    connections) measure "$1" "$2" wrk_count "$2" 16 -H 'Connection: close' ;;
    udp-*) [[ $2 = haproxy* ]] || measure "$1" "$2" ask "$2" "${1#*-}" ;;
    idle) [ -z "${pid[$2]:-}" ] || idle_bytes "$2" ;;
  esac
}

start backend "$s" nginx -c "$work/backend.conf" -p "$work"
start echo "$s" java -XX:+UseSerialGC "$here/Questions.java" answer 8001
haproxy_peer haproxy 9001 10.96.0.11 ""
haproxy_peer haproxy-splice 9002 10.96.0.12 "option splice-auto"
start nginx "$n" nginx -c "$work/nginx.conf" -p "$work"; pid[nginx]=$!; vip[nginx]=10.96.0.13
nat 10.96.0.13 tcp 80 REDIRECT --to-ports 9003
nat 10.96.0.13 udp 80 REDIRECT --to-ports 9004
nat 10.96.0.13 udp 81 REDIRECT --to-ports 9005
vip[kernel]=10.96.0.14
nat 10.96.0.14 tcp 80 DNAT --to-destination 10.77.2.2:8000
nat 10.96.0.14 udp 80 DNAT --to-destination 10.77.2.2:8001
start_sluice
read -ra names <<<"${PEERS:-direct kernel haproxy haproxy-splice nginx kube-userspace kube-iptables sluice}"
[[ " ${names[*]}" != *" kube-"* ]] || start_kube
# With rules there is conntrack, whose TIME_WAIT would keep the client's ports for two minutes.
in_ns "$n" sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_time_wait=1 net.netfilter.nf_conntrack_udp_timeout=3

read -ra kinds <<<"${KINDS:-bulk requests-1 requests-32 requests-256 connections latency udp-kept udp-fresh idle}"
present=()
for name in "${names[@]}"; do
  [ "$name" = direct ] || [ -n "${vip[$name]:-}" ] || continue
  present+=("$name")
  [[ $name = kube-* ]] || await "$name serves" answers "$name"
done

# The JVM is warm when two rounds agree within 5 %; six of them at most.
warm_up() { # kind
  local last=0 rate_now
  for _ in 1 2 3 4 5 6; do
    rate_now=$(one "$1" sluice | awk '{print $3 / $4}')
    ! awk -v a="$last" -v b="$rate_now" 'BEGIN {exit !(a > b * 0.95 && a < b * 1.05)}' || return 0
    last=$rate_now
  done
}
for kind in "${kinds[@]}"; do [ "$kind" = idle ] || [ "$kind" = latency ] || warm_up "$kind"; done
for round in $(seq "$rounds"); do
  for name in "${present[@]}"; do
    echo "round $round of $rounds: $name" >&2
    turn "$name" begin
    for kind in "${kinds[@]}"; do one "$kind" "$name" >>"$work/results"; done
    turn "$name" end
  done
done
java "$here/Report.java" "$work/results" "${RESULTS:-$here/results}"
