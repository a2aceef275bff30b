"""What docs/fuzzing.json knows: runs of the fuzzers with sanitizers. check_figures.py puts it into the documents."""
import collections
import datetime
import json
import pathlib

TARGETS = ("shaders", "caches", "programs", "binaries", "surfaces", "descriptors")


def take_runs(path, runs, commit):
    """Takes what `./etzel fuzz` wrote: lines of target, seconds, processor seconds, inputs and inputs that ran."""
    known = json.loads(path.read_text())
    for line in pathlib.Path(runs).read_text().splitlines():
        target, *numbers = line.split("\t")
        known["runs"].append({"date": datetime.date.today().isoformat(), "commit": commit, "target": target}
                             | dict(zip(("seconds", "processor", "inputs", "ran"), map(int, numbers))))
    path.write_text('{"runs": [\n ' + ",\n ".join(json.dumps(run) for run in known["runs"]) + "\n]}\n")


class Fuzzing:
    """A table for the documents, and the shortest of its times. Runs whose time is not known have none in it."""

    def __init__(self, root):
        self.runs = json.loads((root / "docs/fuzzing.json").read_text())["runs"]

    def sums(self):
        sums = {target: collections.Counter() for target in TARGETS}
        for run in self.runs:
            sums[run["target"]].update({k: run[k] or 0 for k in ("seconds", "processor", "inputs", "ran")})
        return sums

    def names(self):
        return {"fuzz_least_minutes": f'{min(s["seconds"] for s in self.sums().values()) / 60:.0f}',
                "fuzz_least_processor": f'{min(s["processor"] for s in self.sums().values()) / 60:.0f}'}

    def tables(self):
        return {"fuzzing": self.sum_table, "fuzzing_runs": self.run_table}

    def sum_table(self):
        text = "| target | minutes | of the processor | inputs | of them ran |\n|---|---:|---:|---:|---:|\n"
        for target, sum in self.sums().items():
            text += (f'| `{target}` | {sum["seconds"] / 60:.1f} | {sum["processor"] / 60:.1f} | {sum["inputs"]:,} | '
                     f'{sum["ran"]:,} |\n')
        return text

    def run_table(self):
        """Minutes of each run, by date and commit."""
        commits = dict.fromkeys((run["date"], run["commit"]) for run in self.runs)
        text = "| commit | " + " | ".join(f"`{t}`" for t in TARGETS) + " |\n|---|" + "---:|" * len(TARGETS) + "\n"
        for date, commit in commits:
            of = collections.defaultdict(int)
            for run in self.runs:
                if run["commit"] == commit:
                    of[run["target"]] += run["seconds"] or 0
            text += f"| {commit}, {date} | " + " | ".join(f"{of[t] / 60:.1f}" if of[t] else "–" for t in TARGETS) + " |\n"
        return text
