#!/usr/bin/env python3
"""Every byte that conformance cases read is the same when a debugger is attached that stops in their shaders, steps forward and
back at random, behind shaders too, and lets them go on, while a pixel's history is recorded.

usage: same_bytes.py ETZEL-CTS DRIVER FOLDER [--everywhere] [--steps N] [--parallel N] [--part I/N] [PATTERN...]
DRIVER is the driver's manifest; FOLDER is written to. Without --everywhere it stops wherever something goes wrong in a shader.
--everywhere stops where the shaders of every draw and dispatch begin, in the invocations of one pixel, the first workgroup, vertex
and primitive; the first stop of a case takes all steps, later ones some. By default some cases run; "*" is all. Processes of
cases run side by side, each with a debugger; --part runs every N-th case, the I-th of them first (from 0), so that the whole can
be run in pieces.
"""
import argparse
import json
import os
import pathlib
import pty
import random
import socket
import subprocess
import sys
import threading
import time

import dap_client

PATTERNS = ["etzel.raster.discard", "etzel.subgroup.*.half_active", "etzel.geometry.emit.plain.*5.invocations5",
            "etzel.tessellation.discard.triangles.*", "etzel.geometry.input.*", "etzel.shader.*bounds*"]
PATIENCE = 120  # seconds
LATER_STEPS = 20  # --everywhere: of a stop that is not a case's first
PIXELS = ((0, 0), (1, 1), (4, 4), (7, 5))  # --everywhere: one of them, process by process


class Debugger:
    """One that speaks the driver's own protocol (docs/debugging.md)."""

    def __init__(self, path, program):
        self.connected = False
        while program.poll() is None and not self.connected:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(PATIENCE)
            try:
                self.socket.connect(str(path))
                self.connected = True
            except OSError:
                time.sleep(0.02)
        self.lines = self.socket.makefile("rb") if self.connected else []
        self.number = 0

    def send(self, *words):
        self.number += 1
        try:
            self.socket.sendall(" ".join([str(self.number), *map(str, words)]).encode() + b"\n")
        except OSError:
            pass  # it is gone, which messages() finds
        return self.number

    def messages(self):
        try:
            for line in self.lines:
                yield json.loads(line)
        except ConnectionError:
            pass


class Cases:
    """A process of etzel-cts after the other, that run their cases with a debugger attached, and what came of it."""

    def __init__(self, command, environment, path, everywhere, steps, seed):
        self.path, self.everywhere, self.steps = path, everywhere, steps
        self.generator = random.Random(seed)
        self.stops = self.taken = self.workers = self.done = self.stopped_in = 0
        self.wrong, self.last = [], "none yet"
        self.new_case()
        self.terminal, end = pty.openpty()  # a terminal gets every line at once
        self.program = subprocess.Popen(command, env=dict(environment, ETZEL_DEBUGGER=f"unix:{path};wait"), stdout=end)
        os.close(end)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def new_case(self):
        self.stops_of_case, self.later = 0, self.steps

    def read(self):
        """Lines of etzel-cts: a case has ended. What stops from now on is the next one's, but for a moment."""
        text = b""
        while True:
            try:
                got = os.read(self.terminal, 65536)
            except OSError:  # its other end is closed
                got = b""
            if not got:
                break
            *lines, text = (text + got).split(b"\n")
            for line in (raw.decode(errors="replace").strip() for raw in lines):
                if line.startswith(("Pass ", "NotSupported ")):
                    self.last = line.split()[1]
                    self.done += 1
                    self.stopped_in += self.stops_of_case > 0
                    self.new_case()
                elif line:
                    self.wrong.append(line)
        os.close(self.terminal)

    def begin(self, debugger):
        if self.everywhere:
            x, y = PIXELS[self.workers % len(PIXELS)]
            debugger.send("filter", f"pixel={x},{y}", "workgroup=0,0,0", "vertex=0", "primitive=0")
            debugger.send("functions", "main", "%", "%")
            debugger.send("history", f"pixel={x},{y}")
        else:
            debugger.send("faults", "nan", "bounds", "division", "discard", "break", "abort")
            debugger.send("history", "pixel=3,3")
        debugger.send("go")

    def steps_of_stop(self):
        if not self.everywhere:
            # The first stops take all steps, later ones fewer: cases with many draws come to an end.
            return self.generator.randrange(self.steps + 1) if self.stops <= 40 or self.generator.random() < 0.2 else 0
        if self.stops_of_case == 1:
            return self.steps
        some = min(self.later, LATER_STEPS)
        self.later -= some
        return some

    def serve(self, debugger):
        """Lets everything that stops take some steps, and go on."""
        self.begin(debugger)
        left = {}
        for message in debugger.messages():
            if message.get("event") == "left":
                left.pop(message["stop"], None)
            if message.get("event") == "past":
                debugger.send("continue", message["stop"], self.generator.choice(["on", "resolve"]))
            if message.get("event") != "stopped":
                continue
            stop = message["stop"]
            if stop not in left:
                self.stops += 1
                self.stops_of_case += 1
                left[stop] = self.steps_of_stop()
            if left[stop] > 0:
                left[stop] -= 1
                self.taken += 1
                how = self.generator.choice(["into", "over", "out", "instruction", "instruction"])
                debugger.send("step", message["thread"], how, self.generator.choice(["back", "forward"]))
            else:
                debugger.send("continue", stop)

    def run(self):
        """To the end of the last process."""
        try:
            while (debugger := Debugger(self.path, self.program)).connected:
                self.serve(debugger)
                self.workers += 1
            self.program.wait(PATIENCE)
        except TimeoutError:
            self.wrong.append(f"nothing happens any more; the last case that ended was {self.last}")
            self.program.kill()
        if self.program.wait():
            self.wrong.append(f"etzel-cts ends with {self.program.returncode}")
        self.reader.join()


