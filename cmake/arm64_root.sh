#!/usr/bin/env bash
# Makes a root of Debian's libraries for AArch64 to build with and to run from, out of this release's packages. Needs
# neither root privileges nor anything of AArch64: apt looks up and downloads with a state of its own in there, dpkg
# unpacks, nothing is configured. A root that was made for the same list is left as it is.
# usage: arm64_root.sh FOLDER PACKAGE…  (mirror: this host's, or $ETZEL_MIRROR)
set -euo pipefail
root=$(readlink -m "$1")
shift
mirror=${ETZEL_MIRROR:-$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/ | head -n 1 | tr -d ' ')}
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
want="$suite $*"
[ ! -e "$root/.made" ] || [ "$(cat "$root/.made")" != "$want" ] || exit 0

echo "making a root for arm64 in $root"
rm -rf "$root"
state=$root/.apt
mkdir -p "$state"/{etc,lists/partial,archives/partial,preferences} "$root/usr/"{bin,sbin,lib}
for folder in bin sbin lib; do ln -s "usr/$folder" "$root/$folder"; done
: >"$state/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$state/etc/sources.list"
apt=(apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=
  -o Acquire::Languages=none -o Dir::Etc::SourceList="$state/etc/sources.list" -o Dir::Etc::SourceParts="$state/preferences"
  -o Dir::Etc::PreferencesParts="$state/preferences" -o Dir::State="$state" -o Dir::State::Lists="$state/lists"
  -o Dir::State::Status="$state/status" -o Dir::Cache="$state" -o Debug::NoLocking=1)
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends --download-only "$@"
for package in "$state"/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
rm -rf "$state"

# Links to absolute names would lead out of the root.
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfnr "$root$(readlink "$link")" "$link"
done
echo "$want" >"$root/.made"
