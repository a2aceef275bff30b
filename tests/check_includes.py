#!/usr/bin/env python3
"""Checks who includes whom (docs/architecture.md, "Folders"): no upward includes, no cycles, LLVM only in the JIT.

usage: check_includes.py ROOT. Prints every violation; exit status 1 if there is one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
# folder -> prefixes that it may include from Etzel itself
ALLOWED = {
    "runtime": ["runtime/"],
    "compiler": ["compiler/", "runtime/base/", "runtime/abi/", "runtime/format/", "runtime/debug/", "runtime/task/",
                 "runtime/simd/"],
    "raster": ["raster/", "runtime/"],
    "icd": ["icd/", "raster/", "compiler/", "runtime/"],
}
# folders of the compiler that tests may reach beyond the rule (a test runs what it compiled)
TEST_EXTRA = {"compiler": ["runtime/"], "raster": ["compiler/"]}
FOLDERS = tuple(ALLOWED)
# LLVM and API-object headers are confined
CONFINED = [("llvm", "compiler/exec/native/"), ("vulkan/vk_icd.h", "icd/")]


def main() -> int:
    problems = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            name = path.relative_to(ROOT).as_posix()
            allowed = list(ALLOWED[folder])
            if "_test" in path.stem or "_bench" in path.stem or "test_" in path.stem or path.parent.name == "model":
                allowed += TEST_EXTRA.get(folder, [])
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = match.group(1)
                if target.startswith(FOLDERS) and not target.startswith(tuple(allowed)):
                    problems.append(f"{name}:{number}: {folder}/ may not include {target}")
                for prefix, home in CONFINED:
                    if target.startswith(prefix) and not name.startswith(home):
                        problems.append(f"{name}:{number}: {target} belongs to {home} alone")
    print("\n".join(problems) or "includes are layered")
    return 1 if problems else 0


sys.exit(main())
