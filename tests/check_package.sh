#!/bin/bash
# Installs the packages of `./etzel package` in clean roots of Debian 12 and 13 and uses them there: vulkaninfo, the demo
# and 300 conformance cases; the archive also in a root without the X libraries. Root privileges, mmdebstrap and a Debian
# mirror (this host's, or $ETZEL_MIRROR) are needed. usage: check_package.sh PACKAGES_DIR SCRATCH_DIR
set -euo pipefail
packages=$(readlink -f "$1")
scratch=$(readlink -m "$2")
mirror=${ETZEL_MIRROR:-$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/ | head -n 1 | tr -d ' ')}
mkdir -p "$scratch"

# A minimal root of that release with some packages.
make_root() {  # SUITE NAME PACKAGES
  local root=$scratch/$2
  [ -e "$root/bin/bash" ] || mmdebstrap --quiet --variant=minbase --mode=root --include="$3" "$1" "$root" "$mirror"
  [ -d /etc/apt/apt.conf.d ] && cp -rn /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
}

# A shell line inside, with /proc, /dev and the packages; the mounts vanish with the command.
inside() {  # NAME LINE
  unshare -m bash -c '
    set -e
    mount --make-rprivate /
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mkdir -p "$1/packages"
    mount --bind -o ro "$2" "$1/packages"
    exec chroot "$1" bash -euc "$3"' _ "$scratch/$1" "$packages" "$2"
}

# What must work, wherever the driver lies. $1: the manifest, $2: the programs' folder.
use='use() {
  export VK_DRIVER_FILES=$1 VK_ICD_FILENAMES=$1
  [ -z "$(command -v vulkaninfo)" ] || vulkaninfo --summary | grep -q "deviceName.*Etzel"
  mkdir -p /tmp/demo
  "$2/etzel-demo" --output /tmp/demo | tail -n 1
  "$2/etzel-cts" --list | awk "NR % 25 == 0" | head -n 300 >/tmp/cases
  "$2/etzel-cts" --driver "$1" --caselist /tmp/cases --quiet
}'

installed='
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends /packages/etzel_*_*.deb vulkan-tools >/dev/null
  use /usr/share/vulkan/icd.d/etzel_icd.$(uname -m).json /usr/bin
  dpkg --purge etzel >/dev/null
  left=$(find / -xdev -iname "*etzel*" -not -path "/packages*" -not -path "/var/cache/*" -not -path "/tmp/*")
  [ -z "$left" ] || { echo "left behind: $left"; exit 1; }'
unpacked='
  rm -rf /opt/somewhere
  mkdir -p /opt/somewhere
  tar xzf /packages/etzel-*.tar.gz -C /opt/somewhere
  cd /opt/somewhere/etzel-*
  ! ls /usr/lib/*/libxcb.so.1 2>/dev/null || { echo "this root has the X libraries"; exit 1; }
  use "$(echo "$PWD"/share/vulkan/icd.d/*.json)" "$PWD/bin"'

for suite in bookworm trixie; do
  echo "== $suite: the Debian package"
  make_root "$suite" "deb-$suite" apt
  inside "deb-$suite" "$use$installed"
  echo "== $suite: the archive, without X libraries"
  make_root "$suite" "tgz-$suite" apt,libpng16-16$([ "$suite" = bookworm ] || echo t64)
  loader=$(cd "$scratch" && apt-get download -qq libvulkan1 2>/dev/null; ls -t libvulkan1_*.deb | head -n 1)
  dpkg -x "$scratch/$loader" "$scratch/tgz-$suite"  # its dependencies are the X libraries, which it does without
  inside "tgz-$suite" "$use$unpacked"
done
echo "the packages work"
