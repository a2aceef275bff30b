#!/usr/bin/env python3
"""The debug adapter from outside: what is seen, and changed, of a program that is stopped, in each stage.

usage: dap_look_test.py ADAPTER SCENE DEMO DRIVER [unittest's options], as dap_session.py says.
"""
import base64
import sys
import tempfile
import unittest
import zlib

import dap_client
from dap_session import DEMO, DRIVER, SUMS, Session, ordinary, places


class Cost(Session):
    """What a breakpoint looks at, and so what it costs, is counted: warps of eight fragments."""

    def looked_at(self, what, stop, line, hits):
        """So many warps the shader's breakpoint has been looked for in when it is hit for the given time."""
        self.launch(what, stop=stop)
        self.client.set_lines("case.frag", {"line": line, "hitCondition": str(hits)})
        self.client.start()
        self.client.stopped("breakpoint")
        return max(m["warpsLookedAt"] for m in self.client.request("modules")["modules"])

    def test_a_pixel_costs_its_block(self):
        # Each frame the block's eight warps, the last up to that of the pixel: (100, 100) is in the fifth quad pair.
        self.assertEqual(self.looked_at("frames", {"pixel": [100, 100]}, 66, hits=3), 2 * 8 + 6)

    def test_a_pixel_of_a_mesh_costs_its_block(self):
        # Of a block's warps each primitive there runs those that it covers: at most eight of each of the four layers.
        looked = self.looked_at("triangles", {"pixel": [100, 100]}, places("kTextured")["lit"], hits=8)
        self.assertLess(looked, 8 * 2 * 8 * 4)

    def test_nobody_stops_in_another_layer(self):
        self.launch("frames", stop={"layer": 1})
        self.client.set_lines("case.frag", {"line": 66})
        self.client.start()
        self.assertEqual(self.client.event("exited")["exitCode"], 0, self.client.output)
        self.assertFalse([e for e in self.client.events if e["event"] == "stopped"])


