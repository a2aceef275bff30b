#!/bin/bash
# vkcube draws its textured cube into a window of a virtual X server: the screenshot must show the cube's picture (many
# different colours in the window's middle) on vkcube's grey background. vkcube opens 500x500 pixels at (100, 100).
# usage: check_vkcube.sh OUTPUT_DIR
set -u
out=$1
mkdir -p "$out"
# The server names a free display itself. Without -noreset it would start anew between the two runs, when its last client
# leaves, and a client that connects meanwhile is turned away.
mkfifo "$out/display.$$"
Xvfb -displayfd 3 -noreset -screen 0 800x600x24 -nolisten tcp 3<>"$out/display.$$" >"$out/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill $xvfb 2>/dev/null; wait $xvfb 2>/dev/null' EXIT
read -r -t 120 display <>"$out/display.$$" || { cat "$out/xvfb.log"; echo "no X server"; exit 1; }
rm -f "$out/display.$$"
export DISPLAY=:$display
unset WAYLAND_DISPLAY
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$out}

# 1. A bounded run ends by itself, without an error.
timeout 400 vkcube --c 120 --present_mode 0 >"$out/vkcube.log" 2>&1 || {
  cat "$out/vkcube.log"
  echo "vkcube failed"
  exit 1
}

# 2. A second one stays until a screenshot shows it.
timeout 400 vkcube >"$out/vkcube2.log" 2>&1 &
cube=$!
colors=0
for _ in $(seq 60); do
  sleep 1
  kill -0 $cube 2>/dev/null || { cat "$out/vkcube2.log"; echo "vkcube ended by itself"; exit 1; }
  import -window root "$out/vkcube.png"
  colors=$(convert "$out/vkcube.png" -crop 200x200+250+250 +repage -unique-colors -format '%w' info:)
  [ "${colors:-0}" -gt 500 ] && break
done
kill $cube 2>/dev/null
wait $cube 2>/dev/null

corner=$(convert "$out/vkcube.png" -format '%[pixel:p{110,110}]' info:)
echo "colours in the middle: $colors, background: $corner"
[ "${colors:-0}" -gt 500 ] || { cat "$out/vkcube2.log"; echo "the cube's texture is not there"; exit 1; }
grey='%[fx:abs(p{110,110}.r-0.2)<0.02 && abs(p{110,110}.g-0.2)<0.02 && abs(p{110,110}.b-0.2)<0.02]'
convert "$out/vkcube.png" -format "$grey" info: |
  grep -q 1 || { echo "the background is not vkcube's grey"; exit 1; }
