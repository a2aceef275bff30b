"""Formats and states, one varied at a time (docs/sweeps.json, a run of `./etzel bench --sweep`), for check_figures.py."""
import collections
import datetime
import json
import pathlib
import statistics

LEAST = 40


def take_run(root, path, commit):
    """A run's rows to docs/sweeps.json, in the place of those that it has of them. Others stay, if their peers are the same."""
    run = json.loads(pathlib.Path(path).read_text())
    before = json.loads((root / "docs/sweeps.json").read_text())
    names = [d["name"] for d in run["drivers"]]
    taken = {s["name"] for s in run["scenarios"]}
    same = [(d["name"], d["version"]) for d in before["drivers"][1:]] == [(d["name"], d["version"]) for d in run["drivers"][1:]]
    rows = [json.dumps(row) for row in before["rows"] if same and row["name"] not in taken]
    for s in run["scenarios"]:
        values = [float(f'{d["median"]:.4g}') if d["state"] == "ok" else None for d in map(s["drivers"].get, names)]
        rows.append(json.dumps({"name": s["name"], "unit": s["unit"], "values": values, "commit": commit}))
    kept = {"date": datetime.date.today().isoformat(), "machine": run["machine"], "drivers": run["drivers"]}
    text = json.dumps(kept, indent=1, ensure_ascii=False)[:-2] + ',\n "rows": [\n  ' + ",\n  ".join(rows) + "\n ]\n}\n"
    (root / "docs/sweeps.json").write_text(text)


class Sweeps:
    def __init__(self, root, number, ratio_of):
        self.run = json.loads((root / "docs/sweeps.json").read_text())
        self.number = number
        ratios = {row["name"]: ratio_of(row["values"], row["unit"] != "us") for row in self.run["rows"]}
        self.ratios = {name: ratio for name, ratio in ratios.items() if ratio is not None}

    def names(self):
        behind = sorted((name for name, r in self.ratios.items() if r < 1), key=self.ratios.get)
        return {
            "sweep_ratio": self.ratios.get,
            "sweep_rows": len(self.run["rows"]),
            "sweep_compared": len(self.ratios),
            "sweep_behind": len(behind),
            "sweep_behind_rows": ", ".join(f"`{name}` ({self.ratios[name]:.2f})" for name in behind) or "none",
            "sweep_mean": statistics.geometric_mean(self.ratios.values()),
            "sweep_date": self.run["date"],
            "sweep_commit": " and ".join(f"`{c}` ({n} rows)" for c, n in collections.Counter(row["commit"] for row in self.run["rows"]).items()),
            "sweep_cpu": self.run["machine"]["cpu"],
            "sweep_peers": ", ".join(f'{d["name"]} ({d["version"]})' for d in self.run["drivers"][1:]),
            "sweep_least": LEAST,
        }

    def table(self):
        """The least ones, worst first."""
        drivers = [d["name"] for d in self.run["drivers"]]
        text = "| row | unit | " + " | ".join(drivers) + " | to best peer |\n|---|---|" + "---:|" * (len(drivers) + 1) + "\n"
        rows = {row["name"]: row for row in self.run["rows"]}
        for name in sorted(self.ratios, key=self.ratios.get)[:LEAST]:
            cells = [self.number(v) if v else "–" for v in rows[name]["values"]]
            text += f'| {name} | {rows[name]["unit"]} | ' + " | ".join(cells) + f" | {self.number(self.ratios[name])}× |\n"
        return text
