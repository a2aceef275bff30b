#!/bin/bash
# Installs the packages of `./etzel package` in clean roots of Debian 12 and 13 and uses them there: vulkaninfo, the demo
# and 300 conformance cases; the archive in a root without the X libraries, then with everything read-only and without
# /dev/shm, /proc and a home; the package for Python draws a triangle. Before that lintian, the driver's size, and a
# debug file for each program. Root privileges, mmdebstrap and a Debian mirror (this host's, or $ETZEL_MIRROR) are
# needed. Packages for AArch64 are used in roots of that kind, which qemu-user-static runs; where the kernel does not know
# it, it does until this ends. Sparse resources are left out there: the emulator maps no memory twice.
# usage: check_package.sh PACKAGES_DIR SCRATCH_DIR [MACHINE [SUITE...]]   (a machine as uname -m names it)
set -euo pipefail
packages=$(readlink -f "$1")
scratch=$(readlink -m "$2")
mirror=${ETZEL_MIRROR:-$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/ | head -n 1 | tr -d ' ')}
here=$(cd "$(dirname "$0")" && pwd)
machine=${3:-$(uname -m)}
suites=("${@:4}")
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie)
case $machine in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
esac
mkdir -p "$scratch"

# The kernel opens the interpreter here ("F"), so roots need no copy of it. All this in mounts of our own.
register_emulator() {
  local registered=/proc/sys/fs/binfmt_misc
  [ "${ETZEL_OWN_MOUNTS:-}" = 1 ] || ETZEL_OWN_MOUNTS=1 exec unshare -m --propagation private "$0" "$@"
  [ -e "$registered/register" ] || mount -t binfmt_misc none "$registered"
  [ ! -e "$registered/qemu-$machine" ] || return 0
  local magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  echo ":qemu-$machine:M::$magic:$mask:$(command -v "qemu-$machine-static"):F" >"$registered/register"
  trap 'echo -1 >/proc/sys/fs/binfmt_misc/qemu-'"$machine" EXIT
}
left_out='^$'
[ "$machine" = "$(uname -m)" ] || { register_emulator "$@"; left_out='\.sparse\.'; }

echo "== the files"
if command -v lintian >/dev/null; then lintian --fail-on error "$packages"/etzel_*.deb; fi
rm -rf "$scratch/files"
mkdir "$scratch/files"
tar xzf "$packages"/etzel-*-"$machine.tar.gz" -C "$scratch/files" --strip-components=1
tar xzf "$packages"/etzel-*-dbgsym.tar.gz -C "$scratch/files" --strip-components=1
driver=$scratch/files/lib/etzel/libvulkan_etzel.so
echo "the driver has $(stat -c %s "$driver") bytes"
[ "$(stat -c %s "$driver")" -le 35000000 ]
for file in "$driver" "$scratch"/files/bin/*; do
  id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
  [ -s "$scratch/files/.build-id/${id:0:2}/${id:2}.debug" ] || { echo "no debug symbols of $file"; exit 1; }
done
rm -rf "$scratch/files"

# A minimal root of that release with some packages.
make_root() {  # SUITE NAME PACKAGES
  local root=$scratch/$2
  [ -e "$root/bin/bash" ] || mmdebstrap --quiet --variant=minbase --mode=root --architectures="$architecture" \
    --include="$3" "$1" "$root" "$mirror"
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

# The same where nothing can be written, /dev/shm and /proc are missing and no variable says anything.
inside_bare() {  # NAME LINE
  unshare -m bash -c '
    set -e
    mount --make-rprivate /
    mount --bind "$1" "$1"
    mount -t tmpfs none "$1/dev"
    for device in null zero urandom; do touch "$1/dev/$device" && mount --bind "/dev/$device" "$1/dev/$device"; done
    mount -o remount,ro "$1/dev"
    mount -o remount,bind,ro "$1"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$1" bash -euc "$2"' _ "$scratch/$1" "$2"
}

# What must work, wherever the driver lies. $1: the manifest, $2: the programs' folder.
use='left_out='"'$left_out'"'
use() {
  export VK_DRIVER_FILES=$1 VK_ICD_FILENAMES=$1
  [ -z "$(command -v vulkaninfo)" ] || vulkaninfo --summary | grep -q "deviceName.*Etzel"
  mkdir -p /tmp/demo
  "$2/etzel-demo" --output /tmp/demo | tail -n 1
  "$2/etzel-cts" --list | grep -v "$left_out" | awk "NR % 25 == 0" | head -n 300 >/tmp/cases
  "$2/etzel-cts" --driver "$1" --caselist /tmp/cases --quiet
}'

installed='
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends /packages/etzel_*_*.deb vulkan-tools >/dev/null
  use /usr/share/vulkan/icd.d/etzel_icd.$(uname -m).json /usr/bin
  dpkg --purge etzel >/dev/null
  # Caches of shaders belong to users, not to the package.
  left=$(find / -xdev -iname "*etzel*" -not -path "/packages*" -not -path "/var/cache/*" -not -path "/tmp/*" -not -path "*/.cache/*")
  [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
  apt-get install -qq -y --no-install-recommends python3 >/dev/null
  python3 -m zipfile -e /packages/etzel-*.whl /tmp/wheel
  PYTHONPATH=/tmp/wheel python3 -m etzel run python3 /tmp/triangle.py
  rm -rf /tmp/wheel'
unpacked='
  rm -rf /opt/somewhere
  mkdir -p /opt/somewhere
  tar xzf /packages/etzel-*-$(uname -m).tar.gz -C /opt/somewhere
  cd /opt/somewhere/etzel-*
  ! ls /usr/lib/*/libxcb.so.1 2>/dev/null || { echo "this root has the X libraries"; exit 1; }
  use "$(echo "$PWD"/share/vulkan/icd.d/*.json)" "$PWD/bin"'
bare='
  ! touch /tmp/written 2>/dev/null && [ ! -e /dev/shm ] && [ ! -e /proc/self ] || { echo "this root is not bare"; exit 1; }
  cd /opt/somewhere/etzel-*
  bin/etzel-cts --driver "$(echo "$PWD"/share/vulkan/icd.d/*.json)" --caselist /tmp/cases --quiet'

for suite in "${suites[@]}"; do
  echo "== $suite: the Debian package"
  make_root "$suite" "deb-$suite" apt
  cp "$here/../examples/python/triangle.py" "$scratch/deb-$suite/tmp/"
  inside "deb-$suite" "$use$installed"
  echo "== $suite: the archive, without X libraries"
  make_root "$suite" "tgz-$suite" apt,libpng16-16$([ "$suite" = bookworm ] || echo t64)
  inside "deb-$suite" 'cd /tmp && rm -f libvulkan1_* && apt-get download -qq -o APT::Sandbox::User=root libvulkan1'
  dpkg -x "$scratch/deb-$suite"/tmp/libvulkan1_*.deb "$scratch/tgz-$suite"  # without the X libraries, which it depends on
  inside "tgz-$suite" "$use$unpacked"
  echo "== $suite: the archive, read-only, without /dev/shm, /proc and a home"
  inside_bare "tgz-$suite" "$bare"
done
echo "the packages work"
