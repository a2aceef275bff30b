#!/usr/bin/env python3
"""How the benchmark's rows scale: each with several numbers of threads, and peers with all that the machine has.

usage: threads.py VKBENCH MANIFEST --json OUT [--counts 1,2,4] [--peer NAME=MANIFEST]... [--seconds S] [--within S] [GLOB...]
  --counts   numbers of threads; all powers of two up to the machine's CPUs otherwise
  --within   begin no other row after so many seconds

The numbers of one row are measured one after the other, then comes the next row. Rows of one thread's work (calls of the
API, making pipelines) are left out unless a pattern names them. A row's results must be the same bytes for all numbers
of threads; exit status 1 if they are not.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import sys
import time

import child

OF_ONE_THREAD = ("api.", "pipeline.")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("manifest")
    parser.add_argument("--json", required=True)
    parser.add_argument("--counts", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=0.15)
    parser.add_argument("--within", type=float, default=float("inf"))
    parser.add_argument("rows", nargs="*")
    options = parser.parse_intermixed_args()
    cpus = len(os.sched_getaffinity(0))
    counts = options.counts or [1 << n for n in range(cpus.bit_length()) if 1 << n <= cpus]
    peers = [peer.partition("=")[::2] for peer in options.peer]
    run = {"cpu": processor(), "cpus": cpus, "counts": counts, "version": None,
           "peers": [{"name": name, "version": None} for name, _ in peers], "rows": []}
    begin, differ = time.monotonic(), []
    for name, unit in child.rows(options.bench):
        if not any(fnmatch.fnmatch(name, glob) for glob in options.rows) if options.rows else name.startswith(OF_ONE_THREAD):
            continue
        if time.monotonic() - begin > options.within:
            break
        own = [child.measured(options.bench, name, options.manifest, options.seconds, ETZEL_THREADS=str(n)) for n in counts]
        others = [child.measured(options.bench, name, manifest, options.seconds) for _, manifest in peers]
        for said, who in zip([own[0], *others], [run, *run["peers"]]):
            who["version"] = who["version"] or (said and said["version"])
        if len({said["checksum"] for said in own if said}) > 1:
            differ.append(name)
        short = [[float(f'{said["value"]:.4g}') if said else None for said in group] for group in (own, others)]
        run["rows"].append({"name": name, "unit": unit, "values": short[0], "peers": short[1]})
        print(f"{name:34}", *(f"{v or '-':>9}" for v in short[0] + short[1]), flush=True)
        pathlib.Path(options.json).write_text(json.dumps(run))
    if differ:
        sys.exit("threads.py: other bytes with other numbers of threads: " + ", ".join(differ))


if __name__ == "__main__":
    main()
