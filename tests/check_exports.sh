#!/bin/sh
# The driver exports the loader's entry points and nothing else. usage: check_exports.sh LIBRARY
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | grep -v '^ETZEL_' | sort | tr '\n' ' ')
expected="vk_icdGetInstanceProcAddr vk_icdGetPhysicalDeviceProcAddr vk_icdNegotiateLoaderICDInterfaceVersion "
[ "$exported" = "$expected" ] && exit 0
echo "exported: $exported"
exit 1
