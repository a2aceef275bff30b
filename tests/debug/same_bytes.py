#!/usr/bin/env python3
"""Every byte that conformance cases read is the same when a debugger is attached, stops them wherever something goes wrong
in a shader, steps forward and back at random, behind shaders too, and lets them go on, while a pixel's history is recorded.

usage: same_bytes.py ETZEL-CTS DRIVER FOLDER [--everywhere] [--steps N] [PATTERN...]
DRIVER is the driver's manifest; FOLDER is written to. --everywhere stops where the shaders of every draw and dispatch begin, in
the first invocations of each.
"""
import argparse
import json
import pathlib
import random
import socket
import subprocess
import sys
import time

import dap_client

PATTERNS = ["etzel.raster.discard", "etzel.subgroup.*.half_active", "etzel.geometry.emit.plain.*5.invocations5",
            "etzel.tessellation.discard.triangles.*", "etzel.geometry.input.*", "etzel.shader.*bounds*"]
PATIENCE = 120  # seconds


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


def stops(debugger, generator, everywhere, steps):
    """Lets everything that stops take some steps, and go on. Returns how many stops and steps there were."""
    if everywhere:
        debugger.send("filter", "pixel=4,4", "workgroup=0,0,0", "vertex=0", "primitive=0")
        debugger.send("functions", "main", "%", "%")
    else:
        debugger.send("faults", "nan", "bounds", "division", "discard", "break")
    debugger.send("history", "pixel=3,3")
    debugger.send("go")
    count, taken, left = 0, 0, {}
    for message in debugger.messages():
        if message.get("event") == "left":
            left.pop(message["stop"], None)
        if message.get("event") == "past":
            debugger.send("continue", message["stop"], generator.choice(["on", "resolve"]))
        if message.get("event") != "stopped":
            continue
        stop = message["stop"]
        if stop not in left:
            count += 1
            # The first stops take all steps, later ones fewer: cases with many draws come to an end.
            left[stop] = generator.randrange(steps + 1) if count <= 40 or generator.random() < 0.2 else 0
        if left[stop] > 0:
            left[stop] -= 1
            taken += 1
            how = generator.choice(["into", "over", "out", "instruction", "instruction"])
            debugger.send("step", message["thread"], how, generator.choice(["back", "forward"]))
        else:
            debugger.send("continue", stop)
    return count, taken


def main():
    parser = argparse.ArgumentParser()
    for name in ("cts", "driver", "folder"):
        parser.add_argument(name)
    parser.add_argument("--everywhere", action="store_true")
    parser.add_argument("--steps", type=int, default=4, help="of a stop, at most")
    parser.add_argument("patterns", nargs="*", default=PATTERNS)
    arguments = parser.parse_intermixed_args()
    folder = pathlib.Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "socket"
    environment = dap_client.environment(arguments.driver)

    def command(digests):
        return [arguments.cts, "--jobs", "1", "--quiet", "--timeout", "600", "--digests", digests, *arguments.patterns]

    subprocess.run(command(folder / "without"), env=environment, check=True)
    environment["ETZEL_DEBUGGER"] = f"unix:{path};wait"
    program = subprocess.Popen(command(folder / "with"), env=environment)
    count = taken = workers = 0
    generator = random.Random(3)
    while (debugger := Debugger(path, program)).connected:  # a worker of etzel-cts after the other
        more = stops(debugger, generator, arguments.everywhere, arguments.steps)
        count, taken, workers = count + more[0], taken + more[1], workers + 1
    if program.wait(PATIENCE):
        return 1
    without, attached = (folder / "without").read_text(), (folder / "with").read_text()
    print(f"{count} stops and {taken} steps in {len(without.splitlines())} cases, {workers} processes")
    for ours, theirs in zip(without.splitlines(), attached.splitlines()):
        if ours != theirs:
            print(f"{ours} with a debugger: {theirs}")
    return 0 if without == attached and count > 20 else 1


if __name__ == "__main__":
    sys.exit(main())
