#!/bin/sh
# Unpacks the relocatable archive and prints the variables that make Etzel the Vulkan driver of what follows, as lines
# NAME=VALUE: for GITHUB_ENV of GitHub Actions, `export` of a shell, or Docker's --env-file.
# usage: setup.sh ARCHIVE FOLDER [SHA256]   ARCHIVE: a file, or a URL that curl fetches
set -eu
archive=$1 folder=$2 sum=${3:-}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
case $archive in
  http://* | https://*)
    curl --fail --silent --show-error --location --retry 3 --output "$folder/etzel.tar.gz" "$archive"
    archive=$folder/etzel.tar.gz
    ;;
esac
[ -z "$sum" ] || echo "$sum  $archive" | sha256sum --check --quiet >&2
tar -xzf "$archive" -C "$folder" --strip-components=1
manifest=$(ls "$folder"/share/vulkan/icd.d/*.json)
echo "VK_DRIVER_FILES=$manifest"
echo "VK_ICD_FILENAMES=$manifest"
