#!/usr/bin/env python3
"""Runs the conformance cases against every deliberate defect (runtime/mutant/mutants.def).

usage: mutants.py BUILD [--witnesses] [NAME...]. Prints a table of mutants and how many cases each one fails, as Markdown.
With --witnesses only the case that mutants.def names for each is run, which takes seconds. Exit status 1 when a mutant
fails no case, or when the driver without one fails any.
"""
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'ETZEL_MUTANT\(\w+, "([^"]+)", "([^"]+)",\s*"([^"]*)"\)')


def failed_cases(build: pathlib.Path, mutant: str, cases: list[str]) -> list[str]:
    """Names of the cases among `cases` (all if empty) that fail, crash or hang with `mutant` on."""
    report = build / "mutant.xml"
    report.unlink(missing_ok=True)
    subprocess.run(
        [build / "cts-subset/etzel-cts", "--driver", build / "lib/etzel_mutants.x86_64.json", "--quiet", "--timeout", "10",
         "--junit", report, *cases],
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
    arguments = [a for a in sys.argv[1:] if a != "--witnesses"]
    build, wanted = pathlib.Path(arguments[0]), set(arguments[1:])
    rows = ROW.findall((ROOT / "runtime/mutant/mutants.def").read_text())
    every = sorted({witness for *_, witness in rows if witness}) if "--witnesses" in sys.argv else []
    survivors = 0
    print("| mutant | what is wrong | cases that fail | among them |\n|---|---|---:|---|", flush=True)
    for name, description, witness in rows:
        if wanted and name not in wanted:
            continue
        names = failed_cases(build, name, [witness] if every and witness else every)
        survivors += (not names) != (name == "none")
        print(f"| {name} | {description} | {len(names)} | {shortest(names)} |", flush=True)
    return 1 if survivors else 0


sys.exit(main())
