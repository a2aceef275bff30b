#!/bin/bash
# The packages for Python and Node, the archive with packages/setup.sh, and what action.yml runs, made of the driver as it
# is installed: each draws the same multisampled triangle (examples/python/triangle.py) in an environment that knows of
# no driver before.
# usage: check_packages.sh ROOT BUILD FOLDER [NODE]
set -euo pipefail
root=$1 build=$2 folder=$3 node=${4:-}
unset VK_DRIVER_FILES VK_ICD_FILENAMES ETZEL_CONFORMANCE_VERSION
rm -rf "$folder"
mkdir -p "$folder/python" "$folder/node"
cmake --install "$build" --component driver --strip --prefix "$folder/tree" >/dev/null
"$root/packages/make.py" "$folder/tree" "$folder" --fast >/dev/null
mv "$folder/tree" "$folder/moved"  # nothing may point there

python3 -m zipfile -e "$folder"/etzel-*.whl "$folder/python"
export PYTHONPATH=$folder/python
python3 -m etzel run python3 "$root/examples/python/triangle.py" "$folder/python.ppm" | tee "$folder/said"
grep -q '^Etzel' "$folder/said"
grep -Eq '^[1-9][0-9]* pixels covered, [1-9][0-9]* at edges, [1-9]' "$folder/said"
python3 -c 'import etzel, os, sys; etzel.use(wgpu=True); sys.exit(os.environ["ETZEL_CONFORMANCE_VERSION"] != "1.3.9.1")'
eval "$(python3 -m etzel env)"
[ -e "$VK_DRIVER_FILES" ] && [ "$VK_DRIVER_FILES" = "$VK_ICD_FILENAMES" ]
unset VK_DRIVER_FILES VK_ICD_FILENAMES
status=0; python3 -m etzel run sh -c 'exit 7' || status=$?
[ "$status" = 7 ]
# Every file is what RECORD says that it is, as installers check.
python3 - "$folder/python" <<'PYTHON'
import base64, csv, glob, hashlib, pathlib, sys
root = pathlib.Path(sys.argv[1])
rows = list(csv.reader(open(glob.glob(f"{root}/*.dist-info/RECORD")[0])))
files = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts}
assert files == {r[0] for r in rows}, files ^ {r[0] for r in rows}
for name, digest, size in (r for r in rows if r[1]):
    data = (root / name).read_bytes()
    assert len(data) == int(size), name
    assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), name
PYTHON

mkdir "$folder/archive"
tar czf "$folder/etzel.tar.gz" --transform 's/^moved/etzel-version/' -C "$folder" moved
sum=$(sha256sum "$folder/etzel.tar.gz" | cut -d ' ' -f 1)
! "$root/packages/setup.sh" "$folder/etzel.tar.gz" "$folder/archive" "${sum//[0-9]/0}" >/dev/null 2>&1 || { echo "any sum will do"; exit 1; }
"$root/packages/setup.sh" "$folder/etzel.tar.gz" "$folder/archive" "$sum" >"$folder/variables"
env $(cat "$folder/variables") python3 "$root/examples/python/triangle.py" "$folder/archive.ppm" >/dev/null
cmp "$folder/python.ppm" "$folder/archive.ppm"

# The action's last step, as a runner has it: the last line of action.yml's, and all below it.
sed '1,/^      run: |$/d; s/^        //' "$root/action.yml" >"$folder/step.sh"
(export GITHUB_ACTION_PATH=$root RUNNER_TEMP=$folder GITHUB_ENV=$folder/github RELEASES=none TAG=v0 WGPU=true
 export ARCHIVE=$folder/etzel.tar.gz SHA256=$sum
 bash -eo pipefail "$folder/step.sh")
grep -qx ETZEL_CONFORMANCE_VERSION=1.3.9.1 "$folder/github"
env $(cat "$folder/github") python3 "$root/examples/python/triangle.py" "$folder/action.ppm" >/dev/null
cmp "$folder/python.ppm" "$folder/action.ppm"

if [ -n "$node" ]; then
  tar xzf "$folder"/etzel-*.tgz -C "$folder/node"
  run=("$node" "$folder/node/package/etzel-run.js")
  "${run[@]}" python3 "$root/examples/python/triangle.py" "$folder/node.ppm" >/dev/null
  cmp "$folder/python.ppm" "$folder/node.ppm"
  status=0; "${run[@]}" sh -c 'exit 7' || status=$?
  [ "$status" = 7 ]
  status=0; "${run[@]}" sh -c 'kill -TERM $$' || status=$?
  [ "$status" = 143 ]
  "${run[@]}" --wgpu --env >"$folder/said"
  grep -q "^export ETZEL_CONFORMANCE_VERSION='1.3.9.1'" "$folder/said"
  (cd "$folder/node" && "$node" -e 'require("./package").use(); process.exit(process.env.VK_DRIVER_FILES ? 0 : 1)')
fi
rm -rf "$folder/moved" "$folder/python" "$folder/node" "$folder/archive" "$folder/etzel" "$folder"/*.whl "$folder"/*.gz "$folder"/*.tgz
echo "the packages draw the same triangle"
