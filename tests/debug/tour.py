#!/usr/bin/env python3
"""The tour of docs/debugging.md: what each of its programs gets wrong, that traces, a data breakpoint, a step back and a history
show why, and that --fixed is right.

usage: tour.py ETZEL-DEBUG ETZEL-INSPECT FOLDER-OF-PROGRAMS DRIVER FOLDER [unittest's options]
DRIVER is the driver's manifest; FOLDER is written to.
"""
import os
import re
import subprocess
import sys
import unittest

import dap_client

DEBUG, INSPECT, PROGRAMS, DRIVER, FOLDER = (os.path.abspath(a) for a in sys.argv[1:6])


def says(program, *arguments):
    """What a program of the tour says: a pixel, and its colour."""
    text = subprocess.run([os.path.join(PROGRAMS, program), *arguments], cwd=FOLDER, check=True, capture_output=True, text=True).stdout
    x, y, *color = map(int, re.fullmatch(r"pixel \((\d+), (\d+)\) is \((\d+), (\d+), (\d+)\)\n", text).groups())
    return (x, y), tuple(color)


def trace(program, draw):
    (x, y), _ = says(program)
    run = subprocess.run([DEBUG, "run", "--pixel", f"{x},{y}", "--draw", str(draw), "--", os.path.join(PROGRAMS, program)],
                         cwd=FOLDER, capture_output=True, text=True)
    return run.stdout


class Tour(unittest.TestCase):
    def expect(self, program, wrong, right):
        self.assertEqual(says(program)[1], wrong)
        self.assertEqual(says(program, "--fixed")[1], right)

    def test_light_is_averaged_before_it_is_a_colour(self):
        self.expect("etzel-tone-mapping", (204, 199, 177), (64, 63, 61))
        text = trace("etzel-tone-mapping", 1)
        self.assertIn("light = (4.015625, 3.515625, 2.265625)", text)
        self.assertIn("shown = (0.80062306, 0.7785467, 0.6937799)", text)

    def test_a_coordinate_leaves_its_picture(self):
        self.expect("etzel-centroid", (255, 128, 128), (140, 191, 153))
        text = trace("etzel-centroid", 0)
        self.assertIn("in vec2 place = (1.0031738, 0.5125)", text)
        self.assertIn("beside = true", text)

    def test_a_mask_is_read_off_by_one(self):
        self.expect("etzel-mask", (64, 64, 64), (128, 128, 128))
        client = dap_client.Client([DEBUG, "--dap"])
        self.addCleanup(client.close)
        client.launch(os.path.join(PROGRAMS, "etzel-mask"), cwd=FOLDER, driver=DRIVER, stop={"pixel": [40, 30], "draw": 1})
        client.set_lines("resolve_by_mask.frag", {"line": 10})
        client.start()
        thread = client.stopped("breakpoint")["threadId"]
        self.assertEqual(client.value(thread, "mask"), "257")
        info = client.request("dataBreakpointInfo", name="fragment", frameId=client.frames(thread)[0]["id"])
        if info["dataId"] is None:  # it is declared in the loop
            client.step(thread)
            info = client.request("dataBreakpointInfo", name="fragment", frameId=client.frames(thread)[0]["id"])
        client.set_lines("resolve_by_mask.frag")
        client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        seen = []
        for _ in range(2):
            client.request("continue", threadId=thread)
            client.stopped("data breakpoint")
            seen.append((client.value(thread, "s"), client.value(thread, "fragment")))
        self.assertEqual(seen, [("2", "1"), ("3", "0")])
        client.step(thread, "stepBack")
        self.assertEqual(client.run_out(), 0)

    def test_depth_is_written_where_nothing_is_seen(self):
        self.expect("etzel-early-depth", (0, 0, 0), (51, 179, 51))
        run = subprocess.run([DEBUG, "console", "--pixel", "19,30", "--", os.path.join(PROGRAMS, "etzel-early-depth")],
                             input="break fence.frag:8\nrun\nnext\nnext\n", env=dap_client.environment(DRIVER), cwd=FOLDER,
                             check=True, capture_output=True, text=True)
        self.assertIn("  sample 3: 0 LESS 1 passes; then discard takes it", run.stdout)
        self.assertTrue(trace("etzel-early-depth", 0).endswith("discarded\n"))
        self.assertEqual(trace("etzel-early-depth", 1), "", "no fragment of the meadow is left there")
        history = subprocess.run([INSPECT, "history", "--pixel", "19,30", "--", os.path.join(PROGRAMS, "etzel-early-depth")],
                                 cwd=FOLDER, check=True, capture_output=True, text=True).stdout
        self.assertIn("samples 0-3: 1 → 0\n", history)
        self.assertIn("sample 0: 0.5 LESS 0 fails\n", history)


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
