#!/usr/bin/env python3
"""Checks who includes whom (docs/architecture.md, "Folders"): folders are layered, LLVM and objects of the API are
confined, users of the driver know it by the loader only.

usage: check_includes.py ROOT. Prints every violation; exit status 1 if there is one.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "house"))
import sources

#: A folder, and the folders of Etzel that its files may include.
ALLOWED = {
    "runtime": ["runtime/"],
    "compiler": ["compiler/", "runtime/base/", "runtime/abi/", "runtime/format/", "runtime/mutant/", "runtime/simd/",
                 "runtime/task/"],
    "raster": ["raster/", "runtime/"],
    "icd": ["icd/", "raster/", "compiler/", "runtime/"],
    "tools/etzel-isa": ["tools/etzel-isa/", "compiler/", "runtime/"],
    "tools/common": ["tools/common/"],
    "tools/etzel-inspect": ["tools/etzel-inspect/", "tools/common/", "runtime/"],
    "tools/etzel-debug": ["tools/etzel-debug/", "tools/common/"],
    # Ordinary Vulkan programs: what they test, measure or show is what every application gets.
    "cts-subset": ["cts-subset/", "testing/"],
    "bench": ["bench/", "testing/"],
    "tests": ["tests/", "testing/", "cts-subset/support/", "icd/vulkan_newer.h"],
    # Fuzzers change what the driver and its tools read from files, so they know how it is written.
    "tests/fuzz": ["tests/fuzz/", "testing/", "icd/vulkan_newer.h", "compiler/isa/", "tools/etzel-inspect/", "runtime/"],
    "testing": ["testing/"],
    "examples": ["examples/"],
}
#: What tests and benchmarks of a folder may reach beyond the rule (a test runs what it compiled).
TEST_EXTRA = {"compiler": ["runtime/"], "raster": ["compiler/"]}
#: Rooms from the bottom up: each may include those before it, and none behind it. "." is the folder itself.
LAYERS = {
    "runtime": ["base", "store", "mutant", "portable", "simd", "abi", "format", "task", "mem", "msaa", "tex", "transfer"],
    "compiler": ["isa", "math", "spirv", "lower", "regalloc", "exec/interp", "exec", "exec/quick", "opt", ".", "debug",
                 "exec/native", "exec/tiers", "exec/test"],
    "raster": [".", "attachment", "front", "tile", "pass", "model"],
    "icd": ["object", "dispatch", "physical_device", "sync", "memory", "debug", "descriptor", "render_pass", "pipeline",
            "cmd", "queue", "wsi", "device"],
}
#: Headers that begin like this belong to one place.
CONFINED_HEADERS = {
    "llvm": ("compiler/exec/native/",),
    "vulkan/vk_icd.h": ("icd/",),
}
#: Structures by which an application asks for objects, and their chains, are read by the API's entry points only.
API_STRUCTURES = re.compile(r"\b(Vk\w*CreateInfo\w*|pNext)\b")
API_READERS = ("icd/", "cts-subset/", "bench/", "tests/", "testing/", "examples/")
OUR_FOLDERS = tuple(f"{folder}/" for folder in sources.FOLDERS)


def rule_of(name: str) -> str | None:
    """The folder whose rule holds for a file: the longest that it lies in."""
    return max((f for f in ALLOWED if name.startswith(f + "/")), key=len, default=None)


def room_of(name: str, folder: str) -> str | None:
    """The room of a file in its folder, as LAYERS names it; None when it names none."""
    inside = name.removeprefix(folder + "/").rpartition("/")[0]
    return max((room for room in LAYERS[folder] if room == inside or inside.startswith(room + "/") or
                (room == "." and not inside)), key=len, default=None)


def check(source: sources.Source, names: set[str]) -> list[str]:
    problems = []
    folder = rule_of(source.name)
    if folder is None:
        return [f"{source.name}: tests/check_includes.py has no rule for this folder"]
    allowed = ALLOWED[folder] + (TEST_EXTRA.get(folder, []) if source.is_test else [])
    layers = LAYERS.get(folder, [])
    room = room_of(source.name, folder) if layers else None
    if layers and room is None:
        problems.append(f"{source.name}: tests/check_includes.py does not say where this room of {folder}/ stands")
    for include in source.includes:
        place = f"{source.name}:{include.line}"
        beside = f"{source.folder}/{include.target}"
        target = beside if include.quoted and beside in names else include.target
        if target.startswith(OUR_FOLDERS) and not target.startswith(tuple(allowed)):
            problems.append(f"{place}: {folder}/ may not include {target}")
        if room and target in names and target.startswith(folder + "/") and not source.is_test:
            other = room_of(target, folder)
            if other and layers.index(other) > layers.index(room):
                problems.append(f"{place}: {folder}/{room} stands below {target}")
        for prefix, homes in CONFINED_HEADERS.items():
            if target.startswith(prefix) and not source.name.startswith(homes):
                problems.append(f"{place}: {target} belongs to {homes[-1]} alone")
    if not source.name.startswith(API_READERS):
        for match in API_STRUCTURES.finditer(source.code):
            line = source.code.count("\n", 0, match.start()) + 1
            problems.append(f"{source.name}:{line}: {match.group(0)} belongs to icd/ alone")
    return problems


def main() -> int:
    tree = sources.sources(pathlib.Path(sys.argv[1]).resolve())
    names = {source.name for source in tree}
    problems = [problem for source in tree for problem in check(source, names)]
    print("\n".join(problems) or "includes are layered")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
