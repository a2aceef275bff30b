#!/usr/bin/env bash
# etzel-inspect on a program that draws an 8x surface: every file appears, and an edge pixel has several fragments.
# usage: check_inspect.sh INSPECT PROGRAM FOLDER
set -euo pipefail
inspect=$1 program=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
"$inspect" run --output "$folder" -- "$program" --output "$folder" >"$folder/log.txt"
surface="$folder/frame0000-pass000-color1-layer0"
for part in .etzsurf .txt -resolved.png -fragments.png -tiles.png -coverage.png; do
  [ -s "$surface$part" ] || { echo "$surface$part is missing"; exit 1; }
done
[ -s "$folder/frame0000-pass000-depth-layer0.etzsurf" ] || { echo "depth is missing"; exit 1; }
grep -q '8 samples, R8G8B8A8_UNORM' "$surface.txt"
# All states of tiles exist in this scene, and more than half of the pixels keep one fragment or none.
awk '/^  (clear|one fragment|general) / && $(NF-2) == 0 { print "no tile is " $1; bad = 1 }
     /^pixels/ { pixels = 1 } pixels && NF == 4 && $1 <= 1 { few += $3 } END { exit bad || few < 50 }' "$surface.txt"
# A file that is cut off is refused with a reason.
head -c 3000 "$surface.etzsurf" >"$folder/cut.etzsurf"
if "$inspect" --output "$folder" "$folder/cut.etzsurf" 2>"$folder/reason.txt"; then
  echo "a damaged file was taken"
  exit 1
fi
grep -q 'damaged' "$folder/reason.txt"
"$inspect" --output "$folder" --pixel 0,0 --crop 0,0,40,40,4 "$surface.etzsurf" | grep -q 'pixel (0, 0): tile 0'
