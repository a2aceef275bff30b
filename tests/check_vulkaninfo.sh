#!/bin/sh
# vulkaninfo completes without an error and names Etzel. The loader is told of Etzel by the environment.
# usage: check_vulkaninfo.sh [VULKANINFO...]   (a command line, this host's by default)
[ $# -gt 0 ] || set -- vulkaninfo
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"  # vulkaninfo complains without one
unset DISPLAY WAYLAND_DISPLAY
out=$("$@" 2>&1) || { echo "$out" | tail -50; echo "vulkaninfo failed"; exit 1; }
echo "$out" | grep -q 'deviceName.*Etzel' || { echo "$out" | head -50; echo "no Etzel device"; exit 1; }
if echo "$out" | grep -iE '(^|[^_a-z])error([^_a-z]|$)'; then echo "vulkaninfo printed an error"; exit 1; fi
# Which build it is: the linker's number.
id=$(readelf -n "$(dirname "$VK_DRIVER_FILES")/libvulkan_etzel.so" | sed -n 's/.*Build ID: \(.\{32\}\).*/\1/p')
echo "$out" | grep -Eq "driverInfo *= Etzel [0-9.]+, build $id\$" || { echo "driverInfo is not of build $id"; exit 1; }
# What Etzel says that it conforms to: nothing, unless it is told to (ETZEL_CONFORMANCE_VERSION), and nonsense is not taken.
for pair in "=0.0.0.0" "1.3.9.1=1.3.9.1" "1.3=0.0.0.0" "1.3.9.256=0.0.0.0"; do
  said=$(ETZEL_CONFORMANCE_VERSION="${pair%=*}" "$@" --summary 2>/dev/null | sed -n 's/.*conformanceVersion *= *//p')
  [ "$said" = "${pair#*=}" ] || { echo "told '${pair%=*}', it says '$said'"; exit 1; }
done
