#!/usr/bin/env python3
"""Histories of pixels, on a scene whose every number is computed by hand here; and that recording one changes no byte of
what conformance cases read.

usage: check_history.py INSPECT SCENE ETZEL-CTS FOLDER. FOLDER is written to.
"""
import json
import os
import pathlib
import subprocess
import sys

INSPECT, SCENE, CTS = sys.argv[1:4]
FOLDER = pathlib.Path(sys.argv[4])
BLUE, RED, GREEN, WHITE = (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (1, 1, 1, 133 / 255)
CASES = ["etzel.multisample.coverage.*", "etzel.multisample.mask.*", "etzel.depth.compare.*", "etzel.stencil.op.*",
         "etzel.resolve.depth_stencil.*", "etzel.invariance.*", "etzel.blend.formats.*", "etzel.raster.*", "etzel.draw.p*"]


def run(*arguments, **environment):
    done = subprocess.run(arguments, env=dict(os.environ, **environment), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done


def history(samples, *options):
    lines = run(INSPECT, "history", *options, "--json", "--", SCENE, str(samples)).stdout.splitlines()
    return [json.loads(line) for line in lines]


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found} instead of {wanted}")


def near(what, found, wanted):
    if len(found) != len(wanted) or any(abs(a - b) > 0.003 for a, b in zip(found, wanted)):
        sys.exit(f"{what}: {found} instead of {wanted}")


def image(event, attachment):
    return next(i for i in event["images"] if i.get("attachment") == attachment)


def bits(samples):
    return sum(1 << s for s in samples)


def killed(event):
    return {k["by"]: k["samples"] for k in event["killed"]}


def check(samples):
    events = history(samples, "--pixel", "5,5")
    everything = (1 << samples) - 1
    # Standard sample locations: the x of each in sixteenths of a pixel. The line is at 8 of pixel 5.
    at = {4: (6, 14, 2, 10), 8: (9, 7, 13, 5, 3, 1, 11, 15)}[samples]
    left = [s for s in range(samples) if at[s] < 8]
    expect("left of the line", left, {4: [0, 2], 8: [1, 3, 4, 5]}[samples])

    expect("order", [(e["event"], e.get("pipeline")) for e in events],
           [("clear", None), ("clear", None), ("clear", None)] +
           [("draw", n) for n in ("red", "behind", "edge", "holes", "half", "glow", "corner", "third", "nothing",
                                  "stencil")] + [("resolve", None), ("transfer", None)])
    clears = {i["attachment"]: i["after"] for e in events[:3] for i in e["images"]}
    expect("cleared", sorted(clears), ["color 0", "depth", "stencil"])
    expect("cleared to", (clears["color 0"], clears["depth"], clears["stencil"]),
           ([list(BLUE)] * samples, [[1]] * samples, [[0]] * samples))
    expect("of the pass", {e["command"] for e in events[:3]}, {"load operation"})
    red, behind, edge, holes, half, glow, corner, third, nothing, stencil = events[3:13]
    expect("labels", (red["label"], stencil["label"]), ("scene", "scene/end"))

    values = [BLUE] * samples

    def draw(event, covered, kept, by, after):
        name = event["pipeline"]
        expect(name, (event["covered"], event["kept"], killed(event)), (covered, kept, by))
        color = image(event, "color 0")
        for s in range(samples):
            near(f"{name}, sample {s} before", color["before"][s], values[s])
            values[s] = after(s, values[s])
            near(f"{name}, sample {s} after", color["after"][s], values[s])
        return color

    draw(red, everything, everything, {}, lambda s, v: RED)
    expect("red's test", [(t["depth"], t["compare"], t["stored"], t["passes"]) for t in red["tests"]],
           [(0.5, "LESS", 1, True)] * samples)
    expect("red's depth", image(red, "depth")["after"], [[0.5]] * samples)
    near("red", red["shader"][0]["colors"][0]["value"], RED)

    draw(behind, everything, 0, {"depth": everything}, lambda s, v: v)
    expect("behind's test", [(t["depth"], t["stored"], t["passes"]) for t in behind["tests"]],
           [(0.75, 0.5, False)] * samples)

    color = draw(edge, bits(left), bits(left), {}, lambda s, v: GREEN if s in left else v)
    fragments = color["fragmentsAfter"]
    expect("edge's inputs", (edge["maskIn"], edge["centroid"]), (bits(left), f"sample {left[0]}"))
    expect("red's inputs", (red["maskIn"], red["centroid"]), (everything, "centre"))
    expect("one fragment", color["fragmentsBefore"], [0] * samples)
    expect("two fragments", len(set(fragments)), 2)
    for s in range(samples):
        expect(f"fragment of sample {s}", fragments[s] == fragments[left[0]], s in left)
    expect("edge's depth", image(edge, "depth")["after"], [[0.25] if s in left else [0.5] for s in range(samples)])

    draw(holes, everything, 0, {"discard": everything}, lambda s, v: v)
    expect("discarded", [r["discarded"] for r in holes["shader"]], [True])
    expect("holes' depth", image(holes, "depth")["after"], image(holes, "depth")["before"])

    most = range({4: 2, 8: 4}[samples])  # round(133 / 255 * samples)
    draw(half, everything, bits(most), {"alpha to coverage": everything & ~bits(most)},
         lambda s, v: WHITE if s in most else v)
    color = draw(glow, everything, everything, {}, lambda s, v: (*v[:2], min(v[2] + 0.2, 1), v[3]))
    expect("equation", color["blend"], "src*ONE + dst*ONE")
    draw(corner, everything, 0, {"scissor": everything}, lambda s, v: v)
    expect("corner's shader", corner["shader"], [])
    draw(third, everything, 4, {"sample mask": everything & ~4}, lambda s, v: (0.2, 0.2, 0.2, 1) if s == 2 else v)
    color = draw(nothing, everything, everything, {}, lambda s, v: v)
    expect("write mask", color["notWritten"], "color write mask")
    draw(stencil, everything, 0, {"stencil": everything}, lambda s, v: v)
    expect("stencil's test", [(t["stencilReference"], t["stencilCompare"], t["stencilStored"], t["stencilPasses"],
                               t["stencilOp"]) for t in stencil["tests"]],
           [(1, "EQUAL", 0, False, "INCREMENT_AND_CLAMP")] * samples)
    expect("stencil counts", image(stencil, "stencil")["after"], [[1]] * samples)

    resolve, copy = events[13:]
    average = [sum(v[c] for v in values) / samples for c in range(4)]
    expect("mode", resolve["mode"], "AVERAGE")
    for s in range(samples):
        near(f"resolved sample {s}", resolve["source"][s], values[s])
    near("average", resolve["images"][0]["after"][0], average)
    # Copied one pixel to the left: from (6, 5), which the line does not cross.
    expect("copy", (copy["command"], copy["from"], copy["fromPixel"]),
           ("vkCmdCopyImage", resolve["images"][0]["image"], [6, 5]))

    # The history of a sample, and of one attachment; what people read.
    of_sample = history(samples, "--pixel", f"5,5,{left[0] ^ 1}")
    if (left[0] ^ 1) not in left:
        expect("sample", "edge" in [e.get("pipeline") for e in of_sample], False)
    of_depth = history(samples, "--pixel", "5,5", "--image", "depth")
    expect("of depth", {i["attachment"] for e in of_depth for i in e["images"]}, {"depth"})
    strip = FOLDER / "strip.png"
    text = run(INSPECT, "history", "--pixel", "5,5", "--strip", str(strip), "--", SCENE, str(samples)).stdout
    for part in ('draw 1 "behind" in scene', "sample 0: 0.75 LESS 0.5 fails", "takes sample", "alpha is 0.52",
                 "vkCmdCopyImage from", "stencil     sample 0: reference 1 EQUAL 0 fails, INCREMENT_AND_CLAMP"):
        if part not in text:
            sys.exit(f"'{part}' is not in\n{text}")
    expect("a picture", strip.read_bytes()[:4], b"\x89PNG")
    expect("the only instance is not named", "instance" in text, False)


def check_transfers():
    """Values of pixel (5, 5) of both images; what changed without a command of its own."""
    events = history("transfers", "--pixel", "5,5")
    found = [(e["event"], e.get("command"), i["image"], i["before"][0], i["after"][0])
             for e in events for i in e["images"]]
    red, white, green, blue = [0.2, 0, 0, 1], [1] * 4, [0, 1, 0, 1], [0, 0, 0.2, 1]
    rounded = [(*f[:3], *([round(v, 3) for v in x] for x in f[3:])) for f in found]
    expect("transfers", rounded, [
        ("transfer", "vkCmdClearColorImage", "image 0", [0] * 4, red),
        ("transfer", "vkCmdCopyBufferToImage", "image 0", red, white),
        ("dispatch", None, "image 0", white, green),
        ("draw", None, "image 1", [0] * 4, white),
        ("transfer", "vkCmdBlitImage", "image 1", white, blue),
        ("elsewhere", None, "image 0", green, blue),
        ("transfer", "vkCmdClearColorImage", "image 0", blue, [0] * 4)])
    expect("dispatch", events[2]["dispatch"], 0)
    expect("draw", events[3]["draw"], 1)
    expect("blit", events[4]["from"], "image 0")
    for name in ("bricks", "image 2"):
        events = history("transfers", "--pixel", "5,5", "--image", name)
        expect(name, [(e["event"], e["images"][0]["image"]) for e in events], [("transfer", "bricks")])


def check_instances():
    """Fragments know the instance that their shader sees, behind every stage that makes primitives."""
    events = [e for e in history("instances", "--pixel", "5,5") if e["event"] == "draw"]
    found = [(e["draw"], e["instance"], e["primitive"], 16 * e["shader"][0]["colors"][0]["value"][0]) for e in events]
    primitives = {0: 2, 1: 2, 2: 1, 3: 2, 4: 2, 5: 2}  # of an instance, by draw
    expect("instances", found, [(draw, instance, p, instance) for draw, count in primitives.items()
                                for instance in (7, 8, 9) for p in range(count)])
    text = run(INSPECT, "history", "--pixel", "5,5", "--", SCENE, "instances").stdout
    if "  draw 3, primitive 1, instance 8" not in text:
        sys.exit(f"no instance in\n{text}")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    ordinary = {n: run(SCENE, str(n)).stdout for n in (4, 8)}
    check_transfers()
    check_instances()
    for samples in (4, 8):
        check(samples)
        done = run(SCENE, str(samples), ETZEL_HISTORY="pixel=5,5", ETZEL_HISTORY_FILE=os.devnull)
        expect("picture", done.stdout, ordinary[samples])
    # Nothing that wants the pixel, and what is no subject.
    for options in (("--pixel", "500,5"), ("--pixel", "5,5", "--frame", "3"), ("--pixel", "5,5", "--image", "nobody")):
        done = subprocess.run([INSPECT, "history", *options, "--", SCENE, "4"], capture_output=True, text=True)
        expect(options, (done.returncode, "nothing happened to the pixel" in done.stderr), (1, True))
    for options in ((), ("--pixel", "5"), ("--pixel", "5,5,16"), ("--pixel", "5,5", "--frame")):
        done = subprocess.run([INSPECT, "history", *options, "--", SCENE, "4"], capture_output=True, text=True)
        expect(options, done.returncode, 2)

    digests = {}
    for subject in ("", "pixel=3,3;frame=all"):
        path = FOLDER / "digests"
        (FOLDER / "events").unlink(missing_ok=True)
        more = {"ETZEL_HISTORY": subject, "ETZEL_HISTORY_FILE": str(FOLDER / "events")} if subject else {}
        run(CTS, "--jobs", "1", "--quiet", "--timeout", "600", "--digests", str(path), *CASES, **more)
        digests[subject] = path.read_text()
        if subject:
            expect(f"digests with {subject}", digests[subject] == digests[""], True)
            count = sum(1 for line in open(FOLDER / "events") if json.loads(line)["event"] == "draw")
            print(f"{subject}: {len(digests[''].splitlines())} digests are the same, {count} fragments told")
            if not count:
                sys.exit("no draw was recorded")


main()
