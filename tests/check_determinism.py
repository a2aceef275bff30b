#!/usr/bin/env python3
"""Rendering gives the same bytes for any number of threads, interpreted or compiled, compressed or not, first run or not.

usage: check_determinism.py DEMO ETZEL_CTS FOLDER [--without-cache] [--all | GLOB...]

Runs the demo and conformance cases (those of GROUPS, or all, or those that the globs name) once for each of VARIANTS and
compares pictures and digests (etzel-cts --digests). FOLDER receives what they write. The driver is the loader's choice,
so VK_DRIVER_FILES must name Etzel's manifest. --without-cache: it is one that keeps nothing on disk.
"""
import fnmatch
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Everything that draws to multisampled images, tests depth and stencil, blends or splits work between threads.
GROUPS = [f"etzel.{group}.*" for group in (
    "multisample", "invariance", "resolve", "render_pass", "raster", "depth", "stencil", "blend", "logic_op")]

# Stands for a folder of this run's.
CACHE = "CACHE"

# Environments; the first is what the others are compared with.
VARIANTS = [
    {},
    {"ETZEL_THREADS": "1"},
    {"ETZEL_THREADS": "4", "ETZEL_DEBUG": "no-hiz"},
    {"ETZEL_DEBUG": "no-fmask"},
    {"ETZEL_DEBUG": "no-share"},
    {"ETZEL_DEBUG": "no-tile-memory"},
    {"ETZEL_DEBUG": "expand-color"},
    {"ETZEL_DEBUG": "expand-depth"},
    {"ETZEL_DEBUG": "expand-color,expand-depth", "ETZEL_THREADS": "1"},
    {"ETZEL_DEBUG": "no-jit"},
    # The cache on disk: empty to begin with, then with all programs and their optimized code.
    {"ETZEL_DEBUG": "jit-now", "ETZEL_CACHE": CACHE},
    {"ETZEL_DEBUG": "jit-now,bound-now"},
    {"ETZEL_CACHE": CACHE},
    # The application's floating-point state (testing/vk/float_state.h).
    {"ETZEL_CTS_FLOAT": "flush"},
    {"ETZEL_CTS_FLOAT": "upward"},
    {"ETZEL_CTS_FLOAT": "downward"},
    {"ETZEL_CTS_FLOAT": "towardzero"},
]

# Cases that read fragment masks see how tiles are stored: that is what VK_AMD_shader_fragment_mask is for.
MASKS = "etzel.multisample.fragment_mask.*"
# Of those, the ones that fail where nothing is compressed.
COMPRESSION = "etzel.multisample.fragment_mask.compression.*"
# Cases that read what differs in every process: the clock, and descriptors in buffers, which bear addresses and a seal.
OF_THE_PROCESS = ("etzel.query.timestamp.*", "etzel.api.descriptor_buffer.*", "etzel.api.descriptor_heap.*")


def environment(variant, folder):
    clean = {k: v for k, v in os.environ.items() if k not in ("ETZEL_DEBUG", "ETZEL_THREADS", "ETZEL_CTS_FLOAT")}
    cache = {"ETZEL_CACHE": str(folder.resolve() / "cache") if variant.get("ETZEL_CACHE") == CACHE else "off"}
    return {**clean, **variant, **cache}


def demo_picture(demo, folder, variant):
    done = subprocess.run([demo, "--output", folder], env=environment(variant, folder), stdout=subprocess.DEVNULL,
                          check=False)
    if done.returncode:
        sys.exit(f"{variant}: the demo failed")
    return hashlib.sha256(b"".join((folder / f"demo_{n}x.png").read_bytes() for n in (1, 4))).hexdigest()


def case_digests(cts, folder, variant, globs):
    """(digest, status) by case name."""
    path = folder / "digests"
    path.unlink(missing_ok=True)
    # Statuses are compared below; failures that a variant must have are none of the program's business.
    done = subprocess.run([cts, "--quiet", "--digests", path, *globs], env=environment(variant, folder),
                          capture_output=True, text=True, check=False)
    if not path.exists() or not re.search(r"^Etzel [0-9.]+: ", done.stdout, re.M):
        sys.exit(f"{variant}: etzel-cts did not run on Etzel\n{done.stdout}{done.stderr}")
    lines = [line.split() for line in path.read_text().splitlines()]
    return {name: (digest, status) for digest, status, name in lines}


def compare(variant, first, now):
    """Prints what differs and should not. \\returns the number of such cases."""
    expands = any(flag in variant.get("ETZEL_DEBUG", "").split(",") for flag in ("no-fmask", "expand-color"))
    bad = shown = 0
    for name, (digest, status) in first.items():
        other_digest, other_status = now.get(name, ("", "nothing"))
        if status == other_status and any(fnmatch.fnmatch(name, pattern) for pattern in OF_THE_PROCESS):
            continue
        if expands and fnmatch.fnmatch(name, MASKS):
            shown += digest != other_digest
            if status == other_status or fnmatch.fnmatch(name, COMPRESSION):
                continue
        elif digest == other_digest and status == other_status:
            continue
        bad += 1
        print(f"{variant}: {name}: {status} {digest}, now {other_status} {other_digest}")
    if expands and not shown and fnmatch.filter(first, MASKS):
        print(f"{variant}: no fragment mask shows that tiles are expanded")
        bad += 1
    return bad


def main():
    demo, cts, folder, *globs = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "cache", ignore_errors=True)
    keeps = "--without-cache" not in globs
    globs = [glob for glob in globs if glob != "--without-cache"]
    globs = [] if globs == ["--all"] else globs or GROUPS
    picture = digests = None
    bad = 0
    for variant in VARIANTS:
        seen, read = demo_picture(demo, folder, variant), case_digests(cts, folder, variant, globs)
        if digests is None:
            picture, digests = seen, read
            failed = [name for name, (_, status) in read.items() if status not in ("Pass", "NotSupported")]
            if failed:
                sys.exit(f"{len(failed)} cases fail to begin with: {failed[:5]}")
            continue
        if seen != picture:
            print(f"{variant}: the demo's pictures differ")
            bad += 1
        bad += compare(variant, digests, read)
    if keeps != any((folder / "cache").glob("*.etz")):
        print("the cache on disk is empty" if keeps else "there is something on disk")
        bad += 1
    if bad:
        sys.exit(f"{bad} differences")
    print(f"{len(digests)} cases and the demo give the same bytes in {len(VARIANTS)} ways")


main()
