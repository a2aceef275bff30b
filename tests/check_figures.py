#!/usr/bin/env python3
"""Figures in the documents come from where they are known: docs/bench.json and docs/programs.json (runs of `./etzel bench`),
docs/threads.json (a run of `./etzel bench --threads`), docs/sweeps.json (of `./etzel bench --sweep`), docs/conformance.json (runs of conformance cases),
docs/fuzzing.json (runs of fuzzers) and the tree.

A document says `<!--= EXPRESSION -->figure<!--/-->` for one figure and `<!--table NAME-->...<!--/table-->` for a table.
Without options this checks that every figure and table is what it would be if written now, and that no sentence outside
of such marks compares with a peer; exit status 1 if not.

usage: check_figures.py ROOT [--cts ETZEL_CTS] [--write] [--import BENCH_JSON [--without DRIVER]] [--programs PROGRAMS_JSON]
                        [--sample RESULTS_TSV SECONDS] [--own JUNIT_XML SECONDS] [--peer NAME JUNIT_XML]
                        [--fuzz RUNS_TSV] [--threads THREADS_JSON] [--sweeps SWEEPS_JSON]
                        [--piece NUMBER RESULTS_TSV COMMIT]...
  --cts      the program that knows how many cases there are; figures that need it stay as they are otherwise
  --write    put the figures and tables in
  --import   take the results of a run (out/bench.json) into docs/bench.json first, with date and commit
  --without  but not those of a driver of that name
  --programs take the results of `./etzel bench --programs` into docs/programs.json first, with date and commit
  --threads  take the results of `./etzel bench --threads` into docs/threads.json first, with date and commit
  --sweeps   take the results of `./etzel bench --sweep` into docs/sweeps.json first, with date and commit
  --sample   take a run of the sample of Khronos' list into docs/conformance.json first: lines of case, tab, status
  --piece    the same of a piece of the list (every 64th case, from number 0, 1, ... on), run at a commit
  --own      the same of a run of etzel-cts (--junit)
  --peer     the same on another driver, by its name
  --fuzz     add what `./etzel fuzz` wrote (out/fuzz/runs.tsv) to docs/fuzzing.json first
"""
import argparse
import datetime
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

import conformance_figures
import fuzzing_figures
import sweep_figures
import thread_figures

DOCUMENTS = ("README.md", "docs/performance.md", "docs/conformance.md", "docs/status.md", "docs/reliability.md",
             "docs/determinism.md")
FIGURE = re.compile(r"(<!--= (.*?) -->)(.*?)(<!--/-->)", re.S)
TABLE = re.compile(r"(<!--table (\w+)-->\n)(.*?)(<!--/table-->)", re.S)
COMPARISON = re.compile(r"[^\n]*\d[^\n]*(?:better peer|best peer|times lavapipe|lavapipe takes|times SwiftShader)[^\n]*")
TIE = 1.1


def number(value):
    """As etzel-vkbench prints it: three digits."""
    if value == 0:
        return "0"
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


