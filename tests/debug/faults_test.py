#!/usr/bin/env python3
"""Where a debugger stops because something goes wrong: texels, elements of buffers and of arrays that are not there, floats that
leave the numbers, aborts; and the specialization constants that one looks at there.

usage: faults_test.py ADAPTER SCENE DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import sys
import unittest

import dap_client

ADAPTER, SCENE, DRIVER = sys.argv[1:4]
BOUNDS = dap_client.places("faults_scene.cpp", "kBounds")
DEMOTED = dap_client.places("faults_scene.cpp", "kDemoted")
NUMBERS = dap_client.places("faults_scene.cpp", "kNumbers")


class Session(unittest.TestCase):
    def setUp(self):
        self.client = dap_client.Client([ADAPTER, "--dap"])
        self.addCleanup(self.client.close)

    def launch(self, what, *filters):
        self.client.launch(SCENE, what, driver=DRIVER, env={"ETZEL_THREADS": "1"}, stop={})
        self.client.request("setExceptionBreakpoints", filters=list(filters))

    def stops(self, lines):
        """Goes from stop to stop to the end: the name of each one's line, and its lane."""
        names = {line: name for name, line in lines.items()}
        found = []
        while stop := self.client.next_stop():
            self.assertEqual(stop["reason"], "exception")
            thread = stop["threadId"]
            found.append((names[self.client.line(thread)], int(self.client.value(thread, "$lane"))))
            self.client.request("continue", threadId=thread)
        return found


class Faults(Session):
    def test_texels_and_elements_that_are_not_there(self):
        self.launch("bounds", "bounds")
        self.client.start()
        # Of each instruction the first invocation: column 4 of 4, level 2 of 2, column 3 + 1, texel 8 of 8, row -1,
        # row 4 of 4, element 4 ^ 3 of 4.
        self.assertEqual(self.stops(BOUNDS), [("fetch", 4), ("level", 6), ("offset", 3), ("buffer", 6), ("load", 0),
                                              ("store", 4), ("array", 4)])

    def test_demoted_invocations_are_helpers(self):
        self.launch("demoted", "bounds")
        self.client.start()
        stop = self.client.next_stop()
        self.assertEqual(self.client.line(stop["threadId"]), DEMOTED["outside"])
        self.assertEqual(self.client.value(stop["threadId"], "at"), "(3, 3)")
        self.client.request("continue", threadId=stop["threadId"])
        self.assertIsNone(self.client.next_stop())

    def test_nothing_stops_where_nobody_asks(self):
        self.launch("bounds", "nan", "division")
        self.client.start()
        self.assertEqual(self.stops(BOUNDS), [])

    def test_numbers_become_infinite_and_infinities_nan(self):
        self.launch("numbers", "nan")
        self.client.start()
        # An infinity that stays one has appeared before.
        self.assertEqual(self.stops(NUMBERS), [("scaled", 5), ("difference", 5)])

    def test_aborts(self):
        self.launch("abort", "abort")
        self.client.start()
        stop = self.client.stopped("exception")
        thread = stop["threadId"]
        info = self.client.request("exceptionInfo", threadId=thread)
        self.assertEqual(info["description"], stop["text"])
        self.assertIn("aborts", info["description"])
        self.assertEqual(self.client.value(thread, "lane"), "5")
        self.assertEqual(self.client.value(thread, "word"), "15")
        self.client.request("continue", threadId=thread)
        self.assertIsNone(self.client.next_stop())
        self.assertEqual(self.client.event("exited")["exitCode"], 0)
        self.assertIn("workgroup (0, 0, 0), invocation 5 aborts: 0000000f\n", self.client.output)
        self.assertIn("the device is lost\n", self.client.output)


class Specialization(Session):
    def stop(self):
        self.launch("bounds")
        self.client.set_lines("case.comp", {"line": BOUNDS["fetch"]})
        self.client.start()
        return self.client.stopped("breakpoint")["threadId"]

    def test_constants_are_among_the_globals(self):
        thread = self.stop()
        told = self.client.variables(self.client.scope(thread, "Globals"))
        self.assertEqual((told["kColumns"]["value"], told["kColumns"]["type"]), ("6", "int"))
        self.assertEqual((told["kScale"]["value"], told["kScale"]["type"]), ("0.25", "float"))
        self.assertEqual(self.client.run_out(), 0)

    def test_constants_in_expressions(self):
        thread = self.stop()
        self.assertEqual(self.client.value(thread, "id % kColumns == 0 && kScale < 0.5"), "true")
        self.assertEqual(self.client.value(thread, "kColumns", context="hover"), "6")
        labels = {t["label"] for t in self.client.request("completions", frameId=self.client.frames(thread)[0]["id"],
                                                          text="kCol", column=5)["targets"]}
        self.assertEqual(labels, {"kColumns"})
        self.assertEqual(self.client.run_out(), 0)

    def test_constants_stay_what_they_are(self):
        thread = self.stop()
        with self.assertRaisesRegex(dap_client.Refused, "constant"):
            self.client.request("setVariable", variablesReference=self.client.scope(thread, "Globals"), name="kColumns",
                                value="3")
        self.assertEqual(self.client.value(thread, "kColumns"), "6")
        self.assertEqual(self.client.run_out(), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
