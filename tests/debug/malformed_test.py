#!/usr/bin/env python3
"""A driver that says what none says: whatever comes from its side, the adapter answers its editor, and lives on.

usage: malformed_test.py ADAPTER [unittest's options]
"""
import json
import random
import sys
import time
import unittest

import dap_client
from fake_driver import FakeDriver

ADAPTER = sys.argv[1]
DRAW = {"event": "draw", "draw": 1, "primitive": 0, "number": 3, "samples": 4, "covered": 15, "kept": 15, "killed": [],
        "earlyTests": True, "tests": [], "shader": [], "front": True, "instance": 2, "instances": 3,
        "images": [{"image": "image 0", "attachment": "color 0", "format": "x", "before": [[0]], "after": [[1]],
                    "fragmentsBefore": [0], "fragmentsAfter": [0], "tileBefore": "clear", "tileAfter": "general"}]}


class Malformed(unittest.TestCase):
    def attach(self, answers=None):
        self.driver = FakeDriver(dict({"modules": [], "filter": {}, "go": {}}, **(answers or {})))
        self.addCleanup(self.driver.close)
        self.client = dap_client.Client([ADAPTER, "--dap"])
        self.addCleanup(self.client.close)
        self.client.initialize()
        self.client.request("attach", address=f"unix:{self.driver.path}")
        self.client.event("initialized")
        self.client.start()

    def lives(self):
        """The adapter still serves, and still has its driver."""
        self.client.request("threads")
        with self.assertRaisesRegex(dap_client.Refused, "not supported"):
            self.client.request("fly")

    def test_events_of_wrong_types(self):
        self.attach()
        for event in ({"event": 3}, {"event": ["stopped"]}, {"event": "output", "text": 7},
                      {"event": "stopped", "thread": "x"}, {"event": "stopped", "stop": -1, "thread": []},
                      {"event": "stopped", "breakpoints": 4, "stop": 1, "thread": 4096},
                      {"event": "left", "stop": {}}, {"event": "module", "module": 5},
                      {"event": "module", "module": {"id": "a", "files": [1]}},
                      {"event": "module", "module": {"files": [{"name": []}]}},
                      {"event": "breakpoint", "breakpoint": []}, {"event": "breakpoint", "breakpoint": {"id": "x"}},
                      {"event": "past"}, {"event": "past", "stop": "x", "history": {}},
                      {"event": "past", "stop": 1, "history": 7}, {"event": "past", "stop": 1, "history": {"event": 2}}):
            with self.subTest(event):
                self.driver.say(json.dumps(event))
                self.lives()

    def test_what_cannot_be_shown_is_let_go(self):
        self.attach()
        self.driver.say(json.dumps({"event": "past", "stop": 9, "history": {"event": "draw"}}))
        # What the driver says and what the editor asks may come in either order.
        end = time.monotonic() + dap_client.TIMEOUT
        while ["continue", "9"] not in self.driver.asked and time.monotonic() < end:
            time.sleep(0.02)
        self.assertIn(["continue", "9"], self.driver.asked)
        self.lives()
        self.assertIn("the driver said what is not understood", self.client.output)

    def test_each_part_of_a_history_may_be_missing_or_anything(self):
        self.attach()
        self.driver.say(json.dumps({"event": "past", "stop": 1, "history": DRAW}))
        self.assertEqual(self.client.line(self.client.stopped()["threadId"]), 1, "as it is it can be shown")
        stop = 2
        for name in DRAW:
            for value in (None, 7, -1, "x", [], {}, [[]], 1e300, 10**18):
                for history in (dict(DRAW, **{name: value}), {k: v for k, v in DRAW.items() if k != name}):
                    self.driver.say(json.dumps({"event": "past", "stop": stop, "history": history}))
                    stop += 1
        for name in DRAW["images"][0]:
            for value in (None, 7, "x", [], {}, [7]):
                images = [dict(DRAW["images"][0], **{name: value})]
                self.driver.say(json.dumps({"event": "past", "stop": stop, "history": dict(DRAW, images=images)}))
                stop += 1
        self.lives()

    def test_answers_of_wrong_types_are_refused(self):
        for body in (None, 7, "x", [], {}, [7], {"id": 3}, [{"name": 1}], {"text": []}, {"events": 5, "next": "x"},
                     {"instructions": {}}, {"siblings": 4, "shaded": "x", "perSample": 1}):
            with self.subTest(body):
                self.attach({verb: body for verb in (
                    "modules", "stack", "scopes", "variables", "evaluate", "set", "watchable", "watchablepixel", "lines",
                    "functions", "instructions", "data", "history", "compare", "complete", "read", "write", "source",
                    "places", "disassemble", "threads", "siblings", "continue", "step", "restart", "goto", "faults")})
                for command, arguments in (
                        ("stackTrace", {}), ("scopes", {}), ("variables", {"variablesReference": 1 << 20 | 1}),
                        ("evaluate", {"expression": "x"}), ("evaluate", {"expression": "$history"}),
                        ("setVariable", {"variablesReference": 5, "name": "x", "value": "1"}),
                        ("dataBreakpointInfo", {"name": "x"}), ("dataBreakpointInfo", {"name": "x(1, 2)"}),
                        ("setDataBreakpoints", {"breakpoints": [{"dataId": "x"}]}),
                        ("setBreakpoints", {"source": {"path": "x"}, "breakpoints": [{"line": 1}]}),
                        ("etzel/pixelHistory", {}), ("etzel/siblings", {}), ("compare", {"otherThreadId": 1}),
                        ("completions", {"text": "x", "column": 1}), ("readMemory", {"memoryReference": "1/2", "count": 4}),
                        ("writeMemory", {"memoryReference": "1/2", "data": "AA=="}), ("source", {"sourceReference": 1001}),
                        ("breakpointLocations", {"source": {"path": "x"}, "line": 1}), ("modules", {}),
                        ("loadedSources", {}), ("disassemble", {"memoryReference": "0x100000", "instructionCount": 3}),
                        ("threads", {}), ("next", {}), ("restartFrame", {}), ("gotoTargets", {"source": {"path": "x"}, "line": 1})):
                    arguments.setdefault("threadId", 4096)
                    arguments.setdefault("frameId", 4096 * 64)
                    try:
                        self.client.request(command, **arguments)
                    except dap_client.Refused:
                        pass

    def test_lines_that_are_no_json(self):
        self.attach()
        generator = random.Random(4)
        for _ in range(300):
            line = bytes(generator.choice(b'{}[]",:\\eventidok0123 \xff\x00') for _ in range(generator.randrange(60)))
            self.driver.say(line.replace(b"\n", b""))
        for line in (b'{"id":"x","ok":true}', b'{"id":-1}', b'{"id":1e99,"ok":[]}', b'{"ok":true}', b"null", b"7", b'"x"'):
            self.driver.say(line)
        self.driver.say(b'{"event":' * 20)
        self.lives()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
