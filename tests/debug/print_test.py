#!/usr/bin/env python3
"""What shaders print, through the loader: the same texts in every tier and for any number of threads.

usage: print_test.py SCENE ADAPTER DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import re
import subprocess
import sys
import unittest

import dap_client

SCENE, ADAPTER, DRIVER = sys.argv[1:4]
TIERS = {"interpreter": ",no-jit", "quick": "", "LLVM": ",jit-now"}


def run(what, debug, threads="1"):
    """Standard output, and the lines of standard error."""
    env = dap_client.environment(DRIVER, ETZEL_THREADS=threads, ETZEL_DEBUG=debug)
    done = subprocess.run([SCENE, what], env=env, check=True, capture_output=True, text=True)
    return done.stdout, done.stderr.splitlines()


def printed(what, **more):
    return run(what, "printf", **more)[1]


class Prints(unittest.TestCase):
    maxDiff = None

    def test_all_tiers_and_any_threads_print_the_same(self):
        for what in ("values", "draw", "kill", "many"):
            expected = printed(what)
            self.assertTrue(expected)
            for tier, flag in TIERS.items():
                for threads in ("1", "2", "8"):
                    with self.subTest(what=what, tier=tier, threads=threads):
                        self.assertEqual(run(what, "printf" + flag, threads)[1], expected)

    def test_conversions(self):
        start = "etzel: dispatch 0, compute shader, workgroup (1, 0, 0), invocation 7: "
        texts = [line[len(start):] for line in printed("values") if line.startswith(start)]
        self.assertEqual(texts, [
            "round 0",
            "-3 -4 5 beef BEEF 10|   -3|-3   |-0003|+3",
            "3.500000 3.50    3.500 3.500000e+00 3.5 0x1.cp+1 100%",
            "3.500000, -3.500000|3.50, 3.50, 3.50|-1, 2, -3, 4|7, 7, 7|7, 7, 7, 7",
            "1099511627776 18446744073709551615 abcdef0123456789 -5",
            "34359738368, 2|11, 11, 11",
            "-2 65535 -1 200",
            "0.250000 1.500000, -2.000000 0.333333",
            "1 false",
            "2 3.000000 3f800000|4 -0.5",
            "no values",
            "1 and %d, %q",
            "1.000000, 2.000000, 3.000000, 4.000000 5.000000, 6.000000, 7.000000, 8.000000 "
            "9.000000, 10.000000, 11.000000, 12.000000",
        ])

    def test_workgroups_and_invocations_come_in_order(self):
        who = [tuple(map(int, re.search(r"workgroup \((\d+), 0, 0\), invocation (\d+): ", line).groups()))
               for line in printed("values")]
        self.assertEqual(who, sorted(who))
        rounds = [line for line in printed("values") if "(2, 0, 0), invocation 8:" in line]
        self.assertEqual([line[-7:] for line in rounds], ["round 0", "round 1"])

    def test_every_stage_names_its_invocations(self):
        lines = [line.removeprefix("etzel: draw 0, ") for line in printed("draw")]
        stages = ["vertex", "control", "evaluation", "geometry", "fragment"]
        of = {s: [line for line in lines if line.startswith(s + " shader, ")] for s in stages}
        self.assertEqual(sum(map(len, of.values())), len(lines))
        self.assertEqual(lines, sum(of.values(), []))
        self.assertEqual(len(of["vertex"]), 12)
        self.assertEqual(of["vertex"][0], "vertex shader, vertex 0, instance 0: corner 0.000000, 0.000000")
        self.assertEqual(of["vertex"][-1], "vertex shader, vertex 5, instance 1: corner 1.000000, 2.000000")
        self.assertEqual(of["control"][:2], ["control shader, patch 0, control point 0: before",
                                             "control shader, patch 0, control point 0: behind, 1.000000"])
        self.assertEqual(len(of["control"]), 2 * 3 * 4)
        self.assertRegex(of["evaluation"][0], r"^evaluation shader, patch 0, at \(\S+, \S+, \S+\): uv \S+, \S+$")
        self.assertRegex(of["geometry"][0], r"^geometry shader, primitive 0, invocation 0: vertex 0 at ")
        pixels = [tuple(map(int, re.match(r"fragment shader, pixel \((\d+), (\d+)\), sample (\d):", line).groups()))
                  for line in of["fragment"]]
        self.assertEqual([(y, x) for x, y, _ in pixels], sorted((y, x) for x, y, _ in pixels))
        self.assertEqual({s for _, _, s in pixels}, {0, 1, 2, 3})
        self.assertEqual({(x, y) for x, y, _ in pixels}, {(x, y) for x in range(60, 68) for y in range(60, 68)})

    def test_helper_invocations_print_nothing(self):
        lines = [line.removeprefix("etzel: draw 0, fragment shader, ") for line in printed("kill")]
        demoted = [(x, y) for y in range(3) for x in range(1, 3)]
        expected = []
        for x, y in demoted:
            expected.append(f"pixel ({x}, {y}): demoted ones don't")
            if y > 0:
                expected.append(f"pixel ({x}, {y}): left, 1.0")
        self.assertEqual(lines, expected)

    def test_memory_is_bounded_and_it_is_said(self):
        lines = printed("many", threads="2")
        # 9 words are two pieces, and 256,000 messages are more than fit.
        self.assertEqual(len(lines), 16 * 1024 + 1)
        self.assertIn(f"{4 * 64 * 1000 - 16 * 1024} further messages of shaders were dropped", lines[-1])

    def test_messengers_hear_them(self):
        heard = run("messenger", "")[0].splitlines()
        told = [line.removeprefix("etzel: ") for line in printed("values") if "workgroup (0, 0, 0)" in line]
        self.assertEqual(heard, ["information DebugPrintf: " + line for line in told])

    def test_nobody_listens_and_nothing_is_kept(self):
        self.assertEqual(run("values", ""), ("", []))
        self.assertEqual(run("late", ""), ("", []))

    def test_a_debugger_shows_them(self):
        client = dap_client.Client([ADAPTER, "--dap"])
        self.addCleanup(client.close)
        client.launch(SCENE, "values", driver=DRIVER, env={"ETZEL_THREADS": "1"})
        client.start()
        self.assertEqual(client.run_out(), 0)
        told = [line.removeprefix("etzel: ") for line in printed("values")]
        self.assertEqual(client.output.splitlines(), told)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
