#!/usr/bin/env python3
"""Where a debugger may stop: by draw, stage, vertex, instance, layer, view, primitive, patch, coverage, label and name; one of
several, or each; in all of a patch; at stores.

usage: stops_test.py ADAPTER SCENE DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import re
import sys
import unittest

import dap_client

ADAPTER, SCENE, DRIVER = sys.argv[1:4]


def places(shader):
    """Lines of one of the scene's shaders by the names in their comments."""
    return dap_client.places("stops_scene.cpp", shader)


class Session(unittest.TestCase):
    def setUp(self):
        self.client = dap_client.Client([ADAPTER, "--dap"])
        self.addCleanup(self.client.close)

    def start(self, what, source, line, **stop):
        self.client.launch(SCENE, what, driver=DRIVER, env={"ETZEL_THREADS": "1"}, stop=stop)
        self.client.set_lines(source, line)
        self.client.start()

    def stops(self, *expressions, reason=None):
        """Goes on from stop to stop to the end. Returns what the expressions were at each; "line" is that of the stop."""
        found = []
        while stop := self.client.next_stop():
            if reason:
                self.assertEqual(stop["reason"], reason)
            thread = stop["threadId"]
            found.append(tuple(self.client.line(thread) if e == "line" else self.client.value(thread, e)
                               for e in expressions))
            self.client.request("continue", threadId=thread)
        return found


class Where(Session):
    FRAGMENT = dict(line=places("kFragment")["fragment"])

    def stop(self, what, *expressions, source="case.frag", line=None, **stop):
        self.start(what, source, line or self.FRAGMENT, **stop)
        return self.stops(*expressions)

    def test_a_draw(self):
        self.assertEqual(self.stop("labels", "$draw", draw=1, which="first"), [("1",)])

    def test_a_stage(self):
        self.client.launch(SCENE, "patches", driver=DRIVER, env={"ETZEL_THREADS": "1"}, stop={"stage": "evaluation"})
        self.client.request("setFunctionBreakpoints", breakpoints=[{"name": "main"}])
        self.client.start()
        self.assertEqual(set(self.stops("line")), {(places("kEvaluation")["evaluation"] - 1,)})

    def test_a_vertex(self):
        line = dict(line=places("kLayer")["layer"])
        self.assertEqual(self.stop("layers", "$vertex", "$instance", source="case.vert", line=line, vertex=1, which="each"),
                         [("1", "0"), ("1", "1"), ("1", "2")])

    def test_an_instance(self):
        line = dict(line=places("kLayer")["layer"])
        self.assertEqual(self.stop("layers", "$vertex", "$instance", source="case.vert", line=line, instance=2, which="each"),
                         [("0", "2"), ("1", "2"), ("2", "2")])

    def test_a_primitive_in_geometry_shaders(self):
        line = dict(line=places("kTriangles")["geometry"])
        self.assertEqual(self.stop("primitives", "$primitive", "i", source="case.geom", line=line, primitive=2),
                         [("2", "0"), ("2", "1"), ("2", "2")])

    def test_a_primitive_in_fragment_shaders(self):
        stops = self.stop("primitives", "$primitive", "$pixel", primitive=3, which="each")
        self.assertEqual({primitive for primitive, _ in stops}, {"3"})
        self.assertGreater(len({pixel for _, pixel in stops}), 10)

    def test_a_sample(self):
        masks = [int(m) for m, in self.stop("partly", "mask", sample=2, which="each")]
        self.assertTrue(masks)
        self.assertTrue(all(m & 4 for m in masks), masks)

    def test_a_layer(self):
        self.assertEqual(self.stop("layers", "$layer", layer=2, pixel=[3, 4]), [("2",)])

    def test_a_view(self):
        line = dict(line=places("kView")["view"])
        self.assertEqual(self.stop("views", "view", "$view", source="case.vert", line=line, view=1, vertex=0),
                         [("1", "1")])

    def test_a_patch(self):
        line = dict(line=places("kControl")["control"])
        self.assertEqual(self.stop("patches", "patchNumber", source="case.tesc", line=line, patch=2), [("2",)])

    def test_a_patch_is_evaluated(self):
        line = dict(line=places("kEvaluation")["evaluation"])
        self.assertEqual(self.stop("patches", "$primitive", source="case.tese", line=line, patch=3), [("3",)])

    def test_pixels_that_are_covered_in_part(self):
        masks = [int(m) for m, in self.stop("partly", "mask", covered="partly", which="each")]
        self.assertTrue(masks)
        self.assertTrue(all(0 < m < 15 for m in masks), masks)

    def test_a_label_around_the_draw(self):
        self.assertEqual(self.stop("labels", "$draw", label="lighting", pixel=[1, 1]), [("1",)])

    def test_a_label_around_that(self):
        self.assertEqual(self.stop("labels", "$draw", label="frame", pixel=[1, 1]), [("0",), ("1",)])

    def test_the_name_of_a_pipeline(self):
        self.assertEqual(self.stop("labels", "$draw", pipeline="lit", pixel=[1, 1]), [("1",)])

    def test_a_name_that_nothing_has(self):
        self.assertEqual(self.stop("labels", "$draw", pipeline="dark", pixel=[1, 1]), [])

    def test_the_first_of_all(self):
        self.assertEqual(len(self.stop("partly", "$pixel", which="first")), 1)

    def test_each_of_all(self):
        pixels = [p for p, in self.stop("partly", "$pixel", which="each")]
        self.assertEqual(len(pixels), len(set(pixels)))
        # A triangle with legs of 6 and 6.8 pixels.
        self.assertGreater(len(pixels), 20)
        self.assertLess(len(pixels), 30)

    def test_one_of_those_that_come_together(self):
        self.assertLess(len(self.stop("partly", "$pixel")), 12)

    def test_words_that_mean_nothing_are_told(self):
        self.client.launch(SCENE, "partly", driver=DRIVER, stop={"covered": "somewhat"})
        self.client.start()
        self.assertEqual(self.client.run_out(), 0)
        self.assertIn("names no invocation", self.client.output)


