"""What docs/conformance.json knows: the sample of Khronos' list and pieces of it, group by group, and a run of etzel-cts; and what the tree says of
the tests themselves. check_figures.py puts it into the documents.
"""
import ast
import collections
import datetime
import json
import pathlib
import re
import xml.etree.ElementTree

OWN_COLUMNS = ("pass", "fail", "crash or time-out", "not supported")
# Khronos' suite also says what it could not do itself (shaders of its own that do not compile).
COLUMNS = ("pass", "fail", "crash or time-out", "the suite's error", "not supported")
COLUMN_NAMES = ("pass", "fail", "crash", "error", "unsupported")  # of figures in documents
# What it says of a case, by column; all else is a crash, a time-out or a case that never ran.
COLUMN_OF = {"Pass": 0, "QualityWarning": 0, "CompatibilityWarning": 0, "Waiver": 0, "Fail": 1, "InternalError": 3, "NotSupported": 4}
CRASHED = 2
PIECES = 64  # of the whole list: every 64th case, from the first, the second, ... on
FENCED = [*range(15, 40), *range(44, 54)]  # those that ran with ETZEL_DEBUG=fence=begin or fence=end


def counted(results):
    """A run's groups, by name: how many cases each column has. Lines of case, status and more between tabs."""
    groups = collections.defaultdict(lambda: [0] * len(COLUMNS))
    for line in filter(str.strip, pathlib.Path(results).read_text().splitlines()):
        case, status = line.split("\t")[:2]
        groups[case.split(".")[1]][COLUMN_OF.get(status, CRASHED)] += 1
    return dict(sorted(groups.items()))


def group_table(groups):
    sums = [sum(column) for column in zip(*groups.values())]
    text = "| group | cases | " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * (len(COLUMNS) + 1) + "\n"
    for name, counts in sorted(groups.items()):
        text += f"| {name} | " + " | ".join(f"{n:,}" for n in [sum(counts), *counts]) + " |\n"
    return text + "| **all** | " + " | ".join(f"**{n:,}**" for n in [sum(sums), *sums]) + " |\n"


def take_sample(path, results, seconds, commit):
    """Takes a run of the sample."""
    known = json.loads(path.read_text())
    known["sample"] = {"date": datetime.date.today().isoformat(), "commit": commit, "seconds": seconds,
                       "groups": counted(results)}
    write(path, known)


def take_piece(path, number, results, commit):
    """Takes a run of a piece of the list."""
    known = json.loads(path.read_text())
    pieces = known.setdefault("pieces", {})
    pieces[str(int(number))] = {"date": datetime.date.today().isoformat(), "commit": commit, "groups": counted(results)}
    write(path, known)


def results_of(junit):
    """The columns of a run of etzel-cts (--junit)."""
    suite = next(xml.etree.ElementTree.parse(junit).iter("testsuite"))
    total, fail, crash, skipped = (int(suite.get(k, 0)) for k in ("tests", "failures", "errors", "skipped"))
    return [total - fail - crash - skipped, fail, crash, skipped]


def take_own(path, junit, seconds, commit):
    known = json.loads(path.read_text())
    known["own"] = {"date": datetime.date.today().isoformat(), "commit": commit, "seconds": seconds, "results": results_of(junit)}
    write(path, known)


def take_peer(path, name, junit):
    """Takes a run of etzel-cts on another driver."""
    known = json.loads(path.read_text())
    known["peers"][name] = {"date": datetime.date.today().isoformat(), "results": results_of(junit)}
    write(path, known)


def write(path, known):
    """One line a group."""
    groups = ",\n   ".join(f"{json.dumps(name)}: {json.dumps(counts)}" for name, counts in known["sample"]["groups"].items())
    sample = ", ".join(f'"{k}": {json.dumps(v)}' for k, v in known["sample"].items() if k != "groups")
    peers = ",\n   ".join(f"{json.dumps(name)}: {json.dumps(run)}" for name, run in known["peers"].items())
    pieces = ",\n   ".join(f"{json.dumps(number)}: {json.dumps(piece)}"
                          for number, piece in sorted(known.get("pieces", {}).items(), key=lambda p: int(p[0])))
    path.write_text(f'{{\n "list": {known["list"]},\n "own": {json.dumps(known["own"])},\n "peers": {{\n   {peers}\n }},\n'
                    f' "sample": {{{sample}, "groups": {{\n   {groups}\n }}}},\n "pieces": {{\n   {pieces}\n }}\n}}\n')


