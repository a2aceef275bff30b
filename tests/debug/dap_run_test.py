#!/usr/bin/env python3
"""The debug adapter from outside: where a program stops, and how it goes on from there, forward and back.

usage: dap_run_test.py ADAPTER SCENE DEMO DRIVER [unittest's options], as dap_session.py says.
"""
import random
import sys
import unittest

import dap_client
from dap_session import SUMS, Session, places

FAULTS = places("kFaults")


class Breakpoints(Session):
    def test_of_lines_are_verified_where_code_is(self):
        self.launch("compute", stop={"workgroup": [0, 0, 0], "invocation": 3})
        first = self.client.set_lines("/some/where/case.comp", {"line": SUMS["behind"]})[0]
        self.assertFalse(first["verified"])
        self.client.start()
        changed = self.client.event("breakpoint")["breakpoint"]
        self.assertEqual((changed["id"], changed["verified"], changed["line"]), (first["id"], True, SUMS["behind"]))
        stop = self.client.stopped("breakpoint")
        self.assertEqual(stop["hitBreakpointIds"], [first["id"]])
        frame = self.client.frames(stop["threadId"])[0]
        self.assertEqual((frame["line"], frame["name"]), (SUMS["behind"], "main"))
        # A line without code stops in the next one that has some.
        again = self.client.set_lines("/some/where/case.comp", {"line": SUMS["leaving"] + 2})[0]
        self.assertTrue(again["verified"])
        self.assertGreater(again["line"], SUMS["leaving"] + 2)
        self.ends_as_ever()

    def test_conditions(self):
        thread = self.stop_at("loop", stop={"workgroup": [2, 0, 0]}, condition="i == 2u && id == 5u")
        self.assertEqual(self.client.value(thread, "i * 10u + id"), "25")
        self.ends_as_ever()

    def test_hit_counts(self):
        thread = self.stop_at("loop", hitCondition="3")
        self.assertEqual(self.client.value(thread, "i"), "2")
        self.ends_as_ever()
        self.setUp()
        with self.assertRaisesRegex(dap_client.Refused, "no hit count"):
            self.stop_at("loop", hitCondition="often")

    def test_log_points(self):
        self.launch("compute", stop={"workgroup": [1, 0, 0], "invocation": 4})
        self.client.set_lines("case.comp", {"line": SUMS["loop"], "logMessage": "i is {i}, twice {i * 2u} {nobody}"})
        self.client.start()
        self.assertEqual(self.client.event("exited")["exitCode"], 0)
        for i in range(3):
            self.assertIn(f"i is {i}, twice {2 * i} <there is no nobody here>\n", self.client.output)

    def test_of_functions(self):
        self.launch("compute", stop={"workgroup": [3, 0, 0], "invocation": 15})
        self.assertEqual(len(self.client.request("setFunctionBreakpoints", breakpoints=[{"name": "twice"}])["breakpoints"]), 1)
        self.client.start()
        thread = self.client.stopped("function breakpoint")["threadId"]
        self.assertEqual([f["name"] for f in self.client.frames(thread)], ["twice", "main"])
        self.assertEqual(self.client.value(thread, "x"), "20")
        self.ends_as_ever()

    def test_of_functions_with_conditions_and_hits(self):
        def stops(**breakpoint):
            self.launch("compute", stop={"which": "each"})
            self.client.request("setFunctionBreakpoints", breakpoints=[dict(name="twice", **breakpoint)])
            self.client.start()
            found = []
            while stop := self.client.next_stop():
                self.assertEqual(stop["reason"], "function breakpoint")
                found.append((self.client.value(stop["threadId"], "$workgroup"), self.client.value(stop["threadId"], "x")))
                self.client.request("continue", threadId=stop["threadId"])
            return found
        self.assertEqual(stops(condition="x == 12u && $workgroup.x > 1u"), [("(2, 0, 0)", "12"), ("(3, 0, 0)", "12")])
        self.setUp()
        self.assertEqual(stops(hitCondition="%16"), [(f"({i}, 0, 0)", "20") for i in range(4)])

    def test_of_instructions_with_conditions_and_hits(self):
        for more, lane in (({"condition": "id == 13u"}, "13"), ({"hitCondition": "3"}, "2")):
            thread = self.stop_at("behind", stop={"workgroup": [1, 0, 0], "which": "each"}, condition="id == 0u")
            pointer = self.client.frames(thread)[0]["instructionPointerReference"]
            self.client.set_lines("case.comp")
            self.client.request("setInstructionBreakpoints",
                                breakpoints=[dict(instructionReference=pointer, offset=1, mode="isa", **more)])
            self.client.request("continue", threadId=thread)
            stop = self.client.stopped("instruction breakpoint")
            self.assertEqual(self.client.value(stop["threadId"], "id"), lane)
            self.ends_as_ever()
            self.setUp()

    def test_of_instructions(self):
        thread = self.stop_at("behind")
        pointer = self.client.frames(thread)[0]["instructionPointerReference"]
        listing = self.client.request("disassemble", memoryReference=pointer, instructionOffset=0, instructionCount=4)
        behind = listing["instructions"][2]["address"]
        set_ones = self.client.request("setInstructionBreakpoints", breakpoints=[
            {"instructionReference": pointer, "offset": 2}, {"instructionReference": "0x0"}])["breakpoints"]
        self.assertEqual([b["verified"] for b in set_ones], [True, False])
        self.client.request("continue", threadId=thread)
        self.client.stopped("instruction breakpoint")
        self.assertEqual(self.client.frames(thread)[0]["instructionPointerReference"], behind)
        self.ends_as_ever()

    def test_of_data_forward_and_back(self):
        thread = self.stop_at("barrier")
        info = self.client.request("dataBreakpointInfo", name="next", frameId=self.client.frames(thread)[0]["id"])
        self.assertEqual(info["accessTypes"], ["write"])
        nothing = self.client.request("dataBreakpointInfo", name="nobody", frameId=self.client.frames(thread)[0]["id"])
        self.assertIsNone(nothing["dataId"])
        self.client.set_lines("case.comp")
        self.client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        values = []
        for _ in range(3):
            self.client.request("continue", threadId=thread)
            self.assertEqual(self.client.stopped("data breakpoint")["threadId"], thread)
            values.append(self.client.value(thread, "next"))
        self.assertEqual(values, ["16", "17", "19"])  # (10 + 9) % 16 = 3; 2 * (3 + 5); + 1; + 2
        self.client.request("reverseContinue", threadId=thread)
        self.client.stopped("data breakpoint")
        self.assertEqual(self.client.value(thread, "next"), "17")
        self.ends_as_ever()

    def test_of_data_with_a_condition_of_its_own_invocation(self):
        thread = self.stop_at("barrier")
        info = self.client.request("dataBreakpointInfo", name="next", frameId=self.client.frames(thread)[0]["id"])
        self.client.set_lines("case.comp")
        self.client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "condition": "next == 17u"}])
        self.client.request("continue", threadId=thread)
        self.assertEqual(self.client.stopped("data breakpoint")["threadId"], thread)
        self.assertEqual(self.client.value(thread, "next"), "17")
        self.ends_as_ever()

    def test_of_faults(self):
        for name in ("nan", "division", "bounds"):
            with self.subTest(name):
                self.setUp()
                self.launch("faults")
                self.client.request("setExceptionBreakpoints", filters=[name])
                self.client.start()
                stop = self.client.stopped("exception")
                self.assertEqual(self.client.line(stop["threadId"]), FAULTS[name])
                info = self.client.request("exceptionInfo", threadId=stop["threadId"])
                self.assertEqual(info["description"], stop["text"])
                expected = {"nan": "0", "division": "3", "bounds": "1"}[name]
                self.assertEqual(self.client.value(stop["threadId"], "$lane"), expected)
                self.ends_as_ever()

    def test_that_the_shader_has_itself(self):
        self.launch("faults")
        self.client.request("setExceptionBreakpoints", filters=["break"])
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]
        self.assertEqual(self.client.line(thread), FAULTS["break"])
        self.assertEqual(self.client.value(thread, "id"), "5")
        self.client.step(thread)
        self.assertEqual(self.client.line(thread), FAULTS["bounds"])
        self.ends_as_ever()

    def test_of_discard(self):
        self.launch("draw")
        self.client.request("setExceptionBreakpoints", filters=["discard"])
        self.client.start()
        thread = self.client.stopped("exception")["threadId"]
        self.assertEqual(self.client.line(thread), places("kFragment")["discard"])
        self.assertEqual(self.client.value(thread, "place.x + place.y > 0.7"), "true")
        self.ends_as_ever()

    def test_locations(self):
        self.stop_at("behind")
        found = self.client.request("breakpointLocations", source={"path": "case.comp"}, line=1, endLine=SUMS["leaving"])
        self.assertEqual([b["line"] for b in found["breakpoints"]], [SUMS["inside"], SUMS["leaving"]])


