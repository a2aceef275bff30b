#!/usr/bin/env bash
# The tour of docs/debugging.md: what each of its programs gets wrong, that a trace of the pixel shows why, and that --fixed is
# right. usage: tour.sh ETZEL-DEBUG FOLDER-OF-PROGRAMS FOLDER
set -euo pipefail
debug=$(realpath "$1") programs=$(realpath "$2")
mkdir -p "$3"
cd "$3"

# is PROGRAM WRONG RIGHT: the colour that it says, and the one of --fixed
is() {
  "$programs/etzel-$1" | grep -qF "is ($2)" || { echo "$1 is not wrong any more"; "$programs/etzel-$1"; exit 1; }
  "$programs/etzel-$1" --fixed | grep -qF "is ($3)" || { echo "$1 --fixed is wrong"; "$programs/etzel-$1" --fixed; exit 1; }
}
# shows PROGRAM DRAW TEXT...: what the trace of the pixel that it names tells
shows() {
  local program=$1 draw=$2 pixel
  pixel=$("$programs/etzel-$program" | sed -n 's/^pixel (\([0-9]*\), \([0-9]*\)).*/\1,\2/p')
  "$debug" run --pixel "$pixel" --draw "$draw" -- "$programs/etzel-$program" >"$program.txt" 2>/dev/null
  shift 2
  for text in "$@"; do
    grep -qF "$text" "$program.txt" || { echo "the trace of $program lacks: $text"; cat "$program.txt"; exit 1; }
  done
}
