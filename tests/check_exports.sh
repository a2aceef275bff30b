#!/bin/sh
# The driver exports the loader's entry points and nothing else, needs no library that a program without windows may
# lack, and nothing of a glibc after 2.34. Variables of threads lie in the threads' static memory, and there are few of
# them (runtime/base/thread_local.h). usage: check_exports.sh LIBRARY
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | grep -v '^ETZEL_' | sort | tr '\n' ' ')
expected="vk_icdGetInstanceProcAddr vk_icdGetPhysicalDeviceProcAddr vk_icdNegotiateLoaderICDInterfaceVersion "
if [ "$exported" != "$expected" ]; then
  echo "exported: $exported"
  exit 1
fi
needed=$(LC_ALL=C readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p')
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | ld-linux*.so.* | libz.so.* | libzstd.so.*) ;;
    *) echo "the driver needs $library"; status=1 ;;
  esac
done
# Versions that must be there; a weak one may be missing.
asked=$(LC_ALL=C readelf -VW "$1" | sed -n 's/.*Name: \(GLIBC_[^ ]*\)  Flags: \(none\|BASE\) .*/\1/p' | sort -uV)
newest=$(echo "$asked" | grep -x 'GLIBC_[0-9.]*' | tail -n 1)
[ -n "$newest" ] || { echo "no versions of glibc found"; status=1; }
if [ "$(printf '%s\nGLIBC_2.34\n' "$newest" | sort -V | tail -n 1)" != GLIBC_2.34 ]; then
  echo "the driver needs $newest:"
  LC_ALL=C readelf --dyn-syms -W "$1" | grep -F "@$newest"
  status=1
fi
other=$(echo "$asked" | grep -vx 'GLIBC_[0-9.]*')
[ -z "$other" ] || { echo "the driver needs $other, which glibc 2.34 has not"; status=1; }
# Linkers for AArch64 leave the flag out, but not the relocations that stand for it.
LC_ALL=C readelf -drW "$1" | grep -Eq 'STATIC_TLS|TLS_TPREL' || { echo "variables of threads need memory at their first use"; status=1; }
bytes=$(($(LC_ALL=C readelf -lW "$1" | awk '$1 == "TLS" { print $6 }')))
[ "$bytes" -le 256 ] || { echo "variables of threads take $bytes bytes"; status=1; }
exit ${status:-0}