class Steps(Session):
    def test_over_into_and_out(self):
        thread = self.stop_at("call")
        self.client.step(thread, "stepIn")
        self.assertEqual(self.client.line(thread), SUMS["inside"])
        self.client.step(thread)
        self.assertEqual(self.client.line(thread), SUMS["leaving"])
        self.client.step(thread, "stepOut")
        self.assertEqual([f["name"] for f in self.client.frames(thread)], ["main"])
        self.client.step(thread)
        self.assertEqual(self.client.line(thread), SUMS["behind"])
        self.client.step(thread, "stepBack")
        self.assertEqual(self.client.line(thread), SUMS["call"])
        self.client.step(thread)
        self.assertEqual(self.client.line(thread), SUMS["behind"], "what was called is stepped over")
        before = self.client.frames(thread)[0]["instructionPointerReference"]
        self.client.step(thread, granularity="instruction")
        self.assertEqual(int(self.client.frames(thread)[0]["instructionPointerReference"], 16), int(before, 16) + 1)
        self.client.step(thread, "stepBack", granularity="instruction")
        self.assertEqual(self.client.frames(thread)[0]["instructionPointerReference"], before)
        self.ends_as_ever()

    def test_over_barriers_and_back(self):
        thread = self.stop_at("call")
        lines = []
        for _ in range(4):
            self.client.step(thread)
            lines.append(self.client.line(thread))
        self.assertEqual(lines[-1], SUMS["barrier"])
        self.assertEqual(self.client.value(thread, "counter"), str(sum(2 * (i + 5) for i in range(16))))
        for line in lines[-2::-1]:
            self.client.step(thread, "stepBack")
            self.assertEqual(self.client.line(thread), line)
        self.ends_as_ever()

    def test_reverse_continue_to_a_breakpoint_and_to_the_beginning(self):
        thread = self.stop_at("end")
        self.client.set_lines("case.comp", {"line": SUMS["inside"]})
        self.client.request("reverseContinue", threadId=thread)
        self.client.stopped("breakpoint")
        self.assertEqual(self.client.line(thread), SUMS["inside"])
        self.client.set_lines("case.comp")
        self.client.request("reverseContinue", threadId=thread)
        self.assertIn("nothing older", self.client.stopped("entry")["text"])
        self.ends_as_ever()

    def test_a_hundred_random_steps_leave_the_same_bytes(self):
        generator = random.Random(11)
        thread = self.stop_at("begin")
        self.client.set_lines("case.comp")
        for _ in range(100):
            how = generator.choice(["next", "stepIn", "stepOut", "stepBack", "stepBack"])
            granularity = generator.choice(["statement", "instruction"])
            try:
                self.client.request(how, threadId=thread, granularity=granularity)
            except dap_client.Refused:
                break  # it has run to its end
            if not self.client.next_stop():
                break
        self.ends_as_ever()

    def test_pause(self):
        self.launch("compute")
        self.client.request("pause", threadId=1)
        self.client.start()
        self.client.stopped("pause")
        self.ends_as_ever()

    def test_two_queues_and_two_devices_are_two_sets_of_threads(self):
        for what in ("queues", "devices"):
            with self.subTest(what):
                self.setUp()
                self.two_at_once(what)

    def two_at_once(self, what):
        self.launch(what, stop={"invocation": 2})
        self.client.set_lines("case.comp", {"line": SUMS["call"]})
        self.client.start()
        stops = [self.client.stopped("breakpoint")["threadId"] for _ in range(2)]
        self.assertEqual(len({t >> 12 for t in stops}), 2, "two queues are two sets of threads")
        self.assertEqual(len(self.client.request("threads")["threads"]), 32)
        for thread in stops:
            self.client.step(thread)
            self.assertEqual(self.client.line(thread), SUMS["behind"])
        answer = self.client.request("continue", threadId=stops[0], singleThread=True)
        self.assertFalse(answer["allThreadsContinued"])
        self.assertEqual(self.client.line(stops[1]), SUMS["behind"])
        self.ends_as_ever()

    def test_a_workgroup_of_1024(self):
        lines = places("kLarge")
        self.launch("large", stop={"invocation": 1023})
        self.client.set_lines("case.comp", {"line": lines["large"]})
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]
        threads = self.client.request("threads")["threads"]
        self.assertEqual(len(threads), 1024)
        self.assertEqual(len({t["name"].split(" (")[0] for t in threads}), 1)
        first = threads[0]["id"]
        self.assertEqual(thread, first + 1023)
        for line in ("other", "stored"):
            self.client.step(thread)
            while self.client.line(thread) < lines[line]:
                self.client.step(thread)
            self.assertEqual(self.client.line(thread), lines[line])
        self.assertEqual(self.client.value(thread, "other"), "0")
        self.assertEqual(self.client.value(first, "id"), "0")
        shared = self.client.variables(self.client.scope(thread, "Globals"))["all"]
        page = self.client.variables(shared["variablesReference"], start=1000, count=10)
        self.assertEqual([v["value"] for v in page.values()], [str(3 * i) for i in range(1000, 1010)])
        self.client.step(thread, "stepBack")
        self.assertEqual(self.client.line(thread), lines["other"])
        self.ends_as_ever()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
