#!/usr/bin/env python3
"""RenderDoc's shader debugger, on a capture of the demo on Etzel, shows the same values for an invocation as etzel-debug.

usage: renderdoc_test.py ETZEL-DEBUG DEMO DRIVER FOLDER. DRIVER is the driver's manifest, FOLDER is written to. Skipped (77)
without RenderDoc's layer and its Python module (Debian: renderdoc, python3-renderdoc).
"""
import json
import os
import pathlib
import struct
import subprocess
import sys

import dap_client

TOOL, DEMO, DRIVER = sys.argv[1:4]
FOLDER = pathlib.Path(sys.argv[4])
PIXEL = (338, 171)
# What the two compute otherwise than bit for bit: RenderDoc's pow, exp and the like are those of the C library.
RELATIVE = 1e-5
SKIPPED = 77
DEBIANS = "/usr/lib/python3/dist-packages"  # where another interpreter than the system's does not look


def capture():
    """One frame of the demo."""
    shim, base = FOLDER / "capture.so", FOLDER / "demo"
    source = pathlib.Path(__file__).with_name("renderdoc_capture.c")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    environment = dap_client.environment(DRIVER, ENABLE_VULKAN_RENDERDOC_CAPTURE="1", LD_PRELOAD=str(shim.absolute()),
                                         RENDERDOC_CAPTURE=str(base.absolute()))
    subprocess.run([DEMO, "--output", FOLDER], env=environment, check=True, stdout=subprocess.DEVNULL)
    found = sorted(FOLDER.glob("demo*.rdc"))
    if not found:
        print("RenderDoc's layer is not there")
        sys.exit(SKIPPED)
    return found[-1]


def draws(actions, flag):
    for action in actions:
        if action.flags & flag:
            yield action.eventId
        yield from draws(action.children, flag)


def numbers(variable):
    return [variable.value.f32v[i] for i in range(variable.columns)]


def renderdocs_values(rd, path):
    """The last value of each variable that has a name, of the first draw's invocation at the pixel."""
    os.environ.update(dap_client.environment(DRIVER))  # the capture is replayed in this process
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    file = rd.OpenCaptureFile()
    file.OpenFile(str(path), "", None)
    result, replay = file.OpenCapture(rd.ReplayOptions(), None)
    assert replay, result
    replay.SetFrameEvent(next(draws(replay.GetRootActions(), rd.ActionFlags.Drawcall)), True)
    trace = replay.DebugPixel(*PIXEL, 0, rd.ReplayController.NoPreference)
    held = {v.name: numbers(v) for v in trace.inputs}
    while states := replay.ContinueDebug(trace.debugger):
        for state in states:
            for change in state.changes:
                held[change.after.name] = numbers(change.after)
    named = {}
    for mapping in [*trace.sourceVars, *(s for i in trace.instInfo for s in i.sourceVars)]:
        parts = [held[r.name][r.component] for r in mapping.variables if len(held.get(r.name, [])) > r.component]
        if parts and len(parts) == len(mapping.variables):
            named[mapping.name] = parts
    replay.FreeTrace(trace)
    replay.Shutdown()
    file.Shutdown()
    rd.ShutdownReplay()
    return named


def etzels_values():
    run = subprocess.run([TOOL, "run", "--pixel", "%d,%d" % PIXEL, "--draw", "0", "--json", "--", DEMO, "--output", FOLDER],
                         env=dap_client.environment(DRIVER), check=True, capture_output=True, text=True)
    values = {}
    for event in map(json.loads, run.stdout.splitlines()):
        for change in event.get("changed", event.get("values", [])):
            value = change["value"]
            values[change["name"]] = [float(v) for v in (value if isinstance(value, list) else [value])]
    return values


def single(value):
    """A number of 32 bits as RenderDoc gives it and as Etzel prints it is one."""
    return struct.unpack("f", struct.pack("f", value))[0]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    sys.path.append(DEBIANS)
    try:
        import renderdoc as rd
    except ImportError as missing:
        print(missing)
        return SKIPPED
    theirs, ours = renderdocs_values(rd, capture()), etzels_values()
    both = sorted(set(theirs) & set(ours))
    equal, wrong = [], []
    for name in both:
        print(f"{name:14} {theirs[name]}\n{'':14} {ours[name]}")
        pairs = list(zip(theirs[name], ours[name]))
        if len(theirs[name]) != len(ours[name]) or any(abs(a - b) > RELATIVE * max(abs(a), abs(b)) for a, b in pairs):
            wrong.append(name)
        elif all(single(a) == single(b) for a, b in pairs):
            equal.append(name)
    print(f"RenderDoc {rd.GetVersionString()}: {len(both)} variables, {len(equal)} of them bit for bit; other: {wrong}")
    return 0 if len(both) >= 10 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
