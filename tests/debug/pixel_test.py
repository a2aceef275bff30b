#!/usr/bin/env python3
"""What a debugger stops at behind shaders: writes of a pixel's attachments by whatever command, changes of its fragment
mask, transfers to memory; and the invocations of a pixel's other samples.

usage: pixel_test.py ADAPTER SCENE DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import subprocess
import sys
import unittest

import dap_client

ADAPTER, SCENE, DRIVER = sys.argv[1:4]
PIXEL = [5, 5]


def places(shader):
    return dap_client.places("pixel_scene.cpp", shader)


class Session(unittest.TestCase):
    def setUp(self):
        self.client = dap_client.Client([ADAPTER, "--dap"])
        self.addCleanup(self.client.close)

    def launch(self, what, **stop):
        self.what = what
        self.client.launch(SCENE, what, driver=DRIVER, stop=stop, env={"ETZEL_THREADS": "2"})

    def ends_as_ever(self):
        ordinary = subprocess.run([SCENE, self.what], env=dap_client.environment(DRIVER), check=True, capture_output=True,
                                  text=True).stdout
        self.assertEqual(self.client.run_out(), 0, self.client.output)
        self.assertEqual(self.client.output, ordinary)

    def watch(self, *names, **more):
        """Data breakpoints by name. Returns what the adapter says of each."""
        breakpoints = []
        for name in names:
            info = self.client.request("dataBreakpointInfo", name=name)
            self.assertIsNotNone(info["dataId"], info)
            self.assertEqual(info["accessTypes"], ["write"])
            breakpoints.append(dict(dataId=info["dataId"], **more))
        return self.client.request("setDataBreakpoints", breakpoints=breakpoints)["breakpoints"]

    def stops(self):
        """Goes from stop to stop up to the end: what each says, and what wrote the pixel there."""
        told = []
        while stop := self.client.next_stop():
            frames = self.client.frames(stop["threadId"])
            told.append((stop["reason"], frames[0]["source"]["name"], frames[0]["name"]))
            self.client.request("continue", threadId=stop["threadId"])
        return told


class Writes(Session):
    def test_of_an_attachment_by_clears_draws_and_resolves(self):
        self.launch("writes")
        self.assertTrue(all(b["verified"] for b in self.watch("pixel(5, 5)")))
        self.client.start()
        told = self.stops()
        self.assertTrue(all(reason == "data breakpoint" for reason, _, _ in told))
        self.assertEqual([title for _, title, _ in told],
                         ["load operation", "draw 1, primitive 0", "draw 2, primitive 0", "resolve of image 1",
                          "vkCmdClearColorImage", "vkCmdCopyImage", "vkCmdCopyMemoryToImageIndirectKHR"])

    def test_of_one_sample(self):
        self.launch("writes")
        self.watch("color 0(5, 5, 1)")  # the first draw covers samples 0 and 2
        self.client.start()
        self.assertEqual([title for _, title, _ in self.stops()], ["load operation", "draw 2, primitive 0"])

    def test_of_an_image_by_its_name(self):
        self.launch("writes")
        self.watch("image 0(5, 5)")
        self.client.start()
        self.assertEqual([title for _, title, _ in self.stops()], ["resolve of image 1"])

    def test_hit_counts(self):
        self.launch("writes")
        self.watch("pixel(5, 5)", hitCondition="3")
        self.client.start()
        self.assertEqual([title for _, title, _ in self.stops()], ["draw 2, primitive 0"])

    def test_pages_say_what_was_written(self):
        self.launch("writes")
        self.watch("pixel(5, 5)", hitCondition="2")
        self.client.start()
        thread = self.client.stopped("data breakpoint")["threadId"]
        frames = self.client.frames(thread)
        self.assertEqual(frames[0]["name"], "write, color 0, image 1")
        values = self.client.variables(self.client.scope(thread, frames[0]["name"]))
        self.assertEqual(values["sample 0"]["value"], "(0, 0, 1, 1) becomes (0, 1, 0, 1), fragment 1")
        self.assertTrue(values["sample 1"]["value"].startswith("(0, 0, 1, 1) stays"))
        self.ends_as_ever()

    def test_one_pixel_at_a_time(self):
        self.launch("writes")
        first, second = self.watch("pixel(5, 5)", "pixel(6, 5)")
        self.assertTrue(first["verified"])
        self.assertFalse(second["verified"])
        self.assertIn("pixel (5, 5) is recorded", second["message"])
        self.assertIn("no invocation", self.watch("pixel(5, 5)", condition="x > 0")[0]["message"])
        self.client.start()
        self.assertEqual(self.client.event("exited")["exitCode"], 0)

    def test_names_that_mean_nothing(self):
        self.launch("writes")
        for name in ("color 0(5)", "color 0(5, x)", "(", "pixel(1, 2, 99)", "mask(1, 2, 3)", "color 0"):
            info = self.client.request("dataBreakpointInfo", name=name)
            self.assertIsNone(info["dataId"], name)
            self.assertTrue(info["description"])

    def test_out_of_the_scope_of_the_pixel(self):
        self.launch("served", pixel=PIXEL)
        self.client.set_lines("case.frag", {"line": places("kServed")["color"]})
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]
        scope = self.client.scope(thread, "Pixel")
        whole = self.client.request("dataBreakpointInfo", variablesReference=scope, name="color 0, image 1")
        self.assertIn("what is written of color 0, image 1 at pixel (5, 5)", whole["description"])
        parts = self.client.variables(scope)["color 0, image 1"]["variablesReference"]
        self.assertEqual(self.client.variables(parts)["fragment mask"]["value"], "(0, 0, 0, 0)")
        for name, description in (("sample 2", "sample 2 of"), ("fragment mask", "the fragment mask of")):
            info = self.client.request("dataBreakpointInfo", variablesReference=parts, name=name)
            self.assertIn(description, info["description"])
        self.client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        self.client.request("continue", threadId=thread)
        stop = self.client.stopped("data breakpoint")
        self.assertEqual(stop["text"], "the fragment mask of color 0, image 1 at pixel (5, 5) has changed")
        self.ends_as_ever()


class Masks(Session):
    def test_stop_where_the_mask_changes(self):
        self.launch("writes", pixel=PIXEL, mask="changes")
        self.client.start()
        # Blue in all; green in samples 0 and 2; red in all.
        told = self.stops()
        self.assertEqual(told, [("fragment mask", "draw 1, primitive 0", "fragment mask, color 0"),
                                ("fragment mask", "draw 2, primitive 0", "fragment mask, color 0")])

    def test_by_a_data_breakpoint(self):
        self.launch("writes")
        self.watch("mask of color 0(5, 5)", hitCondition="2")
        self.client.start()
        thread = self.client.stopped("data breakpoint")["threadId"]
        values = self.client.variables(self.client.scope(thread, "fragment mask, color 0"))
        self.assertEqual({n: v["value"] for n, v in values.items()},
                         {"fragment 0": "of 1 3, now of 0 1 2 3", "fragment 1": "freed, was of 0 2"})
        self.ends_as_ever()

    def test_needs_a_pixel(self):
        self.launch("writes", mask="changes")
        self.client.start()
        self.assertEqual(self.client.event("exited")["exitCode"], 0)
        self.assertIn("mask=changes is about a pixel", self.client.output)


class Transfers(Session):
    def test_to_a_buffer(self):
        self.launch("writes", invocation=3)
        self.client.set_lines("case.comp", {"line": places("kWords")["word"]})
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]
        frame = self.client.frames(thread)[0]["id"]
        info = [self.client.request("dataBreakpointInfo", name=f"result.b[{i}]", frameId=frame) for i in (1, 3)]
        self.client.set_lines("case.comp")
        self.client.request("setDataBreakpoints", breakpoints=[{"dataId": i["dataId"]} for i in info])
        self.client.request("continue", threadId=thread)
        stop = self.client.stopped("data breakpoint")
        self.assertEqual(self.client.line(stop["threadId"]), places("kWords")["word"], "the shader's own store")
        self.client.request("continue", threadId=thread)
        self.assertEqual([title for _, title, _ in self.stops()], ["vkCmdFillBuffer", "vkCmdCopyBuffer"])


class Locations(Session):
    def test_in_the_history(self):
        self.launch("locations")
        self.watch("color 0(2, 2)", hitCondition="2")
        self.client.start()
        thread = self.client.stopped("data breakpoint")["threadId"]
        draw = self.client.request("etzel/pixelHistory")["events"][-1]
        self.assertEqual([(c["location"], c["value"], c["attachment"]) for c in draw["shader"][0]["colors"]],
                         [(0, [1, 0, 0, 1], "color 1"), (1, [0, 1, 0, 1], "color 0")])
        images = {i["attachment"]: i for i in draw["images"]}
        self.assertEqual(images["color 0"]["after"][0], [0, 1, 0, 1])
        self.assertEqual(images["color 1"]["after"][0], [1, 0, 0, 1])
        self.assertTrue(all(i["written"] for i in images.values()))
        text = self.client.value(thread, "$history", context="repl")
        self.assertIn("color 0 to color 1 = (1, 0, 0, 1)", text)
        self.ends_as_ever()


class Siblings(Session):
    def stop(self, what, shader, name, **stop):
        self.launch(what, pixel=PIXEL, **stop)
        self.client.set_lines("case.frag", {"line": places(shader)[name]})
        self.client.start()
        return self.client.stopped("breakpoint")["threadId"]

    def others(self, thread):
        told = self.client.request("etzel/siblings", threadId=thread)
        return {s["sample"]: s["threadId"] for s in told["siblings"]}, told["text"]

    def test_are_threads_that_stand_where_the_stopped_one_does(self):
        thread = self.stop("samples", "kSamples", "branch", sample=1)
        all_, text = self.others(thread)
        self.assertEqual(sorted(all_), [0, 1, 2, 3])
        self.assertEqual(all_[1], thread)
        self.assertIn(f"sample 1: thread {thread}, this one", text)
        names = {t["id"]: t["name"] for t in self.client.request("threads")["threads"]}
        for sample, other in all_.items():
            self.assertEqual(names[other], f"pixel (5, 5), sample {sample}")
            self.assertEqual(self.client.line(other), places("kSamples")["branch"])
            self.assertEqual(self.client.value(other, "own"), str(sample))
            self.assertEqual(self.client.value(other, "$sample"), str(sample))
            self.assertEqual(float(self.client.value(other, "sum")), sum(i * 0.5 + 0.25 for i in range(sample + 1)))
        # Standard sample locations.
        self.assertEqual(self.client.value(all_[2], "place"), "(5.125, 5.625)")
        self.ends_as_ever()

    def test_are_compared(self):
        thread = self.stop("samples", "kSamples", "branch", sample=0)
        all_, _ = self.others(thread)
        told = self.client.request("compare", threadId=thread, otherThreadId=all_[3])["differences"]
        differ = {d["name"]: (d["value"], d["other"]) for d in told}
        self.assertEqual(differ["own"], ("0", "3"))
        self.assertEqual(differ["sum"], ("0.25", "4"))
        self.assertIn("own = 0, there 3", self.client.value(thread, f"compare {all_[3]}", context="repl"))
        self.ends_as_ever()

    def test_step_by_themselves_forward_and_back(self):
        client = self.client
        thread = self.stop("samples", "kSamples", "branch", sample=0)
        all_, _ = self.others(thread)
        line = places("kSamples")["branch"]
        stop = client.step(all_[2])
        self.assertEqual(stop["threadId"], all_[2])
        self.assertEqual(client.line(all_[2]), line + 1)
        self.assertEqual(client.value(all_[2], "sum"), "3.25", "the branch is for sample 2")
        self.assertEqual(client.line(thread), line, "the invocation that is stopped stays")
        client.step(all_[2], "stepBack")
        self.assertEqual((client.line(all_[2]), client.value(all_[2], "sum")), (line, "2.25"))
        for _ in range(8):
            stop = client.step(all_[2])
            if "as far as it goes" in stop.get("text", ""):
                break
        self.assertIn("as far as it goes", stop["text"])
        for how in ("restartFrame", "goto"):
            with self.assertRaises(dap_client.Refused):
                client.request(how, frameId=all_[2] * 64, targetId=1, threadId=all_[2])
        client.request("continue", threadId=all_[2])
        self.ends_as_ever()

    def test_in_loops_stand_in_the_same_round(self):
        thread = self.stop("samples", "kSamples", "loop", sample=3)
        self.client.request("continue", threadId=thread)
        self.client.stopped("breakpoint")
        self.assertEqual(self.client.value(thread, "i"), "1")
        all_, _ = self.others(thread)
        self.assertEqual(self.client.value(all_[2], "i"), "1")
        # Sample 0 has one round only: it has run to its end.
        self.assertEqual(self.client.value(all_[2], "sum"), "0.25")
        self.ends_as_ever()

    def test_store_nothing(self):
        thread = self.stop("stores", "kStoring", "twice", sample=0)
        all_, _ = self.others(thread)
        for other in all_.values():
            if other == thread:
                continue
            for _ in range(6):
                if "as far as it goes" in self.client.step(other).get("text", ""):
                    break
            self.assertEqual(self.client.line(other), places("kStoring")["store"])
        self.ends_as_ever()

    def test_without_sample_shading_one_invocation_serves_all(self):
        thread = self.stop("served", "kServed", "color")
        all_, text = self.others(thread)
        self.assertEqual((all_, text), ({}, "one invocation serves samples 0 2"))
        self.assertEqual(self.client.value(thread, "$samples"), "5")
        self.ends_as_ever()

    def test_of_no_recorded_pixel(self):
        self.launch("served")
        self.client.set_lines("case.frag", {"line": places("kServed")["color"]})
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]
        with self.assertRaisesRegex(dap_client.Refused, "history is recorded"):
            self.client.request("etzel/siblings", threadId=thread)
        self.ends_as_ever()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
