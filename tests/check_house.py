#!/usr/bin/env python3
"""Counts what should not be there: five numbers about the whole tree, none of which may grow.

usage: check_house.py ROOT BUILD COMPILER. ROOT is the tree, BUILD where its generated files lie, COMPILER a C++ compiler.
Prints the numbers with their limits; names what is counted where a number is over its limit, or with --list always. Exit
status 1 when one is over. Who brings a number down lowers its limit here.
"""
import collections
import pathlib
import platform
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "house"))
import alone
import sources

LIMITS = {
    "fragments that do not compile alone": 0,
    "files that name a host outside of runtime/simd and code generators": 0,
    "lines of icd/vulkan_newer.h written by hand": 0,
    "functions over 80 lines": 5,
    "files and folders that include each other": 0,
}

LONGEST_FUNCTION = 80  # lines, signature and closing brace included

# What names a host: its intrinsics and their types, headers, macros, the compiler's questions, registers, features.
# Targets (runtime/simd/target.h: x86_64_v1, x86_64_v3, neon) are our words, not the host's.
HOST = re.compile(
    r"\b(_mm\d*_\w+|__m(128|256|512)\w*|\w*mmintrin\b|x86intrin|cpuid|__builtin_ia32_\w+|__builtin_cpu_\w+|_mm_malloc"
    r"|__(x86_64__|i386__|AVX\w*|SSE\w*|BMI\w*|FMA__|F16C__|POPCNT__|LZCNT__)"
    r"|(r|e)(ax|bx|cx|dx|si|di|bp|sp)|[xyz]mm\d*|mxcsr|rdtsc\w*"
    r"|__(aarch64__|ARM_\w+)|arm_neon|aarch64|v\w+q_[fsu](8|16|32|64)"
    r"|avx\w*|sse\d\w*|ssse3|bmi[12]?|f16c|fma3|lzcnt|popcnt|movbe|x86|x86[-_]64)\b", re.I)


def is_host_room(name: str) -> bool:
    """Where the host may be named: the SIMD room, and what generates code for it."""
    return name.startswith("runtime/simd/") or "/x64/" in name or "/arm64/" in name


def fragments(tree, build: pathlib.Path, compiler: str) -> list[str]:
    """Files that are included in the middle of others: each should be a header that says what it needs."""
    names = [s.name for s in tree if s.name.endswith((".inl.h", ".simd.h", ".inc"))]
    wide = [alone.WIDE] if platform.machine() == "x86_64" else []
    jobs = [(name, flags) for name in names for flags in [[], *wide]]
    found = alone.complaints(alone.Compiler(tree[0].path.parents[tree[0].name.count("/")], build, [compiler]), jobs)
    return [f"{name}: {said}" for name, said in found.items()]


def files_of_the_host(tree) -> list[str]:
    """Product code only: tests and benchmarks may ask for what they compare, users of the driver are their own."""
    found = []
    for source in tree:
        if is_host_room(source.name) or source.is_test:
            continue
        if not source.name.startswith(("runtime/", "compiler/", "raster/", "icd/", "tools/")):
            continue
        match = HOST.search(source.text)
        if match:
            found.append(f"{source.name}:{source.text.count(chr(10), 0, match.start()) + 1}: {match.group(0)}")
    return found


def hand_written_newer(tree) -> list[str]:
    return [line for s in tree if s.name.endswith("/vulkan_newer.h") for line in s.text.splitlines()]


def long_functions(tree) -> list[str]:
    return [f"{s.name}:{f.line}: {f.name} has {f.lines} lines"
            for s in tree for f in s.functions() if f.lines > LONGEST_FUNCTION]


def include_circles(tree) -> list[str]:
    """Includes that come back: between files, and between folders by their product code."""
    names = {s.name for s in tree}
    files, folders = collections.defaultdict(dict), collections.defaultdict(dict)
    for source in tree:
        for include in source.includes:
            target = next((t for t in (f"{source.folder}/{include.target}", include.target) if t in names), None)
            if not target:
                continue
            place = f"{source.name}:{include.line}"
            files[source.name].setdefault(target, place)
            folder = target.rsplit("/", 1)[0]
            if folder != source.folder and not source.is_test:
                folders[source.folder].setdefault(folder, place)
    return [f"{place}: {node} needs {target}, which needs it as well"
            for edges in (files, folders) for group in sources.circles(edges) for node in group
            for target, place in edges[node].items() if target in group]


def main() -> int:
    arguments = [a for a in sys.argv[1:] if a != "--list"]
    root, build = (pathlib.Path(a).resolve() for a in arguments[:2])
    tree = sources.sources(root)
    counted = [fragments(tree, build, arguments[2]), files_of_the_host(tree), hand_written_newer(tree),
               long_functions(tree), include_circles(tree)]
    over = False
    for (what, limit), found in zip(LIMITS.items(), counted):
        print(f"{len(found):5} {what} (at most {limit})")
        if len(found) > limit or "--list" in sys.argv:
            print("".join(f"        {line}\n" for line in found), end="")
        over |= len(found) > limit
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