class Looking(Session):
    def test_threads_are_the_workgroup(self):
        thread = self.stop_at("behind")
        names = {t["id"]: t["name"] for t in self.client.request("threads")["threads"]}
        self.assertEqual(len(names), 16)
        self.assertEqual(names[thread], "workgroup (1, 0, 0), invocation 10")
        self.assertIn("at a barrier", names[thread - 10])

    def test_stack_pages(self):
        thread = self.stop_at("inside")
        whole = self.client.request("stackTrace", threadId=thread)
        self.assertEqual(whole["totalFrames"], 2)
        second = self.client.request("stackTrace", threadId=thread, startFrame=1, levels=1)["stackFrames"]
        self.assertEqual(second, whole["stackFrames"][1:])
        self.assertEqual(second[0]["line"], SUMS["call"])
        with self.assertRaises(dap_client.Refused):
            self.client.request("stackTrace", threadId=thread + 1000)

    def test_scopes_and_variables_in_pages(self):
        thread = self.stop_at("end")
        local = self.client.variables(self.client.scope(thread, "Locals"))
        self.assertEqual(local["mine"]["value"], "30")
        self.assertEqual(local["mine"]["type"], "uint")
        self.assertEqual(local["pair"]["namedVariables"], 2)
        pair = self.client.variables(local["pair"]["variablesReference"])
        self.assertEqual(pair["second"]["value"], "(10, 0.5)")
        self.assertEqual(self.client.variables(pair["second"]["variablesReference"])["x"]["value"], "10")
        self.assertEqual(local["grid"]["indexedVariables"], 100)
        page = self.client.variables(local["grid"]["variablesReference"], start=90, count=5)
        self.assertEqual(list(page), [f"[{i}]" for i in range(90, 95)])
        self.assertEqual(page["[93]"]["value"], "930")
        self.assertEqual(page["[93]"]["evaluateName"], "grid[93]")
        for scope in ("Invocation", "Registers", "Locals", "Invocations"):
            reference = self.client.scope(thread, scope)

            def names(**page):
                return [v["name"] for v in self.client.request("variables", variablesReference=reference, **page)["variables"]]

            whole = names()
            self.assertGreater(len(whole), 3)
            self.assertEqual(names(start=1, count=2), whole[1:3], scope)
            self.assertEqual(names(start=2), whole[2:], scope)
            self.assertEqual(names(start=len(whole), count=1), [], scope)
        around = self.client.variables(self.client.scope(thread, "Invocation"))
        self.assertEqual(around["$workgroup"]["value"], "(1, 0, 0)")
        self.assertTrue(self.client.variables(self.client.scope(thread, "Registers")))
        with self.assertRaises(dap_client.Refused):
            self.client.variables(99)

    def test_variables_of_callers(self):
        thread = self.stop_at("leaving")
        self.assertEqual(self.client.value(thread, "y"), "22")
        self.assertEqual(self.client.value(thread, "id", frame=1), "10")
        self.assertNotIn("id", self.client.variables(self.client.scope(thread, "Locals")))

    def test_evaluate(self):
        thread = self.stop_at("end")
        for text, value in (("mine + 1u", "31"), ("pair.second * 2.0", "(20, 1)"), ("pair.second.yx", "(0.5, 10)"),
                            ("all[3]", "16"), ("float(id) / 4.0", "2.5"), ("max(id, 12u)", "12"), ("base", "5"),
                            ("$invocation == id", "true"), ("grid[int(id)]", "100"), ("length(vec2(3, 4))", "5")):
            for context in ("hover", "watch", "repl"):
                self.assertEqual(self.client.value(thread, text, context=context), value, text)
        for text in ("nobody", "mine +", "pair + 1", ""):
            with self.assertRaises(dap_client.Refused):
                self.client.value(thread, text)
        computed = self.client.request("evaluate", expression="pair.second * 2.0", frameId=thread * 64)
        self.assertEqual(self.client.variables(computed["variablesReference"])["y"]["value"], "1")

    def test_set_variable_changes_what_the_program_does(self):
        thread = self.stop_at("loop", condition="i == 1u")
        changed = self.client.request("setVariable", variablesReference=self.client.scope(thread, "Locals"), name="next",
                                      value="mine * 100u")
        self.assertEqual(changed["value"], "3000")
        self.assertEqual(self.client.value(thread, "next"), "3000")
        with self.assertRaises(dap_client.Refused):
            self.client.request("setVariable", variablesReference=self.client.scope(thread, "Locals"), name="next",
                                value="vec2(1)")
        self.assertEqual(self.client.run_out(), 0)
        results = [int(w) for w in self.client.output.split()[1:]]
        usual = [int(w) for w in ordinary("compute").split()[1:]]
        # (3 + 5) * 2 + 0 before; 3000 + 1 + 2 after, and what hangs on it: grid[3003 % 100] = 3 * 10, grid[19] = 190.
        self.assertEqual(results[26] - usual[26], (3003 - 19) + (30 - 190))
        self.assertEqual(results[:26] + results[27:], usual[:26] + usual[27:])

    def test_set_variable_that_is_copied_for_the_debugger(self):
        thread = self.stop_at("behind")
        self.client.request("setVariable", variablesReference=self.client.scope(thread, "Locals"), name="mine", value="99u")
        self.assertEqual(self.client.run_out(), 0)
        results = [int(w) for w in self.client.output.split()[1:]]
        # Invocation 1 reads what invocation 10 has stored: 99 for 30; all see the sum of all.
        self.assertEqual(results[17], 99 + 3 + 469 + ((99 + 3) % 100) * 1 + 1)

    def test_set_expression(self):
        thread = self.stop_at("barrier")
        for text, value, shown in (("all[3]", "77u", "77"), ("counter", "1000", "1000")):
            changed = self.client.request("setExpression", expression=text, value=value, frameId=thread * 64)
            self.assertEqual(changed["value"], shown)
            self.assertEqual(self.client.value(thread, text), shown)
        for text in ("all[16]", "all[", "nobody", "mine.x", "1"):
            with self.assertRaises(dap_client.Refused):
                self.client.request("setExpression", expression=text, value="1", frameId=thread * 64)
        self.assertEqual(self.client.run_out(), 0)
        results = [int(w) for w in self.client.output.split()[1:]]
        self.assertEqual(results[:16] + results[32:], [int(w) for w in ordinary("compute").split()[1:]][:16] +
                         [int(w) for w in ordinary("compute").split()[1:]][32:])
        self.assertEqual(results[16 + 10], 77 + 3 + 1000 + (77 + 3) * 10 + 10)

    def test_restart_frame(self):
        thread = self.stop_at("leaving")
        self.client.request("restartFrame", frameId=self.client.frames(thread)[0]["id"])
        self.client.stopped("restart")
        self.assertEqual(self.client.line(thread), SUMS["inside"])
        self.client.request("restartFrame", frameId=self.client.frames(thread)[1]["id"])
        self.client.stopped("restart")
        self.assertEqual(self.client.line(thread), SUMS["begin"])
        self.ends_as_ever()

    def test_completions(self):
        thread = self.stop_at("end")
        targets = self.client.request("completions", frameId=thread * 64, text="1 + mi", column=7)["targets"]
        self.assertEqual({t["label"] for t in targets}, {"min", "mine", "mix"})

    def test_disassemble_pads_what_is_outside(self):
        thread = self.stop_at("begin")
        pointer = self.client.frames(thread)[0]["instructionPointerReference"]
        index = int(pointer, 16) & 0xfffff
        listing = self.client.request("disassemble", memoryReference=pointer, instructionOffset=-index - 2,
                                      instructionCount=index + 5)["instructions"]
        self.assertEqual(len(listing), index + 5)
        self.assertEqual([i.get("presentationHint") for i in listing[:3]], ["invalid", "invalid", None])
        self.assertEqual(listing[index + 2]["line"], SUMS["begin"])

    def test_registers_in_all_lanes(self):
        thread = self.stop_at("behind")
        registers = self.client.variables(self.client.scope(thread, "Registers"))
        self.assertEqual(registers["$running"]["value"], "lanes 0 1 2 3 4 5 6 7")
        lanes = self.client.variables(registers["r0.x"]["variablesReference"])
        self.assertEqual(list(lanes), [f"[{i}]" for i in range(8)])
        lane = int(self.client.value(thread, "$lane"))
        self.assertEqual(lanes[f"[{lane}]"]["value"], registers["r0.x"]["value"])
        self.assertRegex(lanes["[0]"]["value"], "^0x[0-9a-f]+ = ")

    def test_read_memory(self):
        thread = self.stop_at("end")
        outputs = self.client.variables(self.client.scope(thread, "Globals"))
        shared = next(v for v in outputs.values() if v["name"] == "all")
        read = self.client.request("readMemory", memoryReference=shared["memoryReference"], offset=4, count=8)
        words = base64.b64decode(read["data"])
        self.assertEqual([int.from_bytes(words[i:i + 4], "little") for i in (0, 4)], [12, 14])
        far = self.client.request("readMemory", memoryReference=shared["memoryReference"], offset=10**6, count=8)
        self.assertEqual((far["data"], far["unreadableBytes"]), ("", 8))
        with self.assertRaises(dap_client.Refused):
            self.client.request("readMemory", memoryReference="x", count=8)
        written = self.client.request("writeMemory", memoryReference=shared["memoryReference"], offset=12,
                                      data=base64.b64encode(bytes([5, 1, 0, 0])).decode())
        self.assertEqual(written["bytesWritten"], 4)
        self.assertEqual(self.client.value(thread, "all[3]"), "261")
        for offset, data in ((10**6, "AAAAAA=="), (-1, "AAAA"), (0, "?"), (2**40, "AAAA")):
            with self.assertRaises(dap_client.Refused):
                self.client.request("writeMemory", memoryReference=shared["memoryReference"], offset=offset, data=data)

    def test_memory_of_parts(self):
        thread = self.stop_at("end")
        outputs = self.client.variables(self.client.scope(thread, "Globals"))

        def word(reference, offset=0):
            read = self.client.request("readMemory", memoryReference=reference, offset=offset, count=4)
            return int.from_bytes(base64.b64decode(read["data"]), "little")

        elements = self.client.variables(outputs["all"]["variablesReference"])
        for i in (0, 3, 15):
            reference = elements[f"[{i}]"]["memoryReference"]
            self.assertEqual(word(reference), 10 + 2 * i)
        self.assertEqual(word(reference, -4), 10 + 2 * 14, "in front of the part there is more")
        self.assertEqual(word(outputs["all"]["memoryReference"], 60), 10 + 2 * 15)
        # The buffer has a structure around the array.
        frame = self.client.frames(thread)[0]["id"]
        part = self.client.request("evaluate", expression="result.b[9]", frameId=frame)["memoryReference"]
        self.client.request("writeMemory", memoryReference=part, offset=4,
                            data=base64.b64encode((4711).to_bytes(4, "little")).decode())
        self.assertEqual(self.client.value(thread, "result.b[10]"), "4711")
        self.assertEqual((word(part, 4), word(part, -36)), (4711, int(ordinary("compute").split()[1])))
        for offset in (-40, 64 * 4 - 36, -2**63, 2**63 - 1):
            read = self.client.request("readMemory", memoryReference=part, offset=offset, count=4)
            self.assertEqual((read["data"], read["unreadableBytes"]), ("", 4), offset)
            with self.assertRaises(dap_client.Refused):
                self.client.request("writeMemory", memoryReference=part, offset=offset, data="AAAA")
        for wrong in (":99999999", ":x", ":1:1", ":"):
            with self.assertRaisesRegex(dap_client.Refused, "not known"):
                self.client.request("readMemory", memoryReference=outputs["all"]["memoryReference"] + wrong, count=4)

    def test_sources_and_modules(self):
        self.stop_at("behind")
        modules = self.client.request("modules")
        self.assertEqual(modules["totalModules"], 1)
        self.assertEqual(modules["modules"][0]["name"], "compute shader 1, main")
        source = self.client.request("loadedSources")["sources"]
        self.assertEqual([s["name"] for s in source], ["case.comp", "shader-1.spvasm"])
        self.client.close()
        self.setUp()
        self.launch("compute", stopOnEntry=True)
        self.client.start()
        thread = self.client.stopped("entry")["threadId"]
        reference = self.client.frames(thread)[0]["source"]["sourceReference"]
        text = self.client.request("source", sourceReference=reference)["content"]
        self.assertIn("@barrier", text.split("\n")[SUMS["barrier"] - 1])
        # A breakpoint in a source that the driver has.
        set_ones = self.client.request("setBreakpoints", source={"sourceReference": reference},
                                       breakpoints=[{"line": SUMS["end"]}])["breakpoints"]
        self.assertTrue(set_ones[0]["verified"])
        self.client.request("continue", threadId=thread)
        self.client.stopped("breakpoint")


