#!/bin/sh
# The benchmark notices a driver that ignores multisampling in every row that shows edges, and says so by its exit status:
# the driver of deliberate defects resolves by sample 0 alone, then without a defect. A cached row takes its cache from another process, and fails
# when that left nothing. usage: check_bench.sh ETZEL_VKBENCH MANIFEST_OF_MUTANTS FOLDER
rows="msaa.edges_2x msaa.edges_4x msaa.edges_8x msaa.edges_16x msaa.scene_2x msaa.scene_4x msaa.scene_8x msaa.scene_16x
msaa.two_passes_4x msaa.two_passes_8x msaa.stored_4x msaa.stored_8x msaa.deferred_4x msaa.deferred_8x"
run() {
  scenarios=
  for row in $rows; do scenarios="$scenarios --scenario $row"; done
  # shellcheck disable=SC2086
  "$1" --driver "etzel=$2" --no-limits --rounds 1 --seconds 0.01 $scenarios
}
text=$(ETZEL_MUTANT=resolve-sample-zero run "$1" "$2") && { echo "$text"; echo "the defect was not noticed"; exit 1; }
for row in $rows; do
  echo "$text" | grep "$row" | grep -q DIFFERS || { echo "$text"; echo "$row does not differ"; exit 1; }
done
text=$(run "$1" "$2") || { echo "$text"; echo "differs without a defect"; exit 1; }

rm -rf "$3" && mkdir -p "$3" || exit 1
export ETZEL_CACHE=off VK_DRIVER_FILES="$2" VK_ICD_FILENAMES="$2"
life() { "$1" --child pipeline.create_small_cached --fd 3 --cache-file "$2" $3 3>&1 >/dev/null; }
life "$1" "$3/data" --fill-cache | grep -q '"state":"ok"' || { echo "the first process failed"; exit 1; }
life "$1" "$3/data" | grep -q '"state":"ok"' || { echo "the second process did not use the first one's cache"; exit 1; }
head -c 32 "$3/data" >"$3/header"  # VkPipelineCacheHeaderVersionOne: a cache without a pipeline
text=$(life "$1" "$3/header")
echo "$text" | grep -q 'were not used' || { echo "$text"; echo "an empty cache was not noticed"; exit 1; }
