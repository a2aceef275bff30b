#!/usr/bin/env bash
# The debug adapter with a client that others wrote: @vscode/debugadapter-testsupport, where node and the package are there or
# npm can fetch it. usage: other_client.sh ADAPTER SCENE DRIVER FOLDER-OF-THE-TOUR FOLDER. Exit status 77: skipped.
set -euo pipefail
adapter=$1 scene=$2 driver=$3 programs=$4 folder=$5
package=@vscode/debugadapter-testsupport@1.68.0
here=$(cd "$(dirname "$0")" && pwd)
command -v node >/dev/null && command -v npm >/dev/null || { echo "skipped: node is not installed"; exit 77; }
mkdir -p "$folder"
if [ ! -d "$folder/node_modules/@vscode/debugadapter-testsupport" ]; then
  timeout 60 npm install --silent --no-audit --no-fund --prefix "$folder" "$package" >/dev/null 2>&1 ||
    { rm -rf "$folder/node_modules"; echo "skipped: npm does not reach $package"; exit 77; }
fi
NODE_PATH="$folder/node_modules" node "$here/other_client.js" "$adapter" "$scene" "$driver" "$programs" "$folder"
