#!/usr/bin/env bash
# wgpu, as Deno has it, takes Etzel where ETZEL_CONFORMANCE_VERSION is set, hides it where it is not, and draws a
# multisampled triangle right. usage: check_wgpu.sh DRIVER FOLDER. Exit status 77: skipped, where npm is not installed or
# does not reach Deno.
set -euo pipefail
driver=$1 folder=$2
package=deno@2.9.0
here=$(cd "$(dirname "$0")" && pwd)
command -v node >/dev/null && command -v npm >/dev/null || { echo "skipped: node is not installed"; exit 77; }
mkdir -p "$folder"
deno=$folder/node_modules/.bin/deno
if [ ! -x "$deno" ]; then
  timeout 120 npm install --silent --no-audit --no-fund --prefix "$folder" "$package" >/dev/null 2>&1 ||
    { rm -rf "$folder/node_modules"; echo "skipped: npm does not reach $package"; exit 77; }
fi
export VK_DRIVER_FILES=$driver VK_ICD_FILENAMES=$driver DENO_DIR=$folder/cache DENO_NO_UPDATE_CHECK=1
triangle() { env "$@" "$deno" run --unstable-webgpu "$here/triangle.ts"; }

said=$(triangle ETZEL_CONFORMANCE_VERSION=1.3.9.1)
echo "$said"
grep -q '^adapter: Etzel' <<<"$said"
grep -qx '1118 pixels covered, 102 at edges, 2876 background' <<<"$said"
# Without a version wgpu takes another device, or says that there is none.
said=$(triangle -u ETZEL_CONFORMANCE_VERSION)
echo "$said"
grep -q '^adapter: ' <<<"$said" && ! grep -q '^adapter: Etzel' <<<"$said"
