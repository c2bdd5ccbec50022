# shellcheck shell=bash
# How the benchmark measures; sourced by run.sh, which sets $work, $seconds and the pids of peers.

tick=$(getconf CLK_TCK)
fail() { echo "${0##*/}: $*" >&2; exit 1; }
cpu_ticks() { awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$1/stat"; }
system_ticks() { awk '/^cpu / {print $2 + $3 + $4 + $7 + $8 + $9}' /proc/stat; }
rss_kib() { awk '/^VmRSS/ {print $2}' "/proc/$1/status"; }

# Without an answer within 10 s the peer does not serve.
await() { # what, command
  local end=$((SECONDS + 10))
  until "${@:2}" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || fail "$1: not within 10 s; logs: $(tail -n 3 "$work"/*.log 2>/dev/null)"
    sleep 0.1
  done
}

# A line of results: kind, peer, units, seconds, CPU us of the process (- where there is none), CPU us of the system, more.
measure() { # kind, peer, command that prints: units, seconds, more
  local process=${pid[$2]:-} before='' cpu=- system line units time more
  [ -z "$process" ] || before=$(cpu_ticks "$process")
  system=$(system_ticks)
  line=$("${@:3}") || fail "$1 of $2 failed"
  system=$((($(system_ticks) - system) * 1000000 / tick))
  [ -z "$process" ] || cpu=$((($(cpu_ticks "$process") - before) * 1000000 / tick))
  read -r units time more <<<"$line"
  awk -v n="${units:-0}" 'BEGIN {exit !(n > 0)}' || fail "$1 of $2: nothing was done: '$line'"
  echo "$1 $2 $units $time $cpu $system $more"
}
