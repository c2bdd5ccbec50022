#!/bin/bash
# What Sluice takes to start and to be there, with each of its JVM presets (proxy-netty/src/main/program), on loopback:
# time and CPU time from the start to the first answer of an endpoint, without and with an archive of classes; resident
# memory with 100 Services of three endpoints each; what idle connections add.
#
#   ./mvnw -q -DskipTests package && examples/benchmark/footprint.sh [STARTS] [IDLE]
#
# Needs a JDK (jcmd); JAVA_HOME chooses which. No root.
set -euo pipefail

starts=${1:-5}
idle=${2:-3000}
bin=${JAVA_HOME:+$JAVA_HOME/bin/}
root=$(cd "$(dirname "$0")/../.." && pwd)
launcher=$root/proxy-netty/target/sluice
[ -f "$launcher" ] || { echo "${0##*/}: $launcher is missing: ./mvnw -q -DskipTests package" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Two descriptors a connection here and two in Sluice, which lets a tenth and as many as 128 be free.
ulimit -n "$((idle * 3 + 1000))"
"${bin}java" "$root/examples/benchmark/Footprint.java" "$launcher" "${bin}jcmd" "$starts" "$idle" "$work"
