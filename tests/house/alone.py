"""Compiles headers alone, each as if it were a program, and remembers the outcome as long as nothing that it includes
changes: a second run costs no compiler. Headers that include each other are asked about at once (chains.py).
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess

import sources
from chains import chains

#: How the widest target of runtime/simd/target.h is compiled; code for several targets is looked at both ways.
WIDE = ["-mavx2", "-mfma", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt", "-mmovbe", "-DETZEL_TARGET=x86_64_v3"]


class Compiler:
    """`command` as one compiles with it, without a file: program and options. `build` may be None: no generated files."""

    def __init__(self, root: pathlib.Path, build: pathlib.Path | None, command: list[str]):
        self.root = root
        self.build = build
        self.paths = [root] + ([build / "generated"] if build else [])
        self.command = command + ["-fsyntax-only", "-x", "c++", "-std=gnu++20", "-w"]
        self.command += [f"-I{path}" for path in self.paths]
        self.version = subprocess.run([command[0], "-v"], capture_output=True, text=True, check=True).stderr
        self.texts: dict[pathlib.Path, tuple[bytes, tuple[pathlib.Path, ...]]] = {}

    def _read(self, path: pathlib.Path) -> tuple[bytes, tuple[pathlib.Path, ...]]:
        """A file's bytes, and the files of ours that it names."""
        if path not in self.texts:
            text = path.read_text(errors="replace")
            found = []
            for include in sources.includes_of(text):
                for folder in [path.parent, *self.paths]:
                    if (folder / include.target).is_file():
                        found.append((folder / include.target).resolve())
                        break
            self.texts[path] = (text.encode(), tuple(found))
        return self.texts[path]

    def reached(self, name: str) -> set[pathlib.Path]:
        """All files of ours that a file includes, itself too."""
        reached, todo = set(), [(self.root / name).resolve()]
        while todo:
            path = todo.pop()
            if path not in reached:
                reached.add(path)
                todo += self._read(path)[1]
        return reached

    def key(self, name: str, flags: list[str]) -> str:
        """Changes with the compiler, its options, the file, and all of ours that the file reaches."""
        digest = hashlib.sha256(repr((self.version, self.command, flags, name)).encode())
        for path in sorted(self.reached(name)):
            digest.update(hashlib.sha256(self._read(path)[0]).digest())
        return digest.hexdigest()

    def chains(self, names: list[str]) -> list[list[str]]:
        """The files in chains, each including those before it."""
        names_of = {(self.root / name).resolve(): name for name in names}
        found = chains({path: self.reached(name) for path, name in names_of.items()})
        return [[names_of[path] for path in chain] for chain in found]

    def complaint(self, names: list[str], flags: list[str]) -> str:
        """What the compiler says against files that are included one after the other; empty when nothing."""
        program = "".join(f'#include "{self.root / name}"\n' for name in names)
        done = subprocess.run([*self.command, *flags, "-"], input=program, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ""
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        return errors[0].replace(f"{self.root}/", "") if errors else f"{names[0]}: exit status {done.returncode}"

    def complaints(self, chain: list[str], flags: list[str]) -> list[str]:
        """What the compiler says against each file of a chain, alone."""
        if len(chain) > 1 and not self.complaint(chain, flags):
            return [""] * len(chain)
        return [self.complaint([name], flags) for name in chain]


def complaints(compiler: Compiler, jobs: list[tuple[str, list[str]]]) -> dict[str, str]:
    """The first complaint about each file that does not compile with each of its flags. `jobs`: files and flags."""
    memory = compiler.build / "house_alone.json" if compiler.build else None
    known = json.loads(memory.read_text()) if memory and memory.is_file() else {}
    keys = {(name, tuple(flags)): compiler.key(name, flags) for name, flags in jobs}
    asked: dict[tuple[str, ...], list[str]] = {}  # by flags
    for name, flags in keys:
        if keys[name, flags] not in known:
            asked.setdefault(flags, []).append(name)
    todo = [(chain, list(flags)) for flags, names in asked.items() for chain in compiler.chains(names)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (chain, flags), said in zip(todo, pool.map(lambda j: compiler.complaints(*j), todo)):
            known |= {keys[name, tuple(flags)]: what for name, what in zip(chain, said)}
    if memory and todo:
        # Others may have written meanwhile; what they knew is only asked again.
        temporary = memory.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps({key: known[key] for key in sorted(known)}, indent=0))
        temporary.replace(memory)
    found: dict[str, str] = {}
    for name, flags in jobs:
        if known[keys[name, tuple(flags)]]:
            found.setdefault(name, known[keys[name, tuple(flags)]])
    return found
