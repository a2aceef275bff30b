#!/usr/bin/env python3
"""What debugging costs: how long a stop, a step and a step back take in a shader of some thousand instructions, as an editor sees
them, what they take in a workgroup of 1,024 invocations, and what a frame takes with a debugger attached. Measures on an otherwise
idle machine; no test.

usage: latency.py ADAPTER SCENE DRIVER
DRIVER is the driver's manifest. Exit status 1: something takes longer than it may.
"""
import re
import statistics
import subprocess
import sys
import time

import dap_client

ROUNDS = 5
FIRST_LINE = 6
LIMITS = {"stop": 50, "step": 5, "back": 20}  # milliseconds
# A line of each scene's shader and what is never true there: one that has long arithmetic and is hidden, and triangles.
SCENES = {"frames": (FIRST_LINE + 60, "v.x > 1e30"),
          "triangles": (dap_client.places("scene.cpp", "kTextured")["lit"], "texel.x > 1e30")}
STOPS = {"a breakpoint for one pixel": {"pixel": [100, 100]}, "for one sample of it": {"pixel": [100, 100], "sample": 0},
         "for another layer": {"layer": 1}, "for one primitive": {"primitive": 1}}
FRAME_LIMITS = {"attached": 1.02, "a breakpoint for one pixel": 3}  # times the frame without a debugger


def frame_time(text):
    return float(re.search(r"frame ([0-9.]+) us", text).group(1))


def timed(what, *arguments, **more):
    begin = time.perf_counter()
    what(*arguments, **more)
    return 1000 * (time.perf_counter() - begin)


class Measurement:
    def __init__(self, adapter, scene, driver):
        self.adapter, self.scene, self.driver = adapter, scene, driver

    def client(self, what="frames", **stop):
        client = dap_client.Client([self.adapter, "--dap"])
        client.launch(self.scene, what, driver=self.driver, stop=stop)
        return client

    def alone(self, what):
        return frame_time(subprocess.run([self.scene, what], env=dap_client.environment(self.driver), check=True,
                                         capture_output=True, text=True).stderr)

    def attached(self, what, stop=None):
        """The fastest frame; with a breakpoint that nobody comes to stop in, its condition being false."""
        line, condition = SCENES[what]
        client = self.client(what, **(stop or {}))  # the history of a pixel that is named is recorded
        if stop:
            client.set_lines("case.frag", {"line": line, "condition": condition})
        client.start()
        client.event("exited")
        client.close()
        return frame_time(client.output)

    def latencies(self):
        client = self.client(pixel=[100, 100])
        client.set_lines("case.frag", {"line": FIRST_LINE})
        client.start()
        thread = client.stopped("breakpoint")["threadId"]
        pointer = client.frames(thread)[0]["instructionPointerReference"]
        count = sum("presentationHint" not in i for i in client.request(
            "disassemble", memoryReference=pointer, instructionOffset=0, instructionCount=9000)["instructions"])

        def go(command):
            client.request(command, threadId=thread)
            client.stopped()
            client.frames(thread)

        times = {"stop": [], "step": [], "back": []}
        for i in range(100):
            times["step"].append(timed(go, "next"))
        for i in range(50):
            times["back"].append(timed(go, "stepBack"))
        for i in range(20):  # half way on, and back to where it was
            client.set_lines("case.frag", {"line": FIRST_LINE + 60 + i})
            times["stop"].append(timed(go, "continue"))
        client.close()
        return count, times


    def workgroup(self):
        """The same in a workgroup of 1,024 invocations with a barrier, and listing them."""
        client = dap_client.Client([self.adapter, "--dap"])
        client.launch(self.scene, "large", driver=self.driver)
        lines = dap_client.places("scene.cpp", "kLarge")
        client.set_lines("case.comp", {"line": lines["large"], "condition": "id == 1000u"})
        client.start()
        thread = client.stopped("breakpoint")["threadId"]
        client.set_lines("case.comp")

        def go(command):
            client.step(thread, command)
            client.frames(thread)

        times = {"threads": [timed(lambda: client.request("threads")) for i in range(20)], "step": [], "back": []}
        for i in range(20):  # over the barrier, which the whole workgroup has to come to, and back
            while client.line(thread) != lines["other"]:
                times["step"].append(timed(go, "next"))
            while client.line(thread) != lines["large"]:
                times["back"].append(timed(go, "stepBack"))
        count = len(client.request("threads")["threads"])
        client.close()
        return count, times


def main():
    m = Measurement(*sys.argv[1:4])
    bad = False
    count, times = m.workgroup()
    print(f"a workgroup of {count} invocations")
    for name, taken in times.items():
        print(f"{name}: median {statistics.median(taken):.2f} ms, longest {max(taken):.2f} ms")
    count, times = m.latencies()
    print(f"{count} instructions")
    for name, taken in times.items():
        worst = max(taken)
        bad |= worst > LIMITS[name]
        print(f"{name}: median {statistics.median(taken):.2f} ms, longest {worst:.2f} ms, at most {LIMITS[name]} ms")
    for what in SCENES:
        rows = {"alone": lambda: m.alone(what), "attached": lambda: m.attached(what)}
        rows |= {name: lambda stop=stop: m.attached(what, stop) for name, stop in STOPS.items()}
        best = {name: min(measure() for _ in range(ROUNDS)) for name, measure in rows.items()}
        for name in list(best)[1:]:
            limit = FRAME_LIMITS.get(name, float("inf"))
            ratio = best[name] / best["alone"]
            bad |= ratio > limit
            print(f"{what}, {name}: {best[name]:.0f} us a frame, {ratio:.3f} times {best['alone']:.0f} us, at most {limit}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
