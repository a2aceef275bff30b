#!/bin/sh
# Variables of the environment may write files and change what the driver does, so a program with other rights than its
# user's must not follow them: product code asks secure_getenv alone. usage: check_environment.sh ROOT
cd "$1" || exit 1
found=$(grep -rnE '(^|[^_a-z])getenv *\(' --include='*.cpp' --include='*.h' icd compiler raster runtime |
        grep -vE '_(test|bench)\.cpp:|/test/|/model/')
[ -z "$found" ] || { echo "$found"; echo "use secure_getenv"; exit 1; }
echo "the environment is asked safely"
