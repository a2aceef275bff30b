#!/usr/bin/env python3
"""Every header says what it needs: it compiles alone.

usage: check_headers.py ROOT BUILD COMPILER. Names each header that does not, with the compiler's first complaint; exit
status 1 if there is one.

A header that is the first include of a source file has been compiled alone by building that file, but for tests, which
have precompiled headers before it. So the compiler is only asked about the others, and about those of code for several
targets (namespace ETZEL_TARGET), as the baseline sees them; as AVX2 does too where they tell targets apart. It remembers
what it was told (house/alone.py).
"""
import json
import pathlib
import platform
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "house"))
import alone
import sources

NEEDS_LLVM = "compiler/exec/native/"
TELLS_TARGETS = re.compile(r"^#\s*(?:el)?if.*(?:ETZEL_SIMD|__[A-Z0-9]+__)", re.M)


def compiled_alone(root: pathlib.Path, build: pathlib.Path) -> set[str]:
    """Source files that are compiled with nothing before them."""
    commands = json.loads((build / "compile_commands.json").read_text())
    return {str(pathlib.Path(command["file"]).relative_to(root)) for command in commands
            if "-include" not in command["command"].split() and pathlib.Path(command["file"]).is_relative_to(root)}


def proven(tree: tuple[sources.Source, ...], alone_in_build: set[str]) -> set[str]:
    """Headers that some source file includes before anything else."""
    names = {source.name for source in tree}
    found = set()
    for source in tree:
        if source.name in alone_in_build and source.includes and source.includes[0].quoted:
            target = source.includes[0].target
            beside = f"{source.folder}/{target}"
            found.add(beside if beside in names else target)
    return found


def llvm_flags(build: pathlib.Path) -> list[str] | None:
    """Where LLVM's headers are; None when the build has none."""
    cache = build / "CMakeCache.txt"
    found = re.search(r"^LLVM_DIR:PATH=(/.*)/lib/cmake/llvm$", cache.read_text() if cache.is_file() else "", re.M)
    return [f"-isystem{found.group(1)}/include"] if found else None


def main() -> int:
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    tree = sources.sources(root)
    compiler = alone.Compiler(root, build, [sys.argv[3]])
    built, llvm = proven(tree, compiled_alone(root, build)), llvm_flags(build)
    jobs = []
    for header in tree:
        if not header.name.endswith(".h") or header.name.endswith((".inl.h", ".simd.h")):
            continue
        if "ETZEL_TARGET" in header.code and platform.machine() == "x86_64":
            jobs.append((header.name, []))
            if TELLS_TARGETS.search(header.code):
                jobs.append((header.name, alone.WIDE))
        elif header.name in built:
            continue
        elif not header.name.startswith(NEEDS_LLVM):
            jobs.append((header.name, []))
        elif llvm:
            jobs.append((header.name, llvm))
    found = alone.complaints(compiler, jobs)
    for name, said in found.items():
        print(f"{name} does not compile alone: {said}")
    print(f"{len(jobs)} headers asked about, {len(found)} need others")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
