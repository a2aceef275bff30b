"""How rows of the benchmark scale (docs/threads.json, a run of `./etzel bench --threads`), for check_figures.py."""
import datetime
import json
import pathlib
import statistics

LOWER_IS_BETTER = ("us", "ms", "MiB")


def take_run(root, path, commit):
    """docs/threads.json from a run's results."""
    run = json.loads(pathlib.Path(path).read_text())
    rows = ",\n  ".join(json.dumps(r) for r in run.pop("rows"))
    text = json.dumps({"date": datetime.date.today().isoformat(), "commit": commit, **run})[:-1]
    (root / "docs/threads.json").write_text(text + ',\n "rows": [\n  ' + rows + "\n ]}\n")


class Threads:
    def __init__(self, root, number, ratio_of):
        self.run = json.loads((root / "docs/threads.json").read_text())
        self.number, self.ratio_of = number, ratio_of

    def ratio(self, row, values):
        """How much better the first value is than the best of the others."""
        return self.ratio_of(values, row["unit"] not in LOWER_IS_BETTER)

    def gain(self, row, count=None):
        """How much faster than with the first number of threads."""
        at = self.run["counts"].index(count) if count else -1
        return self.ratio(row, [row["values"][at], row["values"][0]])

    def to_peer(self, row):
        """With all threads, to the best peer with all of its own."""
        return self.ratio(row, [row["values"][-1], *row["peers"]])

    def names(self):
        rows = self.run["rows"]
        gains = {n: [g for row in rows if (g := self.gain(row, n))] for n in self.run["counts"][1:]}
        ratios = {row["name"]: r for row in rows if (r := self.to_peer(row)) is not None}
        behind = sorted((name for name, r in ratios.items() if r < 1), key=ratios.get)
        return {
            "scaling_cpu": self.run["cpu"],
            "scaling_cpus": self.run["cpus"],
            "scaling_date": self.run["date"],
            "scaling_commit": self.run["commit"],
            "scaling_rows": len(rows),
            "scaling_peers": ", ".join(f'{p["name"]} ({p["version"]})' for p in self.run["peers"]),
            "scaling_gain": lambda n: f"{statistics.median(gains[n]):.1f}",
            "scaling_of": lambda name: f'{self.gain(next(r for r in rows if r["name"] == name)):.1f}',
            "scaling_compared": len(ratios),
            "scaling_behind": len(behind),
            "scaling_behind_rows": ", ".join(f"`{name}` ({ratios[name]:.2f})" for name in behind) or "none",
            "scaling_mean": statistics.geometric_mean(ratios.values()) if ratios else None,
        }

    def table(self):
        """Those that gain least first."""
        counts = self.run["counts"]
        text = "| scenario | unit | " + " | ".join(str(n) for n in counts) + " | gain | "
        text += "".join(f'{p["name"]} | ' for p in self.run["peers"]) + "to best peer |\n"
        text += "|---|---|" + "---:|" * (len(counts) + len(self.run["peers"]) + 2) + "\n"
        for row in sorted(self.run["rows"], key=lambda r: self.gain(r) or 0):
            cells = [self.number(v) if v else "–" for v in row["values"]]
            peers = [self.number(v) if v else "–" for v in row["peers"]]
            gain, ratio = self.gain(row), self.to_peer(row)
            text += f'| {row["name"]} | {row["unit"]} | ' + " | ".join(cells) + f' | {f"{gain:.1f}" if gain else "–"} | '
            text += "".join(f"{p} | " for p in peers) + f'{self.number(ratio) + "×" if ratio else "–"} |\n'
        return text
