# What the benchmarks share; sourced after the programs that they need are named in $programs.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jar=$root/proxy-netty/target/sluice.jar
for program in "${programs[@]}"; do
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

sluice() { # protocol, port of the backend; serves it on port[sluice]
  cat >"$work/services.yaml" <<CONF
apiVersion: v1
kind: Service
metadata: {name: backend}
spec: {clusterIP: 192.0.2.1, ports: [{port: 80, protocol: $1}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: backend-1, labels: {kubernetes.io/service-name: backend}}
addressType: IPv4
endpoints: [{addresses: [127.0.0.1]}]
ports: [{name: "", port: $2, protocol: $1}]
CONF
  # Sluice takes what begins with SLUICE_ for its settings.
  # shellcheck disable=SC2086 # several options
  env -u SLUICE_JAVA java ${SLUICE_JAVA:-} -jar "$jar" run --manifests "$work/services.yaml" --redirect none --set dial.allow-loopback=true \
    --set admin.address=none --set health.address=none 2>"$work/sluice.log" &
  pid[sluice]=$!
  for _ in $(seq 100); do
    port[sluice]=$(sed -n 's/.*-> 127.0.0.1:\([0-9]*\)$/\1/p' "$work/sluice.log" | head -1)
    [ -n "${port[sluice]}" ] && return
    sleep 0.1
  done
  cat "$work/sluice.log" >&2
  exit 1
}

cpu_ticks() { awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$1/stat"; }
now() { date +%s.%N; }
tick=$(getconf CLK_TCK)

measure() { # kind, name, round, command that prints units done and seconds; the first round is not counted
  local before=0 after=0 units time
  [ -z "${pid[$2]:-}" ] || before=$(cpu_ticks "${pid[$2]}")
  read -r units time < <("${@:4}")
  [ -z "${pid[$2]:-}" ] || after=$(cpu_ticks "${pid[$2]}")
  [ "$3" -eq 0 ] || echo "$1 $2 $units $time $(((after - before) * 1000000 / tick))" >>"$work/results"
}

report() { # names, the reference first, then kinds as "kind:unit of CPU time:us in it:unit of rate"
  awk -v names="$1" -v kinds="$(printf '%s\n' "${@:2}")" '
    function median(list, n, a, i, j, t) {
      n = split(list, a, " ")
      for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j-1] + 0 > a[j] + 0; j--) { t = a[j]; a[j] = a[j-1]; a[j-1] = t }
      return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    { cpu[$1, $2] = cpu[$1, $2] " " $5 / $3; rate[$1, $2] = rate[$1, $2] " " $3 / $4 }
    END {
      n = split(names, name, " ")
      m = split(kinds, line, "\n")
      for (k = 1; k <= m; k++) {
        split(line[k], of, ":")
        printf "%-12s %-16s %22s %8s %16s %8s\n", of[1], "", of[2], "ratio", of[4], "ratio"
        for (i = 1; i <= n; i++) {
          c = median(cpu[of[1], name[i]]) / of[3]; r = median(rate[of[1], name[i]])
          if (i == 1) { c1 = c; r1 = r }
          printf "%-12s %-16s %22.1f %8.2f %16.2f %8.2f\n", "", name[i], c, c / c1, r, r / r1
        }
      }
    }' "$work/results"
}
