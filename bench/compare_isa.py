#!/usr/bin/env python3
"""What hosts of another kind cost: the benchmark's rows with ETZEL_DEBUG=isa=A against isa=B, processor time a repetition.

usage: compare_isa.py VKBENCH MANIFEST [A [B]]   (x86_64_v2 and x86_64_v3)

Each row runs on either, the rows in alternation, and prints A's time by B's; then the geometric mean. Rows that measure
starts alone have no time of a repetition and are left out.
"""
import math
import sys

import child


def processor_time(bench, manifest, row, isa):
    """Seconds of processor time that a repetition of `row` takes, or None."""
    said = child.measured(bench, row, manifest, 0.2, ETZEL_DEBUG=f"isa={isa}")
    return said and said.get("cpu")


def main():
    bench, manifest = sys.argv[1:3]
    isas = (sys.argv[3:] + ["x86_64_v2", "x86_64_v3"][len(sys.argv) - 3:])[:2]
    ratios = []
    for row, _ in child.rows(bench):
        times = [processor_time(bench, manifest, row, isa) for isa in isas]
        if not all(times):
            continue
        ratios.append(times[0] / times[1])
        print(f"{ratios[-1]:6.2f}  {row}", flush=True)
    if not ratios:
        sys.exit("compare_isa.py: no row has a processor time")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{mean:6.2f}  geometric mean of {len(ratios)} rows: {isas[0]} by {isas[1]}")


if __name__ == "__main__":
    main()
