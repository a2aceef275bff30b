#!/usr/bin/env python3
"""A fixed set of cases reads the same bytes as when tests/digests.txt was written, on whatever host that was.

usage: check_digests.py ETZEL_CTS DIGESTS FOLDER [--write | --in EMULATOR...]
  --write   choose the cases anew and write DIGESTS: for a change that is meant to change bytes, which CHANGELOG.md says,
            or of a case and what it reads
  --in      a command line to run ETZEL_CTS by, which is another host's
Each line of DIGESTS is the first half of a case's number (etzel-cts --digests) and its name. The driver is the loader's
choice, so VK_DRIVER_FILES must name Etzel's manifest.
"""
import fnmatch
import pathlib
import subprocess
import sys

STRIDE = 5  # every so many cases one: a line each, and the file below 100 KB
DIGITS = 8
# What depends on more than the input: clocks, windows, how tiles are stored (docs/determinism.md); and what reads nothing.
EXCLUDED = [f"etzel.{group}.*" for group in (
    "api", "memory", "pipeline_cache", "query", "sync", "wsi", "multisample.fragment_mask")]
HEADER = f"""\
# What every {STRIDE}th case of etzel-cts reads from Etzel, on every host: docs/determinism.md. Written by
# tests/check_digests.py --write; the first {DIGITS} digits of the number that `etzel-cts --digests` gives, and the case.
"""


def written(path):
    """[digest, case] of each line."""
    return [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]


def choose(cts):
    listed = subprocess.run([*cts, "--list"], capture_output=True, text=True, check=True).stdout.split()
    wanted = [name for name in listed if not any(fnmatch.fnmatch(name, pattern) for pattern in EXCLUDED)]
    return wanted[::STRIDE]


def digests(cts, names, folder):
    """(digest, status) by case; what the device cannot do is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    cases, out = folder / "cases", folder / "digests"
    cases.write_text("".join(f"{name}\n" for name in names))
    out.unlink(missing_ok=True)
    done = subprocess.run([*cts, "--quiet", "--caselist", cases, "--digests", out], capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.startswith("Etzel "):
        sys.exit(f"etzel-cts did not run well on Etzel\n{done.stdout}{done.stderr}")
    lines = [line.split() for line in out.read_text().splitlines()]
    return {name: (digest[:DIGITS], status) for digest, status, name in lines}


def main():
    path, folder, options = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4:]
    writing = options == ["--write"]
    cts = [*(options[1:] if options[:1] == ["--in"] else []), sys.argv[1]]
    if writing:
        names = choose(cts)
        now = digests(cts, names, folder)
        kept = [name for name in names if now[name][1] == "Pass"]
        path.write_text(HEADER + "".join(f"{now[name][0]} {name}\n" for name in kept))
        return
    expected = written(path)
    now = digests(cts, [name for _, name in expected], folder)
    bad = 0
    for digest, name in expected:
        if now.get(name) != (digest, "Pass"):
            bad += 1
            print(f"{name}: {digest}, now {' '.join(now.get(name, ('nothing',)))}")
    if bad or not expected:
        sys.exit(f"{bad} of {len(expected)} cases read other bytes than {path.name} says; where that is meant: --write")
    print(f"{len(expected)} cases read what {path.name} says")


main()