class Quads(Session):
    def test_helpers_are_threads_beside_the_others(self):
        line = dict(line=places("kFragment")["fragment"])
        self.start("partly", "case.frag", line, covered="partly", which="each")
        looked = 0
        while stop := self.client.next_stop():
            thread = stop["threadId"]
            names = {t["id"]: t["name"] for t in self.client.request("threads")["threads"]}
            first = min(names)
            quad = [t for t in names if (t - first) // 4 == (thread - first) // 4]
            self.assertNotIn("helper", names[thread])
            x, y = eval(self.client.value(thread, "$pixel"))
            self.assertEqual({eval(self.client.value(t, "$pixel")) for t in quad},
                             {(x & ~1 | i & 1, y & ~1 | i >> 1) for i in range(4)})
            for helper in (t for t in quad if names[t].endswith(", helper")):
                self.assertEqual((self.client.line(helper), self.client.value(helper, "mask")), (line["line"], "0"))
                looked += 1
            self.client.request("continue", threadId=thread)
        self.assertGreater(looked, 3, "a triangle has quads at its edges")


class Patches(Session):
    """Control points of a patch are one group, however many there are."""
    LINES = places("kNeighbours")

    def result(self):
        """What each control point of three patches wrote: its own number and the double of its neighbour's."""
        def own(p, i):
            return i * i + 100 * p
        return "neighbours " + " ".join(str(own(p, i) * 10000 + 2 * own(p, (i + 7) % 20)) for p in range(3) for i in range(20))

    def test_all_points_of_one_that_waits_at_a_barrier(self):
        self.start("neighbours", "case.tesc", dict(line=self.LINES["neighbour"]), patch=1, invocation=13)
        thread = self.client.stopped("breakpoint")["threadId"]
        names = [t["name"] for t in self.client.request("threads")["threads"]]
        states = 8 * [" (ended)"] + 8 * [""] + 4 * [" (at a barrier)"]
        self.assertEqual(names, [f"patch 1, control point {i}{state}" for i, state in enumerate(states)])
        self.client.step(thread)
        self.assertEqual(self.client.value(thread, "neighbour"), "100")  # of point 0
        other = thread - 13 + 19
        while self.client.line(other) != self.LINES["theirs"]:
            self.client.step(other)
        self.assertEqual(self.client.value(other, "neighbour"), str(6 * 6 + 100))
        # Back over the barrier: what ran behind this line, in other warps too, did not happen.
        while self.client.line(thread) != self.LINES["own"]:
            self.client.step(thread, "stepBack")
        self.assertEqual(self.client.value(thread, "own[13]"), "0")
        self.assertEqual(self.client.value(thread, "own[19]"), "0")
        self.client.step(thread)
        self.assertEqual(self.client.value(thread, "own[13]"), str(13 * 13 + 100))
        self.client.set_lines("case.tesc")
        self.assertEqual(self.client.run_out(), 0)
        self.assertIn(self.result(), self.client.output)

    def test_others_run_as_ever(self):
        self.start("neighbours", "case.tesc", dict(line=self.LINES["theirs"]), patch=2)
        self.assertEqual(len(self.stops("neighbour")), 3)  # a stop for each warp
        self.assertIn(self.result(), self.client.output)


class Stores(Session):
    """Data breakpoints on memory: they stop before the store."""
    LINES = places("kStores")

    def begin(self):
        """Stops in the first line of the first workgroup. Returns its thread."""
        self.start("stores", "case.comp", dict(line=self.LINES["begin"]), workgroup=[0, 0, 0], invocation=0)
        return self.client.stopped("breakpoint")["threadId"]

    def info(self, thread, name, **more):
        frame = self.client.frames(thread)[0]["id"]
        return self.client.request("dataBreakpointInfo", name=name, frameId=frame, **more)

    def watch(self, thread, name, breakpoint={}, **more):
        """Watches one thing, in all invocations. Returns where it was stored to: workgroup, invocation, line."""
        info = self.info(thread, name, **more)
        self.assertTrue(info["dataId"], info)
        self.client.set_lines("case.comp")
        self.client.request("setDataBreakpoints", breakpoints=[dict(dataId=info["dataId"], **breakpoint)])
        self.client.request("continue", threadId=thread)
        names = {line: name for name, line in self.LINES.items()}
        return [(int(re.match(r"\((\d+)", group).group(1)), int(i), names[line])
                for group, i, line in self.stops("$workgroup", "$invocation", "line", reason="data breakpoint")]

    def begin_everywhere(self):
        """As begin(), with a filter that lets everything through."""
        self.start("stores", "case.comp", dict(line=self.LINES["begin"], condition="$invocation == 0u"),
                   which="each")
        return self.client.stopped("breakpoint")["threadId"]

    def test_an_element(self):
        self.assertEqual(self.watch(self.begin_everywhere(), "result.b[7]"),
                         [(g, 7, line) for g in range(3) for line in ("store", "again")])

    def test_only_what_the_filter_lets_through(self):
        self.assertEqual(self.watch(self.begin(), "result.b[0]"), [(0, 0, "store"), (0, 0, "again")])
        self.setUp()
        self.assertEqual(self.watch(self.begin(), "result.b[7]"), [])

    def test_bytes_behind_an_element(self):
        stores = self.watch(self.begin_everywhere(), "result.b[2]", bytes=6)
        self.assertEqual({i for _, i, _ in stores}, {2, 3})

    def test_bytes_of_a_memory_reference(self):
        thread = self.begin_everywhere()
        reference = self.client.request("evaluate", expression="result", context="watch",
                                        frameId=self.client.frames(thread)[0]["id"])["memoryReference"]
        stores = self.watch(thread, reference + "+35", asAddress=True, bytes=2)  # b[7]'s last byte, and b[8]'s first
        self.assertEqual({i for _, i, _ in stores}, {7, 8})

    def test_bytes_at_an_address(self):
        thread = self.begin_everywhere()
        known = self.info(thread, "result.b[4]")["dataId"]
        address = "0x" + known.split(":")[1]
        self.assertEqual({i for _, i, _ in self.watch(thread, address, asAddress=True)}, {4})

    def test_atomics(self):
        self.assertEqual([(i, line) for _, i, line in self.watch(self.begin_everywhere(), "result.count")],
                         3 * [(2, "atomic"), (7, "atomic"), (12, "atomic")])

    def test_a_texel(self):
        self.assertEqual([(i, line) for _, i, line in self.watch(self.begin_everywhere(), "picture(2, 1)")],
                         3 * [(6, "image")])

    def test_a_texel_of_a_layer(self):
        stores = self.watch(self.begin_everywhere(), "layers(1, 1, 1)")
        self.assertEqual({line for _, _, line in stores}, {"imageAtomic"})
        self.assertEqual({i % 2 for _, i, _ in stores}, {1})

    def test_conditions_and_hits(self):
        self.assertEqual(self.watch(self.begin_everywhere(), "result.b[7]",
                                    breakpoint=dict(condition="$workgroup.x == 2u")),
                         [(2, 7, "store"), (2, 7, "again")])
        self.setUp()
        self.assertEqual(self.watch(self.begin_everywhere(), "result.b[7]", breakpoint=dict(hitCondition="%4")),
                         [(1, 7, "again")])

    def test_back_to_the_store(self):
        thread = self.begin_everywhere()
        info = self.info(thread, "result.b[7]")
        self.client.set_lines("case.comp")
        self.client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        self.client.request("continue", threadId=thread)
        thread = self.client.stopped("data breakpoint")["threadId"]
        self.assertEqual(self.client.line(thread), self.LINES["store"])
        self.assertEqual(self.client.value(thread, "result.b[7]"), "0")
        self.client.step(thread)
        self.assertEqual(self.client.value(thread, "result.b[7]"), "21")
        self.client.request("reverseContinue", threadId=thread)
        stop = self.client.stopped("data breakpoint")
        self.assertEqual((stop["threadId"], self.client.line(thread)), (thread, self.LINES["store"]))
        self.assertEqual(self.client.value(thread, "result.b[7]"), "0")
        self.assertEqual(self.client.run_out(), 0)

    def test_what_cannot_be_watched_is_told(self):
        thread = self.begin()
        for name, more, why in (("nobody", {}, "no nobody here"), ("picture(1)", {}, "number of coordinates"),
                                ("picture(1, x)", {}, "whole numbers"), ("result(1, 2)", {}, "is no image"),
                                ("1/0:99999", dict(asAddress=True), "not known"),
                                ("0xzz", dict(asAddress=True), "no address")):
            info = self.info(thread, name, **more)
            self.assertIsNone(info["dataId"], name)
            self.assertIn(why, info["description"])
        self.client.request("continue", threadId=thread)
        self.assertEqual(self.client.run_out(), 0)


class Lines(Session):
    """Going back to lines, lines of SPIR-V, comparisons."""
    LINES = places("kStores")

    def begin(self, name):
        self.start("stores", "case.comp", dict(line=self.LINES[name]), workgroup=[0, 0, 0], invocation=3)
        return self.client.stopped("breakpoint")["threadId"]

    def end(self):
        self.assertEqual(self.client.run_out(), 0)

    def target(self, line):
        return self.client.request("gotoTargets", source={"path": "case.comp"}, line=line)["targets"]

    def test_back_to_a_line(self):
        thread = self.begin("atomic")
        target, = self.target(self.LINES["store"])
        self.assertEqual(target["line"], self.LINES["store"])
        self.assertEqual(self.client.value(thread, "result.b[3]"), "9")
        self.client.request("goto", threadId=thread, targetId=target["id"])
        stop = self.client.stopped("goto")
        self.assertEqual(stop["threadId"], thread)
        self.assertEqual(self.client.line(thread), self.LINES["store"])
        self.assertEqual(self.client.value(thread, "result.b[3]"), "0")
        self.end()

    def test_a_line_that_did_not_run_is_not_found(self):
        thread = self.begin("store")
        target, = self.target(self.LINES["again"])
        self.client.request("goto", threadId=thread, targetId=target["id"])
        self.client.stopped("entry")
        self.end()

    def test_targets_are_lines_with_code(self):
        thread = self.begin("store")
        self.assertEqual(self.target(1), [])
        for number in (0, 99):
            with self.assertRaisesRegex(dap_client.Refused, "no such target"):
                self.client.request("goto", threadId=thread, targetId=number)
        self.end()

    def listing(self):
        source = [s for s in self.client.request("loadedSources")["sources"] if s["name"].endswith(".spvasm")][0]
        text = self.client.request("source", sourceReference=source["sourceReference"])["content"]
        return source, text.split("\n")

    def test_instructions_of_spirv(self):
        thread = self.begin("begin")
        source, text = self.listing()
        atomic = next(n for n, line in enumerate(text, 1) if "OpAtomicIAdd" in line)
        set_to = self.client.request("setBreakpoints", source=source,
                                     breakpoints=[{"line": atomic, "mode": "spirv"}])["breakpoints"]
        self.assertEqual([(b["verified"], b["line"]) for b in set_to], [(True, atomic)])
        self.client.set_lines("case.comp")
        self.client.request("continue", threadId=thread)
        # Invocation 3 does not go there: another of the filter's does not exist, so nothing stops.
        self.assertIsNone(self.client.next_stop())

    def test_instructions_of_spirv_stop(self):
        thread = self.begin("begin")
        source, text = self.listing()
        write = next(n for n, line in enumerate(text, 1) if "OpImageWrite" in line)
        self.client.request("setBreakpoints", source=source, breakpoints=[{"line": write, "mode": "spirv"}])
        self.client.set_lines("case.comp")
        self.client.request("continue", threadId=thread)
        stop = self.client.stopped("instruction breakpoint")
        self.assertEqual(self.client.line(stop["threadId"]), self.LINES["image"])
        self.client.request("setBreakpoints", source=source, breakpoints=[])
        self.end()

    def test_lines_of_spirv_with_code(self):
        self.begin("begin")
        source, text = self.listing()
        where = self.client.request("breakpointLocations", source=source, line=1, endLine=len(text))["breakpoints"]
        self.assertTrue(any("OpImageWrite" in text[b["line"] - 1] for b in where))
        self.assertFalse(any("OpTypeInt" in text[b["line"] - 1] for b in where))
        with self.assertRaisesRegex(dap_client.Refused, "no mode 'spirv'"):
            self.client.request("setBreakpoints", source={"path": "case.comp"}, breakpoints=[{"line": 1, "mode": "spirv"}])
        self.end()

    def test_what_differs_between_invocations(self):
        thread = self.begin("store")
        differences = self.client.request("compare", threadId=thread, otherThreadId=thread + 2)["differences"]
        self.assertIn({"name": "id", "value": "3", "other": "5"}, differences)
        self.assertIn({"name": "mine", "value": "9", "other": "15"}, differences)
        self.assertEqual(self.client.request("compare", threadId=thread, otherThreadId=thread)["differences"], [])
        with self.assertRaisesRegex(dap_client.Refused, "stopped together"):
            self.client.request("compare", threadId=thread, otherThreadId=7)
        told = self.client.value(thread, "compare 5", context="repl").split("\n")
        self.assertIn("mine = 9, there 15", told)
        self.assertEqual(self.client.value(thread, "compare 3", context="repl"), "nothing differs")
        self.end()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
