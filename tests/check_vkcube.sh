#!/bin/bash
# vkcube draws its textured cube into a window of a virtual X server: the screenshot must show the cube's picture (many
# different colours in the window's middle) on vkcube's grey background. vkcube opens 500x500 pixels at (100, 100).
# usage: check_vkcube.sh OUTPUT_DIR
set -u
out=$1
mkdir -p "$out"
display=":$((RANDOM % 400 + 100))"
Xvfb "$display" -screen 0 800x600x24 -nolisten tcp >"$out/xvfb.log" 2>&1 &
xvfb=$!
trap 'kill $xvfb 2>/dev/null; wait $xvfb 2>/dev/null' EXIT
for _ in $(seq 50); do [ -S "/tmp/.X11-unix/X${display#:}" ] && break; sleep 0.1; done
export DISPLAY=$display
unset WAYLAND_DISPLAY
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$out}

# 1. A bounded run ends by itself, without an error.
timeout 120 vkcube --c 120 --present_mode 0 >"$out/vkcube.log" 2>&1 || {
  cat "$out/vkcube.log"
  echo "vkcube failed"
  exit 1
}

# 2. A second one stays while the screenshot is taken.
timeout 60 vkcube >"$out/vkcube2.log" 2>&1 &
cube=$!
sleep 3
import -window root "$out/vkcube.png"
kill $cube 2>/dev/null
wait $cube 2>/dev/null

colors=$(convert "$out/vkcube.png" -crop 200x200+250+250 +repage -unique-colors -format '%w' info:)
corner=$(convert "$out/vkcube.png" -format '%[pixel:p{110,110}]' info:)
echo "colours in the middle: $colors, background: $corner"
[ "$colors" -gt 500 ] || { echo "the cube's texture is not there"; exit 1; }
grey='%[fx:abs(p{110,110}.r-0.2)<0.02 && abs(p{110,110}.g-0.2)<0.02 && abs(p{110,110}.b-0.2)<0.02]'
convert "$out/vkcube.png" -format "$grey" info: |
  grep -q 1 || { echo "the background is not vkcube's grey"; exit 1; }
