#!/bin/bash
# Builds kube-apiserver, kube-controller-manager and kube-proxy 1.20.2 from Debian's source package: the last line that
# Debian ships whole, and one that still has kube-proxy's userspace mode. About 6 minutes on two cores, once a machine; does
# nothing where they are built already. Installs the Debian packages it needs, and those that up.sh needs.
#
#   [KUBE_BIN=~/.cache/sluice/kube-1.20.2] ./build.sh [PROGRAM…]
. "$(dirname "$0")/common.sh"
umask 022
[ $# -gt 0 ] || set -- kube-apiserver kube-controller-manager kube-proxy

missing_packages() {
  local program
  while read -r program package; do
    command -v "$program" >/dev/null || echo "$package"
  done <<'P'
etcd etcd-server
kubectl kubernetes-client
curl curl
openssl openssl
ip iproute2
iptables iptables
conntrack conntrack
P
}
install_packages() {
  [ $# -gt 0 ] || return 0
  need_root
  echo "installing $*"
  apt-get update -qq || echo "apt-get update failed; goes on with the lists that are there" >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
mapfile -t packages < <(missing_packages)
install_packages "${packages[@]}"

# Replaces text that a file must hold: the file, the text, what stands there instead.
replace() {
  local text=${2//\*/\\*}
  grep -qF -- "$2" "$1" || fail "$1 has no '$2': not the source of $kube_version"
  sed -i "s#$text#$3#" "$1"
}
all_built() {
  local program
  for program; do [ -x "$bin/$program" ] || return 1; done
}
mkdir -p "$bin"
exec 9>"$bin/.lock"
flock 9
if all_built "$@"; then
  echo "built already: $bin"
  exit 0
fi

install_packages golang-go rsync make gcc libc6-dev dpkg-dev xz-utils
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
mkdir -p "$work/src/lists/partial" "$work/go/src/k8s.io"

# The machine's own mirror, whichever of the two formats names it.
mirror=$(
  { grep -rhE '^URIs:.*/debian/?$' /etc/apt/ 2>/dev/null || true; } | awk 'NR == 1 {print $2}'
)
[ -n "$mirror" ] || mirror=$(
  { grep -rhE '^deb .*/debian/? ' /etc/apt/ 2>/dev/null || true; } | awk 'NR == 1 {for (i = 2; i <= NF; i++) if ($i ~ /^[a-z]+:\/\//) {print $i; exit}}'
)
[ -n "$mirror" ] || fail "no Debian mirror is named below /etc/apt (a path that ends in /debian): this builds on Debian only"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keyring" ] || fail "$keyring is missing: install debian-archive-keyring"
echo "deb-src [signed-by=$keyring] $mirror bookworm main" >"$work/src/list"
apt=(apt-get -qq -oAPT::Sandbox::User=root -oDir::Etc::sourcelist="$work/src/list" -oDir::Etc::sourceparts=-
  -oDir::State::Lists="$work/src/lists")
echo "fetching the source package from $mirror"
(
  cd "$work/src"
  "${apt[@]}" update
  "${apt[@]}" source --download-only kubernetes
  tar xzf kubernetes_*.orig.tar.gz
)
mv "$work/src/kubernetes-$kube_version" "$work/go/src/k8s.io/kubernetes"
cd "$work/go/src/k8s.io/kubernetes"

# The userspace proxier raises its descriptor limit to 64,000 and does not start where the hard limit is lower, as it is in
# many containers.
replace pkg/proxy/userspace/proxier.go 'setRLimit(64 * 1000)' 'setRLimit(19000)'
# Go 1.18 changed a function of its runtime that this library reaches into: without this, which is what version 1.0.2 of it
# does, the API server dies of a PATCH (modern-go/reflect2#26).
reflect2=vendor/github.com/modern-go/reflect2
replace $reflect2/unsafe_link.go 'func mapiterinit(rtype unsafe.Pointer, m unsafe.Pointer) *hiter' \
  'func mapiterinit(rtype unsafe.Pointer, m unsafe.Pointer, it *hiter)'
replace $reflect2/unsafe_link.go '// rest fields are ignored' 't, h, buckets, bptr, overflow, oldoverflow unsafe.Pointer; startBucket uintptr; offset uint8; wrapped bool; B, i uint8; bucket, checkBucket uintptr'
replace $reflect2/unsafe_map.go 'return &UnsafeMapIterator{' \
  'it := new(hiter); mapiterinit(type2.rtype, *(*unsafe.Pointer)(obj), it); return \&UnsafeMapIterator{'
replace $reflect2/unsafe_map.go 'hiter:      mapiterinit(type2.rtype, *(*unsafe.Pointer)(obj)),' 'hiter: it,'

echo "building $* (minutes)"
env HOME="$work" GOPATH="$work/go" GOFLAGS='' CGO_ENABLED=0 make WHAT="${*/#/cmd/}" >"$work/build.log" 2>&1 || {
  tail -n 40 "$work/build.log" >&2
  fail "the build of $* failed"
}
for program; do
  # In one step: whoever finds a program finds it whole.
  cp "_output/local/bin/linux/$(go env GOARCH)/$program" "$bin/.$program"
  mv "$bin/.$program" "$bin/$program"
done
ls -l "$bin"
