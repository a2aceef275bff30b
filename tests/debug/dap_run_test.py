#!/usr/bin/env python3
"""The debug adapter from outside: where a program stops, and how it goes on from there, forward and back.

usage: dap_run_test.py ADAPTER SCENE DEMO DRIVER [unittest's options], as dap_session.py says.
"""
import os
import random
import sys
import time
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

    def test_hit_counts_that_mean_nothing_are_refused(self):
        thread = self.stop_at("barrier")
        frame = self.client.frames(thread)[0]
        data = self.client.request("dataBreakpointInfo", name="next", frameId=frame["id"])["dataId"]
        pointer = frame["instructionPointerReference"]
        for request, breakpoint in (("setFunctionBreakpoints", {"name": "twice"}),
                                    ("setInstructionBreakpoints", {"instructionReference": pointer, "offset": 1}),
                                    ("setDataBreakpoints", {"dataId": data})):
            for hits in ("often", "3 times", "!=2", " "):
                with self.assertRaisesRegex(dap_client.Refused, f"'{hits}' is no hit count"):
                    self.client.request(request, breakpoints=[dict(breakpoint, hitCondition=hits)])
            told = self.client.request(request, breakpoints=[dict(breakpoint, hitCondition=">= 1000")])["breakpoints"]
            self.assertTrue(told[0]["verified"], request)
        self.ends_as_ever()

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

    def test_of_functions_are_verified_when_their_shader_comes(self):
        self.launch("compute", stop={"workgroup": [0, 0, 0], "invocation": 3})
        set_ones = self.client.request("setFunctionBreakpoints",
                                       breakpoints=[{"name": "nobody"}, {"name": "twice"}])["breakpoints"]
        self.assertEqual([b["verified"] for b in set_ones], [False, False])
        self.client.start()
        changed = self.client.event("breakpoint")["breakpoint"]
        self.assertEqual((changed["id"], changed["verified"]), (set_ones[1]["id"], True))
        self.assertNotIn("line", changed)
        stop = self.client.stopped("function breakpoint")
        self.assertEqual(stop["hitBreakpointIds"], [set_ones[1]["id"]])
        self.assertFalse([e for e in self.client.events if e["event"] == "breakpoint"], "nobody is nowhere")
        again = self.client.request("setFunctionBreakpoints", breakpoints=[{"name": "twice"}, {"name": "nobody"}])
        self.assertEqual([b["verified"] for b in again["breakpoints"]], [True, False])
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

    def large(self, **more):
        """Stops a workgroup of 1,024 in its last invocation, and returns that."""
        self.lines = places("kLarge")
        self.launch("large", stop={"invocation": 1023}, **more)
        self.client.set_lines("case.comp", {"line": self.lines["large"]})
        self.client.start()
        stopped = self.client.stopped("breakpoint")
        self.assertTrue(stopped["allThreadsStopped"], "editors take the others for running otherwise")
        return stopped["threadId"]

    def test_a_workgroup_of_1024(self):
        thread = self.large()
        threads = self.client.request("threads")["threads"]
        self.assertEqual(len(threads), 1024)
        first = threads[0]["id"]
        self.assertEqual(thread, first + 1023)
        for line in ("other", "stored"):
            self.client.step(thread)
            while self.client.line(thread) < self.lines[line]:
                self.client.step(thread)
            self.assertEqual(self.client.line(thread), self.lines[line])
        self.assertEqual(self.client.value(thread, "other"), "0")
        self.assertEqual(self.client.value(first, "id"), "0")
        shared = self.client.variables(self.client.scope(thread, "Globals"))["all"]
        page = self.client.variables(shared["variablesReference"], start=1000, count=10)
        self.assertEqual([v["value"] for v in page.values()], [str(3 * i) for i in range(1000, 1010)])
        whole = self.client.variables(shared["variablesReference"])
        self.assertEqual([v["value"] for v in whole.values()], [str(3 * i) for i in range(1024)], "without a count it is all")
        self.client.step(thread, "stepBack")
        self.assertEqual(self.client.line(thread), self.lines["other"])
        self.ends_as_ever()

    def test_threads_in_pages(self):
        thread = self.large()
        whole = self.client.request("threads")
        self.assertEqual(whole["totalThreads"], 1024)
        for page, want in ((dict(start=0, count=10), range(10)), (dict(start=500, count=24), range(500, 524)),
                           (dict(start=1000, count=100), range(1000, 1024)), (dict(start=1023, count=1), range(1023, 1024)),
                           (dict(start=1024, count=5), []), (dict(start=2**40, count=2**40), []), (dict(start=1020), range(1020, 1024)),
                           (dict(count=3), range(3)), (dict(start=0, count=0), range(1024))):
            with self.subTest(page):
                answer = self.client.request("threads", **page)
                self.assertEqual(answer["threads"], [whole["threads"][i] for i in want])
                self.assertEqual(answer["totalThreads"], 1024)
        self.assertEqual(whole["threads"][517]["name"].split(" (at")[0], "workgroup (0, 0, 0), invocation 517")
        self.assertEqual(whole["threads"][-1]["id"], thread)
        self.ends_as_ever()

    def test_invocations_as_variables_in_pages(self):
        thread = self.large()
        frame = self.client.frames(thread)[0]["id"]
        scope = self.client.request("scopes", frameId=frame)["scopes"][-1]
        self.assertEqual((scope["name"], scope["indexedVariables"], scope["expensive"]), ("Invocations", 1024, True))
        reference = scope["variablesReference"]
        self.assertEqual(list(self.client.variables(reference)), [f"[{i}]" for i in range(1024)])
        for start, count, want in ((0, 3, range(3)), (515, 5, range(515, 520)), (1022, 9, range(1022, 1024)), (1024, 1, [])):
            page = self.client.variables(reference, start=start, count=count, filter="indexed")
            self.assertEqual(list(page), [f"[{i}]" for i in want])
        one = self.client.variables(reference, start=517, count=1)["[517]"]
        self.assertIn("invocation 517 (at a barrier)", one["value"])
        self.assertIn(f", line {self.lines['large']}", self.client.variables(reference, start=1023, count=1)["[1023]"]["value"])
        scopes = self.client.variables(one["variablesReference"])
        self.assertEqual(self.client.variables(scopes["Locals"]["variablesReference"])["id"]["value"], "517")
        self.assertEqual(self.client.variables(scopes["Invocation"]["variablesReference"])["$invocation"]["value"], "517")
        for reference in (reference, one["variablesReference"]):
            with self.assertRaises(dap_client.Refused):
                self.client.request("setVariable", variablesReference=reference, name="[517]", value="1")
        self.ends_as_ever()

    @unittest.skipIf(os.environ.get("ETZEL_TEST_TIMES") == "off", "this build is made to find mistakes, not to be fast")
    def test_steps_and_stops_take_no_time(self):
        """Ten times what they may take (latency.py) is noticed in any test run: the fastest of some counts. Where the machine is
        so busy that asking for the stack takes long, which is the same way and nothing to do, they may take longer too."""
        self.launch("frames", stop={"pixel": [100, 100]})
        self.client.set_lines("case.frag", {"line": 6})
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]

        def took(act):
            begin = time.perf_counter()
            act()
            return 1000 * (time.perf_counter() - begin)

        def go(command):
            self.client.request(command, threadId=thread)
            self.client.stopped()
            self.client.frames(thread)

        def within(command, milliseconds):
            taken, asked = [], []
            for i in range(10):
                taken.append(took(lambda: go(command)))
                asked.append(took(lambda: self.client.frames(thread)))
                if command == "continue":
                    self.client.set_lines("case.frag", {"line": 31 + i})
            self.assertLess(min(taken), milliseconds + 20 * min(asked))

        within("next", 50)
        within("stepBack", 200)
        self.client.set_lines("case.frag", {"line": 30})
        within("continue", 500)
        self.client.set_lines("case.frag")
        self.assertEqual(self.client.run_out(), 0)

    def test_code_gets_short_lists(self):
        for more, count in (({}, 64), ({"threads": 0}, 1024), ({"threads": 10}, 10)):
            with self.subTest(more):
                self.setUp()
                self.client.initialize = lambda: self.client.request("initialize", adapterID="etzel", clientID="vscode")
                self.large(**more)
                self.assertEqual(len(self.client.request("threads")["threads"]), min(count, 1024))
                self.ends_as_ever()

    def test_a_short_list_that_follows_who_is_looked_at(self):
        thread = self.large(threads=64)

        def listed():
            return [t["id"] & 4095 for t in self.client.request("threads")["threads"]]

        self.assertEqual(listed(), list(range(960, 1024)))
        self.assertEqual(len(self.client.request("threads", start=0)["threads"]), 1024, "who asks for pages gets them")
        frame = self.client.frames(thread)[0]["id"]
        answer = self.client.request("evaluate", expression="$thread 517", frameId=frame, context="repl")
        self.assertEqual(answer["result"], f"thread {thread - 1023 + 517}")
        stopped = self.client.stopped("goto")
        self.assertEqual(stopped["threadId"], thread - 1023 + 517)
        self.assertEqual(listed(), list(range(512, 576)))
        self.assertEqual(self.client.value(stopped["threadId"], "id"), "517")
        for wrong in ("$thread 1024", "$thread 4096000", "$thread -1", "$thread x"):
            with self.assertRaises(dap_client.Refused):
                self.client.request("evaluate", expression=wrong, frameId=frame, context="repl")
        while self.client.line(stopped["threadId"]) != self.lines["stored"]:  # who was not stopped is stepped
            self.client.step(stopped["threadId"])
        self.assertEqual(listed(), list(range(512, 576)))
        self.assertEqual(self.client.value(stopped["threadId"], "other"), "1518")
        self.ends_as_ever()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