class Facts:
    """What expressions and tables are made of."""

    def __init__(self, root, cts):
        self.root = root
        self.cts = cts
        self.bench = json.loads((root / "docs/bench.json").read_text())
        self.rows = {row["name"]: row for row in self.bench["rows"]}
        self.drivers = [d["name"] for d in self.bench["drivers"]]
        self.programs = json.loads((root / "docs/programs.json").read_text())
        self.conformance = conformance_figures.Conformance(root)
        self.fuzzing = fuzzing_figures.Fuzzing(root)
        self.threads = thread_figures.Threads(root, number, self.ratio_of)
        self.sweeps = sweep_figures.Sweeps(root, number, self.ratio_of)

    def value(self, name, driver=0):
        return self.rows[name]["values"][driver]

    @staticmethod
    def ratio_of(values, higher_is_better=True):
        """How much better than the best peer; None without one, or where Etzel fails."""
        own, *peers = (v if isinstance(v, (int, float)) and v > 0 else None for v in values)
        peers = [v for v in peers if v]
        if not own or not peers:
            return None
        return own / max(peers) if higher_is_better else min(peers) / own

    def ratio(self, name):
        return self.ratio_of(self.rows[name]["values"], self.rows[name]["higher_is_better"])

    @staticmethod
    def named(rows):
        return ", ".join(f"`{r}`" for r in rows) or "none"

    def names(self):
        """For expressions."""
        ratios = [r for r in map(self.ratio, self.rows) if r is not None]
        programs = [r for row in self.programs["rows"] if (r := self.ratio_of(row["values"])) is not None]
        return self.conformance.names() | self.fuzzing.names() | self.threads.names() | self.sweeps.names() | {
            "value": self.value,
            "ratio": self.ratio,
            "time": lambda a, b: self.value(b) / self.value(a),
            "n": number,
            "scenarios": len(self.rows),
            "compared": len(ratios),
            "behind": sum(r < 1 for r in ratios),
            "behind_rows": self.named(r for r in sorted(self.rows, key=lambda r: self.ratio(r) or math.inf) if (self.ratio(r) or 1) < 1),
            "mean": statistics.geometric_mean(ratios),
            "peers": ", ".join(f'{d["name"]} ({d["version"]})' for d in self.bench["drivers"][1:]),
            "version": self.bench["drivers"][0]["version"],
            "machine": self.bench["machine"]["cpu"],
            "threads": self.bench["machine"]["threads"],
            "date": self.bench["date"],
            "commit": self.bench["commit"],
            "programs": len(programs),
            "programs_behind": sum(r < 1 for r in programs),
            "programs_behind_rows": self.named(
                r["name"] for r in sorted(self.programs["rows"], key=lambda r: self.ratio_of(r["values"]) or math.inf)
                if (self.ratio_of(r["values"]) or 1) < 1),
            "programs_mean": statistics.geometric_mean(programs),
            "programs_date": self.programs["date"],
            "programs_commit": self.programs["commit"],
            "programs_peers": ", ".join(f'{d["name"]} ({d["version"]})' for d in self.programs["drivers"][1:]),
            "cases": self.cases(),
            "digests": f"{len(re.findall('^[0-9a-f]', self.digests(), re.M)):,}",
        }

    def cases(self):
        if not self.cts:
            return None
        names = subprocess.run([self.cts, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
        return f"{len(names):,}"

    def digests(self):
        return (self.root / "tests/digests.txt").read_text()

    def table(self, name):
        tables = {"limits": self.limits, "behind": lambda: self.results(True), "ahead": lambda: self.results(False),
                  "behind_names": self.behind_names, "programs": self.program_table, "threads": self.threads.table,
                  "sweeps": self.sweeps.table}
        return (tables | self.conformance.tables() | self.fuzzing.tables())[name]()

    def limits(self):
        one, every = self.bench["limits"]["one_thread"], self.bench["limits"]["all_threads"]
        words = {"read_gb_s": "memory read, GB/s", "write_gb_s": "memory write, GB/s",
                 "copy_gb_s": "memory copy, GB/s copied", "cache_read_gb_s": "cache read (8 MiB), GB/s",
                 "cache_write_gb_s": "cache write (8 MiB), GB/s", "cache_copy_gb_s": "cache copy (8 MiB), GB/s copied",
                 "fma_gflop_s": "multiply-add, widest vectors, GFLOP/s",
                 "fma256_gflop_s": "multiply-add, 256 bits, GFLOP/s"}
        text = f'| limit | 1 thread | {self.bench["machine"]["threads"]} threads |\n|---|---:|---:|\n'
        return text + "".join(f"| {word} | {number(one[key])} | {number(every[key])} |\n" for key, word in words.items())

    def results(self, behind):
        """The rows that are behind their best peer, worst first; or all others in the run's order."""
        rows = [r for r in self.rows if (self.ratio(r) is not None and self.ratio(r) < 1) == behind]
        if behind:
            rows.sort(key=self.ratio)
        if not rows:
            return "None.\n"
        text = "| scenario | unit | " + " | ".join(self.drivers) + " | to best peer | limit | of limit | results |\n"
        text += "|---|---|" + "---:|" * len(self.drivers) + "---:|---:|---:|---|\n"
        for name in rows:
            row, ratio = self.rows[name], self.ratio(name)
            cells = [number(v) if isinstance(v, (int, float)) else v for v in row["values"]]
            own = row["values"][0]
            limit = row["limit"] if row["limit"] > 0 and isinstance(own, (int, float)) else 0
            text += (f'| {name} | {row["unit"]}{"" if row["higher_is_better"] else " ↓"} | ' + " | ".join(cells) +
                     f' | {number(ratio) + "×" if ratio else "–"} | {number(limit) if limit else "–"} | '
                     f'{f"{100 * own / limit:.1f} %" if limit else "–"} | {row["results"]} |\n')
        return text

    def program_table(self):
        """Worst first; what cannot be compared comes last."""
        drivers = [d["name"] for d in self.programs["drivers"]]
        text = "| frames, or tokens, a second | " + " | ".join(drivers) + " | to best peer |\n|---|" + "---:|" * (len(drivers) + 1) + "\n"
        for row in sorted(self.programs["rows"], key=lambda r: self.ratio_of(r["values"]) or math.inf):
            ratio = self.ratio_of(row["values"])
            cells = [number(v) if v else "fails" for v in row["values"]]
            text += f'| {row["name"]} | ' + " | ".join(cells) + f' | {number(ratio) + "×" if ratio else "–"} |\n'
        return text

    def behind_names(self):
        close = sorted((r for r in self.rows if (self.ratio(r) or 0) >= 1 and self.ratio(r) < TIE), key=self.ratio)
        if not close:
            return "No row is within 10 % of its best peer.\n"
        return "Ahead by less than 10 %: " + ", ".join(f"`{r}` ({self.ratio(r):.2f})" for r in close) + ".\n"


def commit_of(root):
    done = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip()


def take_programs(root, path):
    """docs/programs.json from a run's results."""
    run = json.loads(pathlib.Path(path).read_text())
    rows = ",\n  ".join(json.dumps(r) for r in run.pop("rows"))
    kept = {"date": datetime.date.today().isoformat(), "commit": commit_of(root), **run}
    text = json.dumps(kept, indent=1, ensure_ascii=False)[:-2] + ',\n "rows": [\n  ' + rows + "\n ]\n}\n"
    (root / "docs/programs.json").write_text(text)


def take(root, path, without):
    """docs/bench.json from a run's results: what the documents need of it."""
    run = json.loads(pathlib.Path(path).read_text())
    run["drivers"] = [d for d in run["drivers"] if d["name"] != without]
    kept = {"date": datetime.date.today().isoformat(), "commit": commit_of(root), "machine": run["machine"],
            "limits": {k: {n: float(f"{v:.4g}") for n, v in s.items()} for k, s in run["limits"].items()},
            "drivers": run["drivers"], "rows": []}
    for s in run["scenarios"]:
        values = [float(f'{d["median"]:.4g}') if d["state"] == "ok" else d["state"] for d in (s["drivers"][one["name"]] for one in run["drivers"])]
        kept["rows"].append({"name": s["name"], "unit": s["unit"], "higher_is_better": s["higher_is_better"],
                             "limit": float(f'{s["limit"]:.4g}'), "values": values, "results": s["results"]})
    rows = ",\n  ".join(json.dumps(r, ensure_ascii=False) for r in kept.pop("rows"))
    text = json.dumps(kept, indent=1, ensure_ascii=False)[:-2] + ',\n "rows": [\n  ' + rows + "\n ]\n}\n"
    (root / "docs/bench.json").write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--import", dest="results")
    parser.add_argument("--without")
    parser.add_argument("--programs")
    parser.add_argument("--sample", nargs=2)
    parser.add_argument("--own", nargs=2)
    parser.add_argument("--piece", nargs=3, action="append", default=[])
    parser.add_argument("--peer", nargs=2)
    parser.add_argument("--fuzz")
    parser.add_argument("--threads")
    parser.add_argument("--sweeps")
    parser.add_argument("--cts")
    options = parser.parse_args()
    if options.results:
        take(options.root, options.results, options.without)
    if options.programs:
        take_programs(options.root, options.programs)
    if options.threads:
        thread_figures.take_run(options.root, options.threads, commit_of(options.root))
    if options.sweeps:
        sweep_figures.take_run(options.root, options.sweeps, commit_of(options.root))
    for results, take_run in ((options.sample, conformance_figures.take_sample), (options.own, conformance_figures.take_own)):
        if results:
            take_run(options.root / "docs/conformance.json", results[0], int(results[1]), commit_of(options.root))
    for number, results, commit in options.piece:
        conformance_figures.take_piece(options.root / "docs/conformance.json", number, results, commit)
    if options.peer:
        conformance_figures.take_peer(options.root / "docs/conformance.json", *options.peer)
    if options.fuzz:
        fuzzing_figures.take_runs(options.root / "docs/fuzzing.json", options.fuzz, commit_of(options.root))
    facts = Facts(options.root, options.cts)
    names, problems, figures = facts.names(), [], 0
    for document in DOCUMENTS:
        path = options.root / document
        if not path.exists():
            continue
        text = path.read_text()

        def figure(match):
            value = eval(match[2], {"__builtins__": {}}, names)  # the expressions are our own documents'
            return match[0] if value is None else match[1] + str(value) + match[4]

        written = TABLE.sub(lambda m: m[1] + facts.table(m[2]) + m[4], FIGURE.sub(figure, text))
        figures += len(FIGURE.findall(text)) + len(TABLE.findall(text))
        for line in COMPARISON.findall(FIGURE.sub("", TABLE.sub("", written))):
            problems.append(f"{document}: compares with a peer by hand: {line.strip()}")
        if options.write:
            path.write_text(written)
        elif written != text:
            for old, new in zip(text.splitlines(), written.splitlines()):
                if old != new:
                    at = max(0, next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), 0) - 30)
                    problems.append(f"{document}: {old[at:at + 100].strip()}\n  should say: {new[at:at + 100].strip()}")
                    break
    print("\n".join(problems) or f"{figures} figures and tables are what they should be")
    return 1 if problems else 0


sys.exit(main())
