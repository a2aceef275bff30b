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
needed=$(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p')
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | ld-linux*.so.* | libz.so.* | libzstd.so.*) ;;
    *) echo "the driver needs $library"; status=1 ;;
  esac
done
newest=$(readelf --dyn-syms -W "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
if [ "$(printf '%s\nGLIBC_2.34\n' "$newest" | sort -V | tail -n 1)" != GLIBC_2.34 ]; then
  echo "the driver needs $newest:"
  readelf --dyn-syms -W "$1" | grep -F "@$newest"
  status=1
fi
readelf -dW "$1" | grep -q STATIC_TLS || { echo "variables of threads need memory at their first use"; status=1; }
bytes=$(($(readelf -lW "$1" | awk '$1 == "TLS" { print $6 }')))
[ "$bytes" -le 256 ] || { echo "variables of threads take $bytes bytes"; status=1; }
exit ${status:-0}
