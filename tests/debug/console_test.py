#!/usr/bin/env python3
"""The debugger in a terminal: what people type, and what they read.

usage: console_test.py ETZEL-DEBUG SCENE PIXEL-SCENE DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import dap_client
from fake_driver import SILENCE, FakeDriver, Refuses

TOOL, SCENE, PIXELS, DRIVER = sys.argv[1:5]
SUMS = dap_client.places("scene.cpp", "kSums")
LARGE = dap_client.places("scene.cpp", "kLarge")
SAMPLES = dap_client.places("pixel_scene.cpp", "kSamples")


class Terminal:
    """The debugger in a terminal of its own, as somebody sits before it."""

    def __init__(self, program, *options):
        """`program`: with its arguments; empty: the options name where to attach."""
        self.text = ""
        self.process, self.end = pty.fork()
        if self.process == 0:
            env = dap_client.environment(DRIVER, ETZEL_THREADS="1", TERM="dumb")
            os.execve(TOOL, [TOOL, "console", *options, *(["--"] if program else []), *program], env)

    def press(self, keys):
        os.write(self.end, keys.encode())

    def interrupt(self):
        """Ctrl-C, which the process has had when this returns."""
        self.press("\x03")
        self.wait(r"\^C")  # the terminal has sent the signal; what the process printed before may be lost with it
        end = time.monotonic() + dap_client.TIMEOUT
        while self.has_pending(signal.SIGINT):
            if time.monotonic() > end:
                raise AssertionError("the signal never comes")
            time.sleep(0.01)

    def has_pending(self, number):
        with open(f"/proc/{self.process}/status") as status:
            return any(int(line.split()[1], 16) >> (number - 1) & 1 for line in status if line.startswith(("SigPnd", "ShdPnd")))

    def wait(self, pattern):
        """What comes up to a pattern, which is taken out."""
        end = time.monotonic() + dap_client.TIMEOUT
        while not (found := re.search(pattern, self.text)):
            if time.monotonic() > end or not select.select([self.end], [], [], max(end - time.monotonic(), 0))[0]:
                raise AssertionError(f"no {pattern!r} in {self.text!r}")
            self.text += os.read(self.end, 65536).decode().replace("\r\n", "\n")
        self.told, self.text = self.text[:found.end()], self.text[found.end():]
        return self.told

    def type(self, line):
        """A command; what is printed up to the next prompt."""
        self.press(line + "\n")
        self.wait(re.escape(line) + "\n")
        return self.wait(r"\(etzel\) ").removesuffix("(etzel) ").rstrip("\n")

    def close(self):
        """Says goodbye. Returns the exit status."""
        self.press("quit\n")
        try:
            while os.read(self.end, 65536):
                pass
        except OSError:  # nobody has the other end any more
            pass
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        self.process = None
        return status

    def drop(self):
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.end)


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
        self.assertEqual(told[3], "2: on next")
        self.assertIn("data breakpoint", told[4])
        self.assertEqual(told[5:7], ["19", "10"])  # who is asked for, not the first of those that run together
        self.assertIn("there", told[9])
        told = self.sums("break twice", "run", "print x")
        self.assertTrue(told[0].startswith("1: in twice"))
        self.assertEqual(told[2], "15")

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
        self.assertEqual(told[0], "1: on sample 1 of color 0 at pixel (5, 5)")
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
            # A command that finds nobody is lost, and the next one may find the program.
            while not os.path.exists(f"{folder}/socket") and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.2)  # from the name to listening
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

    def test_threads_come_in_pages(self):
        told = self.debug([SCENE, "large"],
                          [f"break case.comp:{LARGE['large']}", "run", "info threads", "info threads 1000", "info threads 40-42",
                           "info threads 1024", "info threads 5-3", "thread 1023", "info threads", "thread 517", "p $invocation",
                           "next", "next", "p id", "thread 1024", "thread x", "compare 3", "delete", "c"], "--invocation", "0")
        first = told[2].split("\n")
        self.assertEqual(len(first), 33)
        self.assertTrue(first[0].startswith("* 4096  workgroup (0, 0, 0), invocation 0"), first[0])
        self.assertEqual(first[-1], "these are 0-31 of 1024; `info threads 32` shows the next")
        last = told[3].split("\n")
        self.assertEqual(len(last), 25)
        self.assertIn("invocation 1023", last[-2])
        self.assertEqual(last[-1], "these are 1000-1023 of 1024")
        self.assertEqual([line.split()[0] for line in told[4].split("\n")[:-1]], ["4136", "4137", "4138"])
        self.assertEqual(told[5], "there are 1024, counted from 0")
        self.assertIn("is expected", told[6])
        self.assertTrue(told[8].split("\n")[-2].startswith("* 5119  "), "the page of the thread that is looked at")
        self.assertEqual(told[10], "517")
        self.assertEqual(told[13], "517", "who is looked at is stepped")
        self.assertIn("there is no such invocation", told[14])
        self.assertEqual(told[15], "NUMBER is expected")
        self.assertIn("id = 517, there 3", told[16].split("\n"))
        self.assertEqual(self.status, 0)

    def test_breakpoints_have_numbers(self):
        told = self.sums(f"break case.comp:{SUMS['loop']}", "break twice", "catch bounds", "info breakpoints", "delete 2", "delete 2",
                         "info breakpoints", "condition 1 i == 1u", "run", "p i", "condition 1", "info breakpoints", "c", "p i",
                         "condition 3 x", "condition 9 x", "ignore 1", "hits 1 often", "info breakpoints", "delete",
                         "info breakpoints", "c")
        at = f"1: at case.comp:{SUMS['loop']}"
        self.assertTrue(told[3].split("\n")[0].startswith(at))
        self.assertTrue(told[3].split("\n")[1].startswith("2: in twice"))
        self.assertEqual(told[3].split("\n")[2], "3: of bounds")
        self.assertEqual(told[4], "")
        self.assertIn("no breakpoint '2'", told[5])
        self.assertEqual(len(told[6].split("\n")), 2)
        self.assertTrue(told[7].startswith(at + " if i == 1u"))
        self.assertEqual(told[9], "1")
        self.assertEqual(told[11].split("\n")[0], at)
        self.assertEqual(told[13], "2")
        self.assertEqual(told[14], "every fault of a kind stops")
        self.assertIn("no breakpoint '9'", told[15])
        self.assertIn("is expected", told[16])
        self.assertIn("'often' is no hit count", told[17])
        self.assertEqual(told[18].split("\n")[0], at, "what was refused is as it was")
        self.assertEqual(told[20], "there are none")
        self.assertIn("ended with status 0", told[21])

    def terminal(self, program, *options):
        terminal = Terminal(program, *options)
        self.addCleanup(terminal.drop)
        terminal.wait(r"\(etzel\) ")
        return terminal

    def test_hit_counts_in_a_terminal(self):
        for command, values in (("ignore 1 1", ["1", "2"]), ("hits 1 >= 3", ["2"]), ("hits 1 % 2", ["1"]), ("hits 1 2", ["1"]),
                                ("ignore 1 3", []), ("hits 1", ["0", "1", "2"]), ("ignore 1 0", ["0", "1", "2"])):
            with self.subTest(command):
                t = self.terminal([SCENE, "compute"], "--workgroup", "1,0,0", "--invocation", "10")
                t.type(f"break case.comp:{SUMS['loop']}")
                self.assertTrue(t.type(command).startswith(f"1: at case.comp:{SUMS['loop']}"))
                told, seen = t.type("run"), []
                while "ended" not in told:
                    seen.append(t.type("p i"))
                    told = t.type("continue")
                self.assertEqual(seen, values)
                self.assertIn("the program has ended with status 0", told)
                self.assertEqual(t.close(), 0)

    def test_log_points_in_a_terminal(self):
        t = self.terminal([SCENE, "compute"], "--workgroup", "1,0,0")
        self.assertEqual(t.type(f"log case.comp:{SUMS['loop']}"), "FILE:LINE TEXT is expected")
        self.assertIn("FILE:LINE TEXT", t.type("log twice x"))
        self.assertIn("says: {id} has {i + 1u}", t.type(f"log case.comp:{SUMS['loop']} {{id}} has {{i + 1u}}"))
        t.type("condition 1 id == 10u || id == 3u")
        told = t.type("run")
        self.assertEqual(re.findall(r"^\d+ has \d$", told, re.M), ["3 has 1", "3 has 2", "3 has 3", "10 has 1", "10 has 2", "10 has 3"])
        self.assertIn("the program has ended with status 0", told)
        self.assertEqual(t.close(), 0)

    def test_ctrl_c_in_a_terminal(self):
        t = self.terminal([SCENE, "rounds"])
        t.press("fl\x03")
        t.wait(r"\(etzel\) ")
        self.assertEqual(t.type("print 1"), "nothing is stopped")
        for command in ("run", "continue", "c"):
            t.press(command + "\n")
            t.wait("it runs")
            t.press("\x03")
            t.wait("the next invocation that comes along stops")
            t.wait("pause\nmain  ")
            t.wait(r"\(etzel\) ")
            self.assertEqual(t.type("p 6 * 7"), "42")
        self.assertEqual(t.close(), 0, "quit ends the program")

    def test_ctrl_c_twice_in_a_terminal(self):
        t = self.terminal([SCENE, "rounds"], "--workgroup", "7,0,0")  # of which there is none
        for command in ("run", "c", "continue"):
            t.press(command + "\n")
            t.wait("it runs")
            t.press("\x03")
            t.wait("Ctrl-C again leads to the prompt")
            t.press("\x03")
            t.wait("the program runs on")
            t.wait(r"\(etzel\) ")
            self.assertEqual(t.type("print 1"), "nothing is stopped; the program runs")
        self.assertEqual(t.close(), 0)

    def test_ctrl_c_ends_a_program_that_never_makes_a_device(self):
        t = self.terminal(["/bin/sh", "-c", "echo here; exec sleep 1000"])
        t.press("run\n")
        t.wait("here")
        t.press("\x03")
        self.assertIn("the program has ended with status 143", t.wait(r"\(etzel\) "))
        t.close()

    def test_a_console_that_is_killed_takes_its_program_along(self):
        t = self.terminal(["/bin/sh", "-c", f"echo process $$; exec {SCENE} rounds"])
        t.press("run\n")
        t.wait("it runs")
        process = int(re.search(r"process (\d+)", t.told).group(1))
        os.kill(t.process, signal.SIGKILL)

        def lives():
            try:
                with open(f"/proc/{process}/stat") as stat:
                    return stat.read().rpartition(") ")[2][0] not in "ZX"
            except FileNotFoundError:
                return False

        end = time.monotonic() + dap_client.TIMEOUT
        while lives() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertFalse(lives())

    def test_names_of_files_with_blanks(self):
        told = self.sums("log my case.comp:13 at 3:5 {id}", "break my own case.comp:14 if id == 3u", "log my case.comp:x y",
                         "break case.comp:13 never", "break twice if", "info breakpoints")
        self.assertTrue(told[0].startswith("1: at my case.comp:13, says: at 3:5 {id}, "), told[0])
        self.assertTrue(told[1].startswith("2: at my own case.comp:14 if id == 3u, "), told[1])
        self.assertEqual(told[2], "FILE:LINE TEXT is expected")
        self.assertIn("FUNCTION is expected", told[3])
        self.assertTrue(told[4].startswith("3: in twice"), told[4])
        self.assertEqual(len(told[5].split("\n")), 3)

    def test_a_second_attempt_to_attach(self):
        run = subprocess.run([TOOL, "console", "--attach", "unix:/nowhere/at/all"], input="run\nrun\n", capture_output=True,
                             text=True, timeout=dap_client.TIMEOUT)
        self.assertEqual(run.stdout.count("nobody listens at unix:/nowhere/at/all"), 2, run.stdout)

    def test_help_lists_every_command(self):
        told = self.debug([SCENE, "compute"], ["help"])
        self.assertIn("reverse-continue", told[0])
        self.assertIn("siblings", told[0])


class Answers(unittest.TestCase):
    """What a program answers, or does not."""

    def attach(self, **answers):
        self.driver = FakeDriver(dict({"modules": [], "lines": [{"id": 1, "verified": True, "line": 3}]}, **answers))
        self.addCleanup(self.driver.close)
        terminal = Terminal([], "--attach", f"unix:{self.driver.path}")
        self.addCleanup(terminal.drop)
        terminal.wait(r"\(etzel\) ")
        return terminal

    def test_ctrl_c_while_attaching_to_nobody(self):
        t = self.attach(faults=SILENCE)
        t.press("run\n")
        self.driver.wait("faults")
        t.press("\x03")
        nobody = f"nobody answers at unix:{self.driver.path}"
        self.assertIn(nobody, t.wait(r"\(etzel\) "))
        self.assertEqual(t.type("run"), nobody)
        self.assertEqual(t.type("print 1"), nobody)
        self.assertEqual(t.close(), 0)

    def test_who_takes_nobody_in(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
            listening.bind(f"{folder}/socket")
            listening.listen(0)
            waiting = []
            while True:  # as many as there is room for
                waiting.append(socket.socket(socket.AF_UNIX))
                self.addCleanup(waiting[-1].close)
                waiting[-1].setblocking(False)
                try:
                    waiting[-1].connect(f"{folder}/socket")
                except BlockingIOError:
                    break
            run = subprocess.run([TOOL, "console", "--attach", f"unix:{folder}/socket"], input="run\nquit\n",
                                 capture_output=True, text=True, timeout=dap_client.TIMEOUT)
            self.assertIn("nobody listens at", run.stdout)

    def test_ctrl_c_takes_a_request_back(self):
        t = self.attach(lines=SILENCE)
        t.press("break case.frag:3\n")
        self.driver.wait("lines")
        t.press("\x03")
        self.assertIn("cancelled\n", t.wait(r"\(etzel\) "))
        self.assertEqual(t.type("info breakpoints"), "there are none")
        self.assertEqual(t.close(), 0)

    def test_ctrl_c_before_the_program_goes_on(self):
        goes = threading.Event()
        self.addCleanup(goes.set)
        t = self.attach(go=lambda words: goes.wait(dap_client.TIMEOUT) and {})
        t.press("run\n")
        self.driver.wait("go")
        t.interrupt()  # heard before the answer comes
        goes.set()
        t.wait("the next invocation that comes along stops")
        self.driver.wait("pause")
        t.press("\x03")
        t.wait("the program runs on")
        t.wait(r"\(etzel\) ")
        self.assertEqual(t.close(), 0)

    def test_ctrl_c_twice_where_nobody_lets_the_program_go_on(self):
        t = self.attach(go=SILENCE)
        t.press("run\n")
        self.driver.wait("go")
        t.interrupt()
        t.interrupt()
        self.assertIn("cancelled\nit may go on nevertheless", t.wait(r"\(etzel\) "))
        t.press("continue\n")
        t.wait("continue\n")
        self.driver.say('{"event": "stopped", "stop": 1, "thread": 4096, "reason": "entry"}')
        t.wait("entry\n")
        t.wait(r"\(etzel\) ")
        self.assertEqual(t.close(), 0)

    def test_breakpoints_that_cannot_be_taken_away(self):
        def lines(words):
            if len(words) == 1 and not self.yields:
                raise Refuses("not now")
            return [{"id": 1, "verified": True, "line": 3}] * (len(words) // 4)

        self.yields = False
        t = self.attach(lines=lines)
        self.assertEqual(t.type("break case.frag:3"), "1: at case.frag:3")
        self.assertEqual(t.type("delete 1"), "not now\nbreakpoint 1 stays")
        self.assertEqual(t.type("info breakpoints"), "1: at case.frag:3")
        self.driver.answers["functions"] = []
        t.type("break twice")
        self.assertEqual(t.type("delete"), "not now\nwhat was refused stays; `info breakpoints` lists it")
        self.assertEqual(t.type("info breakpoints"), "1: at case.frag:3")
        self.yields = True
        self.assertEqual(t.type("delete 1"), "")
        self.assertEqual(t.type("info breakpoints"), "there are none")
        self.assertEqual(t.close(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
