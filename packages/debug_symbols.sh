#!/bin/bash
# What the packages are stripped of, apart: etzel-dbgsym_VERSION_ARCH.deb, and an archive for wherever the relocatable one
# is used. Debuggers find it by build id: the package puts it where they look, for the archive say
#   gdb -iex 'set debug-file-directory FOLDER'
# usage: debug_symbols.sh BUILD OUT VERSION MACHINE (as uname -m names it; another than this host's was cross-built)
set -euo pipefail
build=$1 out=$(readlink -f "$2") version=$3 machine=$4
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --install "$build" --prefix "$stage/tree" >/dev/null
objcopy=objcopy architecture=$(dpkg --print-architecture)
if [ "$machine" != "$(uname -m)" ]; then objcopy=$machine-linux-gnu-objcopy architecture=arm64; fi
name=etzel-$version-$machine-dbgsym
ids=()
while read -r file; do
  id=$(readelf -n "$file" 2>/dev/null | sed -n 's/.*Build ID: //p')
  [ -n "$id" ] || continue  # no program
  ids+=("$id")
  mkdir -p "$stage/$name/.build-id/${id:0:2}"
  "$objcopy" --only-keep-debug --compress-debug-sections=zlib "$file" "$stage/$name/.build-id/${id:0:2}/${id:2}.debug"
done < <(find "$stage/tree" -type f \( -perm -u+x -o -name '*.so' \))
chmod -R u=rwX,go=rX "$stage/$name"
find "$stage/$name" -name '*.debug' -exec chmod 644 {} +
tar -C "$stage" --owner=0 --group=0 -czf "$out/$name.tar.gz" "$name"

mkdir -p "$stage/deb/usr/lib/debug" "$stage/deb/DEBIAN" "$stage/deb/usr/share/doc"
mv "$stage/$name/.build-id" "$stage/deb/usr/lib/debug/"
ln -s etzel "$stage/deb/usr/share/doc/etzel-dbgsym"
chmod -R u=rwX,go=rX "$stage/deb"
cat >"$stage/deb/DEBIAN/control" <<CONTROL
Package: etzel-dbgsym
Version: $version
Architecture: $architecture
Maintainer: Etzel maintainers <maintainers@etzel.invalid>
Depends: etzel (= $version)
Section: debug
Priority: optional
Auto-Built-Package: debug-symbols
Build-Ids: ${ids[*]}
Description: debug symbols for etzel
CONTROL
dpkg-deb --root-owner-group --build "$stage/deb" "$out/etzel-dbgsym_${version}_$architecture.deb" >/dev/null
