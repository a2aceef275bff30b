#!/usr/bin/env bash
# etzel-inspect on a program that draws an 8x surface: every file appears, and an edge pixel has several fragments. Then
# on a scene of which every byte that moves can be counted by hand.
# usage: check_inspect.sh INSPECT PROGRAM SCENE FOLDER
set -euo pipefail
inspect=$1 program=$2 scene=$3 folder=$4
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
# Files that are cut off, or whose header points outside (CaptureHeader: edgeOffset, metaOffset), are refused with a reason.
refused() {
  if "$inspect" --output "$folder" "$folder/damaged.etzsurf" 2>"$folder/reason.txt"; then
    echo "a damaged file was taken"
    exit 1
  fi
  grep -q 'damaged' "$folder/reason.txt" || { echo "no reason: $(cat "$folder/reason.txt")"; exit 1; }
}
head -c 3000 "$surface.etzsurf" >"$folder/damaged.etzsurf"
refused
for offset in 56 88; do
  cp "$surface.etzsurf" "$folder/damaged.etzsurf"
  printf '\377\377\377\377\377\377\377\377' | dd of="$folder/damaged.etzsurf" bs=1 seek=$offset conv=notrunc status=none
  refused
done
# Not through a pipe: grep -q leaves it early, and who still writes there ends by a signal.
"$inspect" --output "$folder" --pixel 0,0 --crop 0,0,40,40,4 "$surface.etzsurf" >"$folder/pixel.txt"
grep -q 'pixel (0, 0): tile 0' "$folder/pixel.txt"

# Bytes moved: 256x192 at 8x, 32x24 tiles, a triangle left of a vertical line.
# usage: moved NAME WORK TEXELS_READ WRITTEN RECORDS_READ WRITTEN PLAIN_READ WRITTEN
moved() {
  local found
  found=$(awk -v work="$2" '$1 == work && NF == 7 { print $2, $3, $4, $5, $6, $7 }' "$folder/frame0000-pass000-$1-layer0.txt")
  [ "$found" = "${*:3}" ] || { echo "$1 $2 moved '$found', not '${*:3}'"; exit 1; }
}
tiles=768 plain=1572864
# It covers everything: a tile's state byte, then each pixel once instead of each sample.
"$inspect" run --output "$folder" -- "$scene" 256 >"$folder/log.txt"
moved color0 clear 0 0 0 $tiles 0 $plain
moved color0 draw 0 $((256 * 192 * 4)) $tiles $tiles 0 $((256 * 192 * 32))
moved color0 resolve $((256 * 192 * 4)) 0 $tiles 0 $plain 0
moved depth clear 0 0 0 $((tiles * 5)) 0 $plain
# Depth: the clear word is read, a plane written; no texel.
moved depth draw 0 0 $((tiles * 5)) $((tiles * 33)) $plain $plain
# It ends in the middle of column 100, four of whose samples it covers. In each row of tiles 12 are covered; of the next
# one four columns are, and the fifth gets an edge: clear colour to 64 pixels, 40 texels, the masks (a word for each
# sample), the edge word.
"$inspect" run --output "$folder" -- "$scene" 100.5 >"$folder/log.txt"
drawn=$((192 * (100 * 8 + 4) * 4))
moved color0 draw $((24 * 4)) $((24 * (12 * 256 + 256 + 160))) $((24 * 13)) $((24 * (12 + 1 + 8 + 64))) 0 $drawn
moved color0 resolve $((24 * (12 * 256 + 384 + 19 * 4))) 0 $((24 * (32 + 8 + 64))) 0 $plain 0
# Two planes with a mask for each sample.
moved depth draw 0 0 $((24 * 13 * 5)) $((24 * (12 * 33 + 1 + 2 * 32 + 2 * 64))) $drawn $drawn
grep -q 'instead of' "$folder/frame0000-pass000-color0-layer0.txt"
grep -q '^  all ' "$folder/totals.txt"
