#!/bin/bash
# Conformance cases where the system refuses things: system calls that containers' filters refuse, every write to a
# file, memory that is written and then run; without a home folder or a folder for run-time files, and all at once. Where
# there is no memory for code the driver says so, once in a process, and the bytes are the same.
# usage: check_sandbox.sh SANDBOX ETZEL_CTS DRIVER_TEST MANIFEST FOLDER
set -euo pipefail
sandbox=$1 cts=$2 driver_test=$3 manifest=$4 folder=$5
rm -rf "$folder"
mkdir -p "$folder/home"
unset XDG_CACHE_HOME XDG_RUNTIME_DIR ETZEL_CACHE  # the cache on disk is on, if it can be
# Queries read clocks, and descriptors in memory are addresses.
"$cts" --list | grep -Ev '^etzel[.](query|api[.]descriptor_(buffer|heap))[.]' | awk 'NR % 125 == 0' >"$folder/cases"

run() {  # HOME OPTIONS…: the cases in one process
  local home=$1
  shift
  (HOME=$home exec "$sandbox" "$@" "$cts" --driver "$manifest" --caselist "$folder/cases" --quiet --jobs 1) >"$folder/log" 2>&1 ||
    { cat "$folder/log"; echo "failed: $* with HOME=$home"; exit 1; }
  grep -Eq '^Etzel .* [0-9]+ Pass' "$folder/log" || { cat "$folder/log"; echo "nothing ran: $*"; exit 1; }
}

# The instrument itself: what should be refused is.
! "$sandbox" --read-only touch "$folder/written" 2>/dev/null || { echo "files are written"; exit 1; }
! "$sandbox" --container unshare -r true 2>/dev/null || { echo "calls are let through"; exit 1; }

run /nowhere --container
run "$folder/home" --read-only
[ -z "$(find "$folder/home" -mindepth 1)" ] || { echo "something was written"; exit 1; }
! grep -q warning "$folder/log" || { cat "$folder/log"; exit 1; }
warnings=1
grep -q avx2 /proc/cpuinfo || warnings=0  # no code is made for other hosts
for options in --no-code "--container --read-only --no-code"; do
  # shellcheck disable=SC2086
  run /nowhere $options
  [ "$(grep -c 'shaders are interpreted' "$folder/log")" = "$warnings" ] || { cat "$folder/log"; echo "not said once: $options"; exit 1; }
done
# Interpreted or not, what they read is the same.
"$cts" --driver "$manifest" --caselist "$folder/cases" --quiet --digests "$folder/free" >"$folder/log"
"$sandbox" --container --no-code "$cts" --driver "$manifest" --caselist "$folder/cases" --quiet --digests "$folder/confined" \
  >"$folder/log" 2>&1
cmp "$folder/free" "$folder/confined"
VK_DRIVER_FILES=$manifest VK_ICD_FILENAMES=$manifest "$sandbox" --container "$driver_test" --gtest_brief=1 \
  --gtest_filter='SharedMemory.*'
echo "$(wc -l <"$folder/cases") cases pass in every sandbox"
