#!/bin/bash
# All static checks, for `./etzel check`. usage: check_all.sh BUILD (configured; its generated files made)
tests=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$tests")
failed=()
check() {
  local name=$1 begin=$SECONDS
  shift
  echo "== $name"
  "$@" || failed+=("$name")
  [ $((SECONDS - begin)) -lt 5 ] || echo "   $((SECONDS - begin)) s"
}
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$1/CMakeCache.txt")
check includes "$tests/check_includes.py" "$root"
check house "$tests/check_house.py" "$root" "$1" "$compiler"
check format "$tests/check_format.sh"
check headers "$tests/check_headers.py" "$root" "$1" "$compiler"
check tidy "$tests/check_tidy.sh" "$1"
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
