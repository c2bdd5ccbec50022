#!/bin/bash
# One black-box script against kube-proxy in userspace and in iptables mode and against Sluice, each on a node of its own
# with a real control plane; prints the table of what was seen, in bold what a healthy pod without a proxy would not show.
# About 6 minutes once the control plane is built. Needs root.
#
#   ./compare.sh
. "$(dirname "$0")/common.sh"
need_root
umask 022
cd "$here/../.."
./mvnw -q -Pcluster -pl proxy-netty -am verify -Dit.test=ComparisonIT -Dfailsafe.failIfNoSpecifiedTests=false >&2
cat proxy-netty/target/comparison.md
