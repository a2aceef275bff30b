#!/bin/bash
# clang-tidy (.clang-tidy) on the sources that differ from where this branch left main; warnings are errors.
# usage: check_tidy.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 1
main=$(git rev-parse --verify --quiet origin/main || git rev-parse --verify --quiet main) || exit 0
base=$(git merge-base HEAD "$main")
mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- 'runtime/*.cpp' 'compiler/*.cpp' 'raster/*.cpp' 'icd/*.cpp' |
                       grep -v '_\(test\|bench\|fuzz\)\.cpp$')
[ ${#changed[@]} -gt 0 ] || { echo "nothing changed since ${base:0:10}"; exit 0; }
echo "clang-tidy on ${#changed[@]} files that changed since ${base:0:10}"
printf '%s\0' "${changed[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$1" --quiet --header-filter='^$' --warnings-as-errors='*' 2>/dev/null
