#!/usr/bin/env bash
# etzel-debug on the demo: the traced invocation tells its lines with values, the pictures stay the same.
# usage: check_debug.sh DEBUG DEMO SCENE PIXEL-SCENE FOLDER
set -euo pipefail
debug=$1 demo=$2 scene=$3 pixels=$4 folder=$5
rm -rf "$folder"
mkdir -p "$folder/without" "$folder/with"
"$demo" --output "$folder/without" >"$folder/log.txt"

# A fragment in the middle of the picture, as text and as JSON: the same values.
"$debug" run --pixel 338,171 -- "$demo" --output "$folder/with" >"$folder/pixel.txt" 2>>"$folder/log.txt"
grep -q '^fragment invocation, pixel (338, 171)' "$folder/pixel.txt"
grep -q 'in vec3 worldNormal = (' "$folder/pixel.txt"
grep -Eq 'vec3 n = normalize\(normal\); +n = \(' "$folder/pixel.txt"
for picture in "$folder"/without/*.png; do
  cmp "$picture" "$folder/with/$(basename "$picture")"
done
"$debug" run --pixel 338,171 --json --output "$folder/pixel.json" -- "$demo" --output "$folder/with" >>"$folder/log.txt" 2>&1
python3 - "$folder/pixel.json" <<'PYTHON'
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
assert [e["event"] for e in events[:2]] == ["invocation", "inputs"] and events[-1]["event"] == "end"
lines = [e for e in events if e["event"] == "line"]
values = {c["name"]: c["value"] for e in lines for c in e["changed"]}
n = values["n"]
assert abs(sum(x * x for x in n) - 1) < 1e-5, n
assert any(e["function"] == "light" and e["depth"] == 2 for e in lines)
assert len(values["color"]) == 4 and events[-1]["lines"] == len(lines)
PYTHON

# A compute invocation, over barriers; a sample of a pixel; draws and dispatches are counted together.
"$scene" compute >"$folder/ordinary.txt"
"$debug" run --workgroup 3,0,0 --invocation 9 --json --output "$folder/compute.json" -- "$scene" compute 2>"$folder/compute.txt"
cmp "$folder/ordinary.txt" "$folder/compute.txt"
"$debug" run --pixel 12,13 --sample 2 --draw 0 --json --output "$folder/sample.json" -- "$scene" draw 2>>"$folder/log.txt"
python3 - "$folder" <<'PYTHON'
import json, sys
def load(name):
    events = [json.loads(line) for line in open(f"{sys.argv[1]}/{name}.json")]
    values = {c["name"]: c["value"] for e in events if e["event"] == "line" for c in e["changed"]}
    return events[0], values
first, values = load("compute")
assert (first["stage"], first["workgroup"], first["invocation"], first["draw"]) == ("compute", [3, 0, 0], 9, 0), first
assert values["mine"] == 2 * (9 + 5) and values["counter"] == sum(2 * (i + 5) for i in range(16)), values
first, values = load("sample")
assert (first["stage"], first["pixel"], first["sample"], first["draw"]) == ("fragment", [12, 13], 2, 0), first
assert values["shade"] == 0.5, values
PYTHON
for absent in "--workgroup 4,0,0 --invocation 9" "--workgroup 3,0,0 --invocation 16" "--workgroup 3,0,0 --invocation 9 --draw 1"; do
  if "$debug" run $absent -- "$scene" compute >>"$folder/log.txt" 2>"$folder/none.txt"; then exit 1; fi
  grep -q 'no such invocation ran' "$folder/none.txt"
done
for absent in "--pixel 12,13 --sample 4" "--pixel 12,13 --sample 2 --draw 1"; do
  if "$debug" run $absent -- "$scene" draw >>"$folder/log.txt" 2>"$folder/none.txt"; then exit 1; fi
  grep -q 'no such invocation ran' "$folder/none.txt"
done

# The stages before it.
"$scene" draw >"$folder/drawn.txt"
of_stage() {
  "$debug" run $1 --output "$folder/stage.txt" -- "$scene" draw >>"$folder/log.txt" 2>"$folder/stage.err"
  cmp "$folder/drawn.txt" "$folder/stage.err"
  grep -q "^$2, draw or dispatch 0\$" "$folder/stage.txt"
  grep -Eq "$3" "$folder/stage.txt"
}
of_stage "--vertex 1" "vertex invocation, vertex 1, instance 0" "corner = \(1, 0\)"
of_stage "--patch 0 --invocation 1" "control invocation, patch 0, control point 1" "point\[gl_InvocationID\] = corner"
of_stage "--stage evaluation --patch 0" "evaluation invocation, patch 0, at \(.*\)" "where = \("
of_stage "--primitive 0" "geometry invocation, primitive 0, invocation 0" "place = "

# Of several draws the one that changes the fragment mask; its first sample shaded, or the one that is named; none.
"$pixels" masks >"$folder/masks.txt"
for threads in 1 3; do
  ETZEL_THREADS=$threads "$debug" run --pixel 5,5 --mask changes --output "$folder/mask.txt" -- "$pixels" masks 2>"$folder/masked.txt"
  cmp "$folder/masks.txt" "$folder/masked.txt"
  grep -q '^fragment invocation, pixel (5, 5), draw or dispatch 2$' "$folder/mask.txt"
  grep -q 'green = (0, 1, 0)' "$folder/mask.txt"
  test "$(grep -c 'invocation' "$folder/mask.txt")" = 1
done
"$debug" run --pixel 5,5 --output "$folder/first.txt" -- "$pixels" masks 2>>"$folder/log.txt"
grep -q 'draw or dispatch 0$' "$folder/first.txt"
"$debug" run --pixel 5,5 --mask changes --sample 2 --output "$folder/shaded.txt" -- "$pixels" samples 2>>"$folder/log.txt"
grep -q '^fragment invocation, pixel (5, 5), sample 2, draw or dispatch 0$' "$folder/shaded.txt"
for absent in "--pixel 12,5 --mask changes" "--pixel 5,5 --mask changes --draw 1"; do
  if "$debug" run $absent -- "$pixels" masks >>"$folder/log.txt" 2>"$folder/none.txt"; then exit 1; fi
  grep -q 'no such invocation ran' "$folder/none.txt"
done

# What never runs is said, and so is what cannot be meant.
if "$debug" run --pixel 100000,0 -- "$demo" --output "$folder/with" >>"$folder/log.txt" 2>"$folder/none.txt"; then exit 1; fi
grep -q 'no such invocation ran' "$folder/none.txt"
if "$debug" run --pixel 1,1 -- true 2>"$folder/none.txt"; then exit 1; fi
grep -q 'is Etzel its driver?' "$folder/none.txt"
for meaningless in "--pixel x" "--pixel 1,1 --mask stays" "--mask changes"; do
  if "$debug" run $meaningless -- "$demo" 2>>"$folder/log.txt"; then exit 1; fi
done
ETZEL_TRACE=pixel=1 "$demo" --output "$folder/with" >"$folder/meaning.txt" 2>&1
grep -q 'ETZEL_TRACE=pixel=1 means nothing' "$folder/meaning.txt"
