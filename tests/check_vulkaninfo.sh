#!/bin/sh
# vulkaninfo completes without an error and names Etzel. The loader is told of Etzel by the environment.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"  # vulkaninfo complains without one
unset DISPLAY WAYLAND_DISPLAY
out=$(vulkaninfo 2>&1) || { echo "$out" | tail -50; echo "vulkaninfo failed"; exit 1; }
echo "$out" | grep -q 'deviceName.*Etzel' || { echo "$out" | head -50; echo "no Etzel device"; exit 1; }
if echo "$out" | grep -iE '(^|[^_a-z])error([^_a-z]|$)'; then echo "vulkaninfo printed an error"; exit 1; fi
