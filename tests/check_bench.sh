#!/bin/sh
# The benchmark notices a driver that ignores multisampling, and says so by its exit status: the driver of deliberate
# defects resolves by sample 0 alone, then without a defect. A cached row takes its cache from another process, and fails
# when that left nothing. usage: check_bench.sh ETZEL_VKBENCH MANIFEST_OF_MUTANTS FOLDER
run() {
  "$1" --driver "etzel=$2" --no-limits --rounds 1 --seconds 0.01 --scenario 'msaa.edges_8x' --scenario 'msaa.scene_2x'
}
text=$(ETZEL_MUTANT=resolve-sample-zero run "$1" "$2") && { echo "$text"; echo "the defect was not noticed"; exit 1; }
[ "$(echo "$text" | grep -c DIFFERS)" = 2 ] || { echo "$text"; echo "not both rows differ"; exit 1; }
text=$(run "$1" "$2") || { echo "$text"; echo "differs without a defect"; exit 1; }

rm -rf "$3" && mkdir -p "$3" || exit 1
export ETZEL_CACHE=off VK_DRIVER_FILES="$2" VK_ICD_FILENAMES="$2"
life() { "$1" --child pipeline.create_small_cached --fd 3 --cache-file "$2" $3 3>&1 >/dev/null; }
life "$1" "$3/data" --fill-cache | grep -q '"state":"ok"' || { echo "the first process failed"; exit 1; }
life "$1" "$3/data" | grep -q '"state":"ok"' || { echo "the second process did not use the first one's cache"; exit 1; }
head -c 32 "$3/data" >"$3/header"  # VkPipelineCacheHeaderVersionOne: a cache without a pipeline
text=$(life "$1" "$3/header")
echo "$text" | grep -q 'were not used' || { echo "$text"; echo "an empty cache was not noticed"; exit 1; }