def arguments_of():
    parser = argparse.ArgumentParser()
    for name in ("cts", "driver", "folder"):
        parser.add_argument(name)
    parser.add_argument("--everywhere", action="store_true")
    parser.add_argument("--steps", type=int, default=4, help="of a stop, at most; with --everywhere of a case's first")
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("patterns", nargs="*", default=PATTERNS)
    return parser.parse_intermixed_args()


def digests_of(path):
    """(digest, status) by case."""
    lines = (line.split() for line in path.read_text().splitlines())
    return {name: (digest, status) for digest, status, name in lines}


def main():
    arguments = arguments_of()
    folder = pathlib.Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    environment = dap_client.environment(arguments.driver)
    part, parts = map(int, arguments.part.split("/"))

    def shard(i):
        return {"GTEST_TOTAL_SHARDS": str(parts * arguments.parallel), "GTEST_SHARD_INDEX": str(part * arguments.parallel + i)}

    def command(digests):
        return [arguments.cts, "--jobs", "1", "--timeout", "600", "--digests", digests, *arguments.patterns]

    def side_by_side(make):
        """Runs what make(i) gives, a function each, and waits for all."""
        threads = [threading.Thread(target=make(i)) for i in range(arguments.parallel)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def read_without(name):
        """Digests of a run without a debugger."""
        side_by_side(lambda i: lambda: subprocess.run(command(folder / f"{name}{i}"), env=dict(environment, **shard(i)),
                                                      stdout=subprocess.DEVNULL, check=False))
        return {k: v for i in range(arguments.parallel) for k, v in digests_of(folder / f"{name}{i}").items()}

    without, again = read_without("without"), read_without("again")
    begin = time.monotonic()
    all_cases = [Cases(command(folder / f"with{i}"), dict(environment, **shard(i)), folder / f"socket{i}",
                       arguments.everywhere, arguments.steps, 3 + i) for i in range(arguments.parallel)]
    side_by_side(lambda i: all_cases[i].run)
    took = time.monotonic() - begin

    attached = {}
    for i in range(arguments.parallel):
        path = folder / f"with{i}"
        attached.update(digests_of(path) if path.exists() else {})
    wrong = [w for c in all_cases for w in c.wrong if not w.endswith("; 0 unexpected")]
    unsteady = [name for name, read in without.items() if again.get(name) != read]  # they read clocks or addresses
    for name, read in without.items():
        if name not in unsteady and attached.get(name) != read:
            wrong.append(f"{name}: {read}, with a debugger: {attached.get(name)}")

    if unsteady and arguments.patterns == PATTERNS:
        wrong.append(f"these cases differ without a debugger: {', '.join(unsteady)}")

    def total(what):
        return sum(getattr(c, what) for c in all_cases)

    ran = sum(status == "Pass" for _, status in without.values())
    print(f"{total('stops')} stops and {total('taken')} steps in {total('stopped_in')} of {ran} cases that the driver has, "
          f"{total('workers')} processes, {took:.0f} s; {len(wrong)} wrong")
    if unsteady:
        print(f"not compared, since they differ without a debugger too: {', '.join(unsteady)}")
    print("\n".join(wrong[:50]))
    return 0 if not wrong and total("stops") > 20 else 1


if __name__ == "__main__":
    sys.exit(main())
