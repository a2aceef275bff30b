#!/usr/bin/env python3
"""Every byte that conformance cases read is the same when a debugger is attached, stops them wherever something goes wrong
in a shader, steps forward and back at random, behind shaders too, and lets them go on, while a pixel's history is recorded.

usage: same_bytes.py ETZEL-CTS DRIVER FOLDER [PATTERN...]. DRIVER is the driver's manifest; FOLDER is written to.
"""
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import time

PATTERNS = ["etzel.raster.discard", "etzel.subgroup.*.half_active", "etzel.geometry.emit.plain.*5.invocations5",
            "etzel.tessellation.discard.triangles.*", "etzel.geometry.input.*", "etzel.shader.*bounds*"]
STEPS = 4  # of a stop, at most
PATIENCE = 120  # seconds


class Debugger:
    """One that speaks the driver's own protocol (docs/debugging.md)."""

    def __init__(self, path, program):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        while program.poll() is None:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                time.sleep(0.02)
        self.lines = self.socket.makefile("rb")
        self.number = 0

    def send(self, *words):
        self.number += 1
        self.socket.sendall(" ".join([str(self.number), *map(str, words)]).encode() + b"\n")
        return self.number

    def messages(self):
        for line in self.lines:
            yield json.loads(line)


def stops(debugger, generator):
    """Lets everything that stops take some steps, and go on. Returns how many stops there were."""
    debugger.send("faults", "nan", "bounds", "division", "discard")
    debugger.send("history", "pixel=3,3")
    debugger.send("go")
    count, left = 0, {}
    for message in debugger.messages():
        if message.get("event") == "left":
            left.pop(message["stop"], None)
        if message.get("event") == "past":
            debugger.send("continue", message["stop"], generator.choice(["on", "resolve"]))
        if message.get("event") != "stopped":
            continue
        count += 1
        stop = message["stop"]
        left.setdefault(stop, generator.randrange(STEPS + 1))
        if left[stop] > 0:
            left[stop] -= 1
            how = generator.choice(["into", "over", "out", "instruction"])
            debugger.send("step", message["thread"], how, generator.choice(["", "back"]) or "forward")
        else:
            left[stop] = generator.randrange(STEPS + 1)
            debugger.send("continue", stop)
    return count


def main():
    cts, driver, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    patterns = sys.argv[4:] or PATTERNS
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "socket"
    environment = dict(os.environ, VK_DRIVER_FILES=driver, VK_ICD_FILENAMES=driver)
    command = [cts, "--jobs", "1", "--quiet", "--timeout", "600"]
    subprocess.run([*command, "--digests", folder / "without", *patterns], env=environment, check=True)
    environment["ETZEL_DEBUGGER"] = f"unix:{path};wait"
    program = subprocess.Popen([*command, "--digests", folder / "with", *patterns], env=environment)
    count = stops(Debugger(path, program), random.Random(3))
    if program.wait(PATIENCE):
        return 1
    without, attached = (folder / "without").read_text(), (folder / "with").read_text()
    print(f"{count} stops in {len(without.splitlines())} cases")
    for ours, theirs in zip(without.splitlines(), attached.splitlines()):
        if ours != theirs:
            print(f"{ours} with a debugger: {theirs}")
    return 0 if without == attached and count > 100 else 1


if __name__ == "__main__":
    sys.exit(main())
