#!/bin/sh
# A driver whose packed relocations the dynamic linker passes over, as that of glibc 2.34 and 2.35 does, unpacks them
# itself (runtime/portable/packed_relocations.cpp): cases run on such a copy, optimized by LLVM at once.
# usage: check_old_glibc.sh ETZEL_CTS MANIFEST FOLDER
set -e
here=$(cd "$(dirname "$0")" && pwd)
driver=$(sed -n 's/.*"library_path": "\(.*\)".*/\1/p' "$2")
rm -rf "$3"
mkdir -p "$3"
python3 "$here/../cmake/weaken_relr.py" "$driver" --hide "$3/libvulkan_etzel.so"
sed 's|"library_path": ".*"|"library_path": "./libvulkan_etzel.so"|' "$2" >"$3/etzel.json"
ETZEL_DEBUG=jit-now "$1" --driver "$3/etzel.json" --quiet 'etzel.draw.indirect.plain.*' 'etzel.compute.atomic.shared.*'
