#!/usr/bin/env python3
"""The debugger in a terminal: what people type, and what they read.

usage: console_test.py ETZEL-DEBUG SCENE PIXEL-SCENE DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

import dap_client

TOOL, SCENE, PIXELS, DRIVER = sys.argv[1:5]
SUMS = dap_client.places("scene.cpp", "kSums")
SAMPLES = dap_client.places("pixel_scene.cpp", "kSamples")


class Console(unittest.TestCase):
    def debug(self, program, commands, *options):
        """What is printed, command by command."""
        run = subprocess.run([TOOL, "console", *options, "--", *program], input="\n".join(commands) + "\n",
                             env=dap_client.environment(DRIVER, ETZEL_THREADS="1"), capture_output=True, text=True,
                             timeout=dap_client.TIMEOUT)
        self.assertEqual(run.stderr, "")
        self.status = run.returncode
        parts = run.stdout.split("(etzel) ")[1:]
        told = [p.split("\n", 1) for p in parts]
        self.assertEqual([t[0] for t in told][:len(commands)], list(commands))
        return [t[1].rstrip("\n") if len(t) > 1 else "" for t in told]

    def sums(self, *commands):
        return self.debug([SCENE, "compute"], commands, "--workgroup", "1,0,0", "--invocation", "10")

    def test_breaks_steps_and_prints(self):
        told = self.sums(f"break case.comp:{SUMS['call']}", "run", "print id + base", "step", "backtrace", "finish",
                         "next", "p mine", "reverse-step", "info locals", "list", "continue")
        self.assertIn(f"breakpoint\nmain  (case.comp:{SUMS['call']})\n{SUMS['call']}\t  uint mine = twice", told[1])
        self.assertEqual(told[2], "15")
        self.assertTrue(told[3].startswith("twice  (case.comp"))
        self.assertEqual(told[4].split("\n")[1], f"#1  main  (case.comp:{SUMS['call']})")
        self.assertEqual(told[7], "30")
        self.assertIn(f"(case.comp:{SUMS['call']})", told[8])
        self.assertIn("  id = 10", told[9].split("\n"))
        self.assertIn(f"> {SUMS['call']}\t", told[10])
        self.assertIn("the program has ended with status 0", told[11])
        self.assertIn("sums ", told[11])
        self.assertEqual(self.status, 0)

    def test_conditions_functions_watches_and_stores(self):
        told = self.sums(f"b case.comp:{SUMS['loop']} if i == 2u", "r", "p i", "watch next", "c", "p next", "p $invocation",
                         "rc", "set next = 5u", "compare 11", "delete", "c")
        self.assertEqual(told[2], "2")
        self.assertEqual(told[3], "on next")
        self.assertIn("data breakpoint", told[4])
        self.assertEqual(told[5:7], ["19", "10"])  # who is asked for, not the first of those that run together
        self.assertIn("there", told[9])
        told = self.sums("break twice", "run", "print x")
        self.assertEqual((told[0], told[2]), ("in twice", "15"))

    def test_breaks_of_the_shader(self):
        told = self.debug([SCENE, "faults"], ["run", "p id", "continue"])
        self.assertTrue(told[0].startswith("breakpoint: the shader stops here\nmain  (case.comp:"), told)
        self.assertEqual(told[1], "5")
        self.assertIn("the program has ended with status 0", told[2])
        self.assertIn("the program has ended", self.debug([SCENE, "faults"], ["delete", "run"])[1])

    def test_frames_and_instructions(self):
        told = self.sums(f"break case.comp:{SUMS['leaving']}", "run", "up", "p mine", "up", "down", "disas", "where", "delete",
                         "continue", "next", "run")
        self.assertIn(f"main  (case.comp:{SUMS['call']})", told[2])
        self.assertEqual(told[3], "unset")
        self.assertEqual(told[4], "there is no such frame")
        self.assertIn(f"twice  (case.comp:{SUMS['leaving']})", told[5])
        here = [line for line in told[6].split("\n") if line.startswith("> ")]
        self.assertEqual([line.split("\t")[0] for line in here], [f"> {SUMS['leaving']}"])
        self.assertEqual(len(told[7].split("\n")), 2)
        self.assertEqual(told[10:12], ["the program has ended"] * 2)

    def test_pictures(self):
        last = dap_client.places("scene.cpp", "kPixels")["last"]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "picture.png")
            told = self.debug([SCENE, "pixels"], [f"break case.frag:{last}", "run", f"picture picture {file}", "picture", "delete", "c"])
            self.assertRegex(told[2], f"^{file}: 16 x 16, R8G8B8A8_UNORM")
            with open(file, "rb") as png:
                self.assertEqual(png.read(16), b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR")
        self.assertEqual(told[3], "IMAGE FILE.png is expected")

    def test_pixels(self):
        told = self.debug([PIXELS, "writes"], ["watch color 0(5, 5, 1)", "run", "continue", "info pixel", "history", "continue"])
        self.assertEqual(told[0], "on sample 1 of color 0 at pixel (5, 5)")
        self.assertIn("data breakpoint: sample 1 of color 0 at pixel (5, 5) has been written", told[1])
        self.assertIn("sample 1: (0, 0, 1, 1) becomes (1, 0, 0, 1)", told[2])
        self.assertIn("draw 2, primitive 0", told[4])

    def test_the_fragment_mask(self):
        told = self.debug([PIXELS, "writes"], ["run", "next", "c", "c"], "--pixel", "5,5", "--mask", "changes")
        self.assertIn("the fragment mask has changed", told[0])
        self.assertIn("fragment mask, color 0", told[0])
        self.assertIn("made for 0 2", told[0])
        self.assertIn("freed, was of 0 2", told[2])

    def test_siblings(self):
        told = self.debug([PIXELS, "samples"], [f"break case.frag:{SAMPLES['color']}", "run", "siblings", "compare 11",
                                                "thread 4107", "p own", "next", "continue"],
                          "--pixel", "5,5", "--sample", "0")
        self.assertIn("sample 0: thread 4099, this one", told[2])
        self.assertIn("sum = ", told[3])

    def test_what_is_wrong_is_said(self):
        told = self.debug([SCENE, "compute"], ["fly", "print 1", "break", "watch nobody(1)", "stop pixel=1,2", "thread 3",
                                               "set x", "catch fire", "quit"])
        self.assertEqual(told[0], "'fly' is no command; help lists them")
        self.assertEqual(told[1], "nothing is stopped")
        self.assertIn("expected", told[2])
        self.assertIn("x, y and perhaps a sample", told[3])
        self.assertIn("comes before", told[4])
        self.assertEqual(told[6], "nothing is stopped")
        self.assertIn("no kind of fault", told[7])
        self.assertEqual(self.status, 0)

    def test_programs_that_are_not_there_and_options(self):
        told = self.debug(["/nowhere/at/all"], ["run"])
        self.assertIn("cannot run /nowhere/at/all", told[0])
        for wrong in (["--pixel"], ["--attach", "port:7", "--", SCENE], ["--pixel", "1,2"], ["--"]):
            self.assertEqual(subprocess.run([TOOL, "console", *wrong], capture_output=True).returncode, 2)

    def test_the_first_line_and_back_by_instructions(self):
        told = self.sums("start", "stepi", "reverse-stepi", "reverse-stepi", "start", "continue")
        self.assertEqual(told[0].split("\n")[:2], ["entry", f"main  (case.comp:{SUMS['begin']})"])
        self.assertIn(f"(case.comp:{SUMS['begin']})", told[2])
        self.assertIn("in no line", told[3])  # inputs are fetched in front of it
        self.assertIn("comes before", told[4])
        self.assertIn("ended with status 0", told[5])

    def test_a_program_that_waits_is_attached_to_and_lives_on(self):
        with tempfile.TemporaryDirectory() as folder:
            address = f"unix:{folder}/socket"
            ordinary = subprocess.run([SCENE, "compute"], env=dap_client.environment(DRIVER), capture_output=True, text=True)
            program = subprocess.Popen([SCENE, "compute"], stdout=subprocess.PIPE, text=True,
                                       env=dap_client.environment(DRIVER, ETZEL_DEBUGGER=address + ";wait"))
            self.addCleanup(program.kill)
            commands = [f"break case.comp:{SUMS['call']}", "run", "print id", "quit"]
            end = time.monotonic() + dap_client.TIMEOUT
            while True:
                run = subprocess.run([TOOL, "console", "--workgroup", "1,0,0", "--invocation", "10", "--attach", address],
                                     input="\n".join(commands) + "\n", capture_output=True, text=True, timeout=dap_client.TIMEOUT)
                if "nobody listens" not in run.stdout or program.poll() is not None or time.monotonic() > end:
                    break  # until the program listens
            self.assertIn("(etzel) print id\n10\n", run.stdout)
            self.assertEqual(program.communicate(timeout=dap_client.TIMEOUT)[0], ordinary.stdout)
        told = subprocess.run([TOOL, "console", "--attach", address], input="run\n", capture_output=True, text=True,
                              timeout=dap_client.TIMEOUT)
        self.assertIn("nobody listens at " + address, told.stdout)

    def test_help_lists_every_command(self):
        told = self.debug([SCENE, "compute"], ["help"])
        self.assertIn("reverse-continue", told[0])
        self.assertIn("siblings", told[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
