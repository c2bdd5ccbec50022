#!/bin/bash
# Ends and starts the API server alone, as an outage does it:
#
#   [NS=kube] ./apiserver.sh stop          the API server ends; etcd keeps all objects
#   [NS=kube] ./apiserver.sh start         it comes back as up.sh started it
#   [NS=kube] ./apiserver.sh start-empty   it comes back with an empty etcd: all state is lost, versions count from 1 again
. "$(dirname "$0")/common.sh"
need_root
need_cluster
# A watch that is open keeps it from ending by itself for a minute.
case ${1:-} in
  stop) stop apiserver 1 ;;
  start) start_apiserver ;;
  start-empty)
    stop apiserver 1
    stop etcd 5
    rm -rf "$state/etcd"
    start_etcd
    start_apiserver
    create_node
    ;;
  *) fail "'${1:-}': must be stop, start or start-empty" ;;
esac