class Stages(Session):
    def stop_in(self, suffix, name, stop, condition=None):
        self.launch("draw", stop=stop)
        shader = {"vert": "kVertex", "tesc": "kControl", "tese": "kEvaluation", "geom": "kGeometry",
                  "frag": "kFragment"}[suffix]
        more = {"condition": condition} if condition else {}
        self.client.set_lines(f"case.{suffix}", dict(line=places(shader)[name], **more))
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]
        name = next(t["name"] for t in self.client.request("threads")["threads"] if t["id"] == thread)
        return thread, name

    def test_vertex(self):
        thread, name = self.stop_in("vert", "vertex", {"vertex": 2})
        self.assertEqual(name, "vertex 2, instance 0")
        self.client.step(thread)
        self.assertEqual(self.client.value(thread, "corner"), "(0, 1)")
        self.ends_as_ever()

    def test_tessellation_control(self):
        thread, name = self.stop_in("tesc", "control", {"invocation": 1})
        self.assertEqual(name, "patch 0, control point 1")
        self.assertEqual(self.client.value(thread, "corner[2]"), "(0, 1)")
        self.client.step(thread)
        outputs = self.client.variables(self.client.scope(thread, "Outputs"))
        self.assertEqual(outputs["point"]["value"], "[(0, 0), (1, 0), (0, 1)]")
        self.client.step(thread, "stepBack")
        self.assertEqual(self.client.value(thread, "point[1]"), "(0, 0)")
        for _ in range(3):
            self.client.step(thread)
        self.assertEqual(self.client.value(thread, "gl_TessLevelOuter[1] + gl_TessLevelInner[0]"), "2")  # the inner one is not set yet
        self.assertEqual(self.client.value(thread, "gl_out[1].gl_Position"), "(3, -1, 0, 1)")
        self.ends_as_ever()

    def test_tessellation_evaluation(self):
        thread, name = self.stop_in("tese", "evaluation", {}, "gl_TessCoord.x == 1.0")
        self.assertIn("at (1, 0, 0)", name)
        self.client.step(thread)
        self.assertEqual(self.client.value(thread, "where"), "(1, 0, 0)")
        self.ends_as_ever()

    def test_geometry_and_what_cannot_be_taken_back(self):
        thread, name = self.stop_in("geom", "geometry", {"primitive": 0}, "i == 1")
        self.assertEqual(name, "primitive 0, invocation 0")
        self.client.request("reverseContinue", threadId=thread)
        self.assertIn("nothing older", self.client.stopped("entry")["text"])
        self.assertEqual(self.client.value(thread, "i"), "0", "a vertex has been emitted: there is no way back over that")
        self.ends_as_ever()

    def test_geometry_over_emitted_vertices(self):
        thread, _ = self.stop_in("geom", "geometry", {"primitive": 0})
        self.client.set_lines("case.geom")
        line = self.client.line(thread)
        for i in range(3):
            self.assertEqual((self.client.line(thread), self.client.value(thread, "i")), (line, str(i)))
            self.client.step(thread)
            self.assertEqual(self.client.line(thread), line + 1)
            self.assertEqual(self.client.value(thread, "place"), self.client.value(thread, f"uv[{i}]"))
            self.client.step(thread)
            self.assertEqual(self.client.line(thread), line + 2, "the vertex has its values, and is not emitted yet")
            self.assertEqual(self.client.value(thread, "gl_Position"), self.client.value(thread, f"gl_in[{i}].gl_Position"))
            self.client.step(thread)
            self.assertNotEqual(self.client.line(thread), line + 2, "it is emitted")
            while i < 2 and self.client.line(thread) != line:
                self.client.step(thread)
        self.assertEqual(self.client.value(thread, "uv[0] != uv[1] && uv[1] != uv[2]"), "true")
        self.ends_as_ever()

    def test_fragment_of_one_sample(self):
        thread, name = self.stop_in("frag", "color", {"pixel": [12, 13], "sample": 2})
        self.assertEqual(name, "pixel (12, 13), sample 2")
        self.assertEqual(self.client.value(thread, "shade"), "0.5")
        self.assertEqual(self.client.value(thread, "$pixel"), "(12, 13)")
        self.ends_as_ever()

    def test_history_of_the_pixel(self):
        client = self.client
        thread, _ = self.stop_in("frag", "color", {"pixel": [12, 13], "sample": 2})
        self.assertIn("clear, load operation", client.value(thread, "$history", context="repl"))
        told = client.request("etzel/pixelHistory")
        self.assertEqual([e["event"] for e in told["events"]], ["clear"])
        self.assertEqual(told["events"][0]["images"][0]["after"], [[0, 0, 1, 1]] * 4)
        self.assertEqual(client.request("etzel/pixelHistory", since=told["next"])["events"], [])
        pixel = client.variables(client.scope(thread, "Pixel"))
        self.assertEqual(sorted(pixel), ["color 0, image 0", "events"])
        samples = client.variables(pixel["color 0, image 0"]["variablesReference"])
        self.assertEqual(samples["sample 3"]["value"], "(0, 0, 1, 1), fragment 0")
        self.assertEqual(client.variables(pixel["events"]["variablesReference"])["#0"]["value"], "load operation")
        for wrong in ({"x": -1, "y": 2}, {"x": 1, "y": 2, "sample": 99}):
            with self.assertRaisesRegex(dap_client.Refused, "means nothing"):
                client.request("etzel/pixelHistory", **wrong)
        self.assertIn("3,4 is recorded", client.value(thread, "$history 3,4", context="repl"))
        self.assertEqual(client.request("etzel/pixelHistory")["events"], [])
        self.assertIn("nothing is recorded", client.value(thread, "$history off", context="repl"))
        self.ends_as_ever()

    def test_past_the_shader_up_to_the_resolve(self):
        client = self.client
        thread, _ = self.stop_in("frag", "color", {"pixel": [12, 13], "sample": 2})
        pages = []
        for _ in range(12):
            thread = client.step(thread)["threadId"]
            frames = client.frames(thread)
            if frames[0]["name"] == "main":
                continue
            pages.append(frames[0]["name"])
            # What was turned lies below.
            if frames[0]["name"] != "resolve":
                self.assertEqual([f["name"] for f in frames], pages[::-1])
            values = {v["name"]: v["value"] for v in client.variables(client.scope(thread, frames[0]["name"])).values()}
            source = client.request("source", sourceReference=frames[0]["source"]["sourceReference"])["content"]
            self.assertEqual(source.split("\n")[frames[0]["line"] - 1], frames[0]["name"])
            if frames[0]["name"] == "coverage":
                self.assertEqual(values["covers"], "0 1 2 3")
                # At the place of sample 2: (12 + 2 / 16, 13 + 10 / 16) / 64.
                self.assertRegex(values["shader, color 0 of 2"], r"\(0\.1894\d*, 0\.2129\d*, 0\.5, 1\)")
                self.assertIn("draw 0, primitive", client.request("threads")["threads"][0]["name"])
                with self.assertRaisesRegex(dap_client.Refused, "comes behind it"):
                    client.value(thread, "shade")
            if frames[0]["name"].startswith("write"):
                self.assertEqual(values["sample 2"], "(0, 0, 1, 1) becomes (0.1882353, 0.21176471, 0.5019608, 1), fragment 2")
                client.step(thread, "stepBack")
                self.assertEqual(client.frames(thread)[0]["name"], pages[-2])
                client.step(thread)
            if frames[0]["name"] == "resolve":
                self.assertEqual(values["mode"], "AVERAGE")
                self.assertEqual(values["sample 2"], "(0.1882353, 0.21176471, 0.5019608, 1)")
                break
        self.assertEqual(pages, ["coverage", "depth and stencil, behind the shader", "write, color 0, image 0",
                                 "fragment mask, color 0", "tile", "resolve"])

    def test_what_only_fragment_shaders_have(self):
        lines = places("kPixels")
        self.launch("pixels", stop={"pixel": [4, 6]})
        self.client.set_lines("case.frag", dict(line=lines["mask"]))
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]

        def step(how="next"):
            self.client.step(thread, how)
            return self.client.line(thread)

        for line in range(lines["mask"] + 1, lines["last"] + 1):
            here = step()
            if here == lines["last"]:
                break
            self.assertLessEqual(abs(here - line), 2, "begin and endInvocationInterlock may be no lines of their own")
        self.assertEqual(here, lines["last"])

        def value(expression):
            return self.client.value(thread, expression)

        # Samples 0 and 2 of four lie in the left half of a pixel.
        self.assertEqual(value("mask"), str(0x0101))
        self.assertEqual((value("first"), value("second")), ("(1, 1, 1, 1)", "(0, 0, 0, 0)"))
        self.assertEqual(value("place"), "(4.5, 6.5)")
        self.assertEqual(value("centroid_"), "(4.5, 6.5)", "the pixel is covered")
        self.assertEqual(value("third"), "(4.125, 6.625)")
        self.assertEqual(value("aside"), "(4.75, 6.25)")
        # Texels around the middle of 16 x 16, counted row by row, as textureGather orders them.
        self.assertEqual([round(255 * float(value(f"four.{c}"))) for c in "xyzw"], [8 * 16 + 7, 8 * 16 + 8, 7 * 16 + 8, 7 * 16 + 7])
        # Of two quads: pixels 4 and 5 were drawn to in front of 4.5.
        self.assertGreater(float(value("sum")), 8)
        self.assertEqual(value("ballot != 0u"), "true")
        self.assertEqual(value("was"), "0")
        self.assertEqual(value(f"sums[{6 * 16 + 4}]"), str(0x0101))
        self.images(thread)
        # And all the way back, out of the interlock, over the atomic.
        while self.client.line(thread) != lines["mask"]:
            self.assertLess(step("stepBack"), lines["last"])
        self.assertEqual(value(f"sums[{6 * 16 + 4}]"), "0")
        self.ends_as_ever()

    def images(self, thread):
        """What is bound, texels, and a picture of them: texel (x, y) is y * 16 + x in all components."""
        def value(expression):
            return self.client.value(thread, expression)

        self.assertRegex(value("picture"), "^16 x 16, R8G8B8A8_UNORM; (NEAREST|LINEAR), levels ")
        self.assertRegex(value("drawn"), "^16 x 16, R8G8B8A8_UNORM, 4 samples; ")
        self.assertEqual(round(255 * float(value("picture(8, 9)")[1:].split(",")[0])), 9 * 16 + 8)
        self.assertEqual((value("drawn(4, 6, 0)"), value("drawn(4, 6, 1)")), ("(1, 1, 1, 1)", "(0, 0, 0, 0)"))
        frame = self.client.frames(thread)[0]["id"]
        scope = self.client.scope(thread, "Globals")
        self.assertEqual(self.client.variables(scope)["picture"]["__vscodeVariableMenuContext"], "etzelImage")
        for place in ({"frameId": frame}, {"variablesReference": scope}):
            picture = self.client.request("etzel/picture", expression="picture", **place)
            self.assertEqual((picture["mimeType"], picture["width"], picture["height"]), ("image/png", 16, 16))
            png = base64.b64decode(picture["data"])
            data = png.index(b"IDAT")
            rows = zlib.decompress(png[data + 4:data + 4 + int.from_bytes(png[data - 4:data], "big")])
            self.assertEqual(len(rows), 16 * (1 + 16 * 3))
            at = 9 * (1 + 16 * 3) + 1 + 8 * 3
            self.assertEqual(list(rows[at:at + 3]), [9 * 16 + 8] * 3)
        for wrong in ({"level": 1}, {"layer": 1}, {"sample": 1}, {"expression": "sums"}, {"expression": "picture["}):
            with self.assertRaises(dap_client.Refused):
                self.client.request("etzel/picture", **{"expression": "picture", "frameId": frame, **wrong})

    def test_pixel_of_the_demo(self):
        client = self.client
        with tempfile.TemporaryDirectory() as folder:
            client.launch(DEMO, "--output", folder, driver=DRIVER, stop={"pixel": [338, 171], "draw": 0})
            client.set_lines("/home/me/examples/common/lighting.glsl", {"line": 5})
            client.start()
            thread = client.stopped("breakpoint")["threadId"]
            frames = client.frames(thread)
            self.assertEqual([f["name"] for f in frames], ["light", "main"])
            self.assertEqual(frames[0]["source"]["path"], "/home/me/examples/common/lighting.glsl")
            self.assertAlmostEqual(float(client.value(thread, "length(n)")), 1, 5)
            client.set_lines("/home/me/examples/common/lighting.glsl")
            self.assertEqual(client.run_out(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
