#!/bin/bash
# Ends what up.sh and kube-proxy.sh started for the network namespace NS (default "kube"), and only that; removes the state
# and, if up.sh made it, the namespace.
. "$(dirname "$0")/common.sh"
need_root
[ -d "$state" ] || exit 0
for name in kube-proxy controllers apiserver etcd; do stop "$name" 3; done
[ -f "$state/namespace" ] && ip netns del "$ns"
rm -rf "$state"
