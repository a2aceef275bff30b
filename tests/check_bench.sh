#!/bin/sh
# The benchmark notices a driver that ignores multisampling, and says so by its exit status: the driver of deliberate
# defects resolves by sample 0 alone, then without a defect. usage: check_bench.sh ETZEL_VKBENCH MANIFEST_OF_MUTANTS
run() {
  "$1" --driver "etzel=$2" --no-limits --rounds 1 --seconds 0.01 --scenario 'msaa.edges_8x' --scenario 'msaa.scene_2x'
}
text=$(ETZEL_MUTANT=resolve-sample-zero run "$1" "$2") && { echo "$text"; echo "the defect was not noticed"; exit 1; }
[ "$(echo "$text" | grep -c DIFFERS)" = 2 ] || { echo "$text"; echo "not both rows differ"; exit 1; }
text=$(run "$1" "$2") || { echo "$text"; echo "differs without a defect"; exit 1; }
