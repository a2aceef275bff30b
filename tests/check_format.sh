#!/bin/sh
# Every file of C++ is as .clang-format has it. `./etzel format` makes it so.
cd "$(dirname "$0")/.." || exit 1
git ls-files -z '*.h' '*.cpp' | xargs -0 -n 100 -P "$(nproc)" clang-format --dry-run -Werror && echo "formatted"
