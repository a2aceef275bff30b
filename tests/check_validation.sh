#!/bin/sh
# Runs a program under the Khronos validation layer; any message of it is a failure. usage: check_validation.sh PROGRAM…
export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
export VK_LAYER_SETTINGS_PATH=/dev/null
# Without the layer the loader goes on in silence, or refuses: either way nothing would be checked.
vulkaninfo --summary 2>/dev/null | grep -q VK_LAYER_KHRONOS_validation || { echo "no validation layer"; exit 1; }
out=$("$@" 2>&1) || { echo "$out"; echo "the program failed"; exit 1; }
echo "$out" | grep -E 'Validation (Error|Warning|Performance)|VUID-' && exit 1
echo "$out" | tail -3
