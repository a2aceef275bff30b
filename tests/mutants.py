#!/usr/bin/env python3
"""Runs the conformance cases against every deliberate defect (runtime/debug/mutants.def) of a "mutants" build.

usage: mutants.py BUILD [NAME...]. Prints a table of mutants and how many cases each one fails, as Markdown; exit status
1 when a mutant fails no case, or when the unchanged driver fails one.
"""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'ETZEL_MUTANT\(\w+, "([^"]+)", "([^"]+)"\)')


def failed_cases(build: pathlib.Path, mutant: str) -> list[str]:
    """Names of the cases that fail, crash or hang with `mutant` on."""
    report = build / "mutant.xml"
    report.unlink(missing_ok=True)
    subprocess.run(
        [build / "cts-subset/etzel-cts", "--driver", build / "lib/etzel_icd.x86_64.json", "--quiet", "--timeout", "10",
         "--junit", report],
        env={"ETZEL_MUTANT": mutant, "PATH": "/usr/bin:/bin", "ETZEL_TIMEOUT_MS": "3000"},
        stdout=subprocess.DEVNULL, check=False)
    names = []
    for case in xml.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            names.append(f'{case.get("classname")}.{case.get("name")}')
    return names


def shortest(names: list[str]) -> str:
    """One killing case of each of the first few groups, shortest name first."""
    chosen: dict[str, str] = {}
    for name in sorted(names, key=lambda n: (len(n), n)):
        chosen.setdefault(".".join(name.split(".")[:2]), name)
    return ", ".join(f"`{n}`" for n in list(chosen.values())[:3])


def main() -> int:
    build = pathlib.Path(sys.argv[1])
    rows = ROW.findall((ROOT / "runtime/debug/mutants.def").read_text())
    wanted = set(sys.argv[2:])
    survivors = 0
    print("| mutant | what is wrong | cases that fail | among them |\n|---|---|---:|---|", flush=True)
    for name, description in rows:
        if wanted and name not in wanted:
            continue
        names = failed_cases(build, name)
        survivors += (not names) != (name == "none")
        print(f"| {name} | {description} | {len(names)} | {shortest(names)} |", flush=True)
    return 1 if survivors else 0


sys.exit(main())
