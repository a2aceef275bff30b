#!/usr/bin/env python3
"""What hosts of another kind cost: the benchmark's rows with ETZEL_DEBUG=isa=A against isa=B, processor time a repetition.

usage: compare_isa.py VKBENCH MANIFEST [A [B]]   (x86_64_v2 and x86_64_v3)

Each row runs on either, the rows in alternation, and prints A's time by B's; then the geometric mean. Rows that measure
starts alone have no time of a repetition and are left out.
"""
import math
import os
import subprocess
import sys


def processor_time(bench, manifest, row, isa):
    """Seconds of processor time that a repetition of `row` takes, or None."""
    env = dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, ETZEL_CACHE="off",
               ETZEL_DEBUG=f"isa={isa}")
    command = [bench, "--child", row, "--seconds", "0.2"]
    out = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    _, found, rest = out.partition('"cpu":')
    return float(rest.split(",")[0].split("}")[0]) if found else None


def main():
    bench, manifest = sys.argv[1:3]
    isas = (sys.argv[3:] + ["x86_64_v2", "x86_64_v3"][len(sys.argv) - 3:])[:2]
    listed = subprocess.run([bench, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    ratios = []
    for row in (line.split()[0] for line in listed.splitlines() if line.strip()):
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
