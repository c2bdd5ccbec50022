#!/bin/bash
# Sluice's UDP sessions beside nginx (stream) and no proxy at all in one run, on loopback.
#
#   ./mvnw -q -DskipTests package && examples/benchmark/datagrams.sh [ROUNDS] [SECONDS]
#
# Needs a JDK and nginx with its stream module. No root: no redirect is part of it, for nobody. All share the machine's
# cores, as in relay.sh; rounds are interleaved, the first warms up and is not counted; medians are printed, and the ratio
# to nginx. An answer that does not come within 2 s ends the run. nginx is told where a session ends after its first answer;
# Sluice has to find out by itself.
set -euo pipefail

rounds=${1:-5}
seconds=${2:-5}
programs=(java nginx)
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

questions=$(dirname "$0")/Questions.java
nginx_conf stream "stream {
  server { listen 127.0.0.1:19012 udp; proxy_pass 127.0.0.1:19010; proxy_timeout 180s; }
  server { listen 127.0.0.1:19013 udp; proxy_pass 127.0.0.1:19010; proxy_timeout 30s; proxy_responses 1; }
}"

java "$questions" answer 19010 & pid[backend]=$!
nginx -c "$work/stream.conf" -p "$work" 2>/dev/null & pid[nginx]=$!
sluice UDP 19010
coproc ASK { exec java "$questions" ask; }
pid[ask]=$ASK_PID
asking=${ASK[1]}
told=${ASK[0]}

port_of() { # kind, name
  case $2 in
    direct) echo 19010 ;;
    nginx) [ "$1" = kept ] && echo 19012 || echo 19013 ;;
    sluice) echo "${port[sluice]}" ;;
  esac
}

ask() { # kind, port; prints the questions that were answered, then seconds
  local line
  echo "$1 $2 $seconds" >&"$asking"
  read -r line <&"$told" || { echo "$0: a question of kind $1 to port $2 was not answered" >&2; exit 1; }
  echo "$line"
}

# The backend has started when the port is bound.
for _ in $(seq 100); do ss -ulnH "sport = :19010" | grep -q . && break; sleep 0.1; done

names=(nginx sluice direct)
for round in $(seq 0 "$rounds"); do
  for kind in kept fresh; do
    for name in "${names[@]}"; do measure "$kind" "$name" "$round" ask "$kind" "$(port_of "$kind" "$name")"; done
  done
done

report "${names[*]}" "kept:CPU us per question:1:questions/s" "fresh:CPU us per question:1:questions/s"