class Conformance:
    """Names and tables for the documents."""

    def __init__(self, root):
        self.root = root
        self.known = json.loads((root / "docs/conformance.json").read_text())
        self.groups = self.known["sample"]["groups"]
        self.sums = [sum(column) for column in zip(*self.groups.values())]
        self.pieces = self.known["pieces"]
        self.piece_groups = collections.defaultdict(lambda: [0] * len(COLUMNS))
        for piece in self.pieces.values():
            for name, counts in piece["groups"].items():
                self.piece_groups[name] = [a + b for a, b in zip(self.piece_groups[name], counts)]
        self.piece_sums = [sum(column) for column in zip(*self.piece_groups.values())]

    def sum_of(self, piece):
        """A piece's cases."""
        return sum(map(sum, self.pieces[str(piece)]["groups"].values()))

    def names(self):
        own, sample = self.known["own"], self.known["sample"]
        names = {f"sample_{name}": f"{value:,}" for name, value in zip(COLUMN_NAMES, self.sums)}
        names |= {f"own_{name}": f"{value:,}" for name, value in zip(("pass", "fail", "crash", "unsupported"), own["results"])}
        names |= {f"own_{key}": own[key] for key in ("date", "commit", "seconds")}
        names |= {f"sample_{key}": sample[key] for key in ("date", "commit", "seconds")}
        names |= {f"pieces_{name}": f"{value:,}"
                  for name, value in zip(COLUMN_NAMES, self.piece_sums)}
        return names | {
            "pieces": len(self.pieces),
            "all_pieces": PIECES,
            "pieces_fenced": f"{sum(self.sum_of(n) for n in FENCED):,}",
            "pieces_cases": f"{sum(self.piece_sums):,}",
            "pieces_share": f'{100 * sum(self.piece_sums) / self.known["list"]:.1f}',
            "pieces_runs": self.piece_runs(),
            "own_cases": f'{sum(own["results"]):,}',
            "sample_cases": f"{sum(self.sums):,}",
            "sample_share": 100 * self.sums[0] / sum(self.sums),
            "sample_ms": 1000 * sample["seconds"] / self.sums[0],
            "list": f'{self.known["list"]:,}',
            "mutants": len(self.mutants()),
            "variants": len(self.variants()),
        }

    def tables(self):
        return {"sample": lambda: group_table(self.groups), "pieces": lambda: group_table(self.piece_groups), "own": self.own_table, "mutants": self.mutant_table}

    def own_table(self):
        """Runs of etzel-cts."""
        own = self.known["own"]
        runs = {f'Etzel at {own["commit"]}': own} | self.known["peers"]
        text = "| driver | date | cases | " + " | ".join(OWN_COLUMNS) + " |\n|---|---|---:|" + "---:|" * len(OWN_COLUMNS) + "\n"
        for name, run in runs.items():
            text += f'| {name} | {run["date"]} | {sum(run["results"]):,} | ' + " | ".join(f"{n:,}" for n in run["results"]) + " |\n"
        return text

    def piece_runs(self):
        """Which pieces were run when, and on what."""
        runs = collections.defaultdict(list)
        for number, piece in self.pieces.items():
            runs[piece["date"], piece["commit"]].append(number)
        return "; ".join(f'{", ".join(numbers)} at {commit} ({date})' for (date, commit), numbers in sorted(runs.items()))

    def mutants(self):
        """Name, what is wrong and a case that notices; the first of the table is none."""
        text = (self.root / "runtime/mutant/mutants.def").read_text()
        strings = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
        found = re.findall(rf"^ETZEL_MUTANT\(\w+,\s*{strings},\s*{strings},\s*{strings}\)", text, re.M)
        if len(found) != len(re.findall(r"^ETZEL_MUTANT\(", text, re.M)):
            raise ValueError("mutants.def has a row that is not understood")
        rows = [["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', s)) for s in one] for one in found]
        return [row for row in rows if row[0] != "none"]

    def mutant_table(self):
        return "| defect | what is wrong | a case that notices |\n|---|---|---|\n" + "".join(
            f"| {name} | {wrong} | `{case}` |\n" for name, wrong, case in self.mutants())

    def variants(self):
        """check_determinism.py's ways to run."""
        tree = ast.parse((self.root / "tests/check_determinism.py").read_text())
        return next(n.value.elts for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "VARIANTS")
