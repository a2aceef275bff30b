#!/bin/sh
# The driver exports the loader's entry points and nothing else, and needs no library that a program without windows
# may lack. usage: check_exports.sh LIBRARY
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | grep -v '^ETZEL_' | sort | tr '\n' ' ')
expected="vk_icdGetInstanceProcAddr vk_icdGetPhysicalDeviceProcAddr vk_icdNegotiateLoaderICDInterfaceVersion "
if [ "$exported" != "$expected" ]; then
  echo "exported: $exported"
  exit 1
fi
needed=$(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p')
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | libstdc++.so.* | libgcc_s.so.* | ld-linux*.so.* | libz.so.* | libzstd.so.*) ;;
    *) echo "the driver needs $library"; status=1 ;;
  esac
done
exit ${status:-0}
