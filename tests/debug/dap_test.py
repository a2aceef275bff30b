#!/usr/bin/env python3
"""Tests of the debug adapter from outside, on real programs through the loader.

usage: dap_test.py ADAPTER SCENE DEMO DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import base64
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom
import zipfile

import dap_client

ADAPTER, SCENE, DEMO, DRIVER = sys.argv[1:5]
SCENE_SOURCE = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.cpp")).read()


def places(shader):
    """Lines of a shader in scene.cpp by the names in their comments."""
    text = re.search(r'const char\* const %s = R"\((.*?)\)";' % shader, SCENE_SOURCE, re.S).group(1)
    found = {}
    for number, line in enumerate(text.split("\n"), 1):
        if match := re.search(r"// @(\w+)", line):
            found[match.group(1)] = number
    return found


SUMS = places("kSums")
FAULTS = places("kFaults")
ORDINARY = {}


def environment(**more):
    return dict(os.environ, VK_DRIVER_FILES=DRIVER, VK_ICD_FILENAMES=DRIVER, **more)


def ordinary(what):
    """What the scene prints without a debugger."""
    if what not in ORDINARY:
        ORDINARY[what] = subprocess.run([SCENE, what], env=environment(), check=True, capture_output=True,
                                        text=True).stdout
    return ORDINARY[what]


class Session(unittest.TestCase):
    def setUp(self):
        self.client = dap_client.Client([ADAPTER, "--dap"])
        self.addCleanup(self.client.close)

    def launch(self, what, **more):
        more.setdefault("stop", {})
        more.setdefault("env", {"ETZEL_THREADS": "1"})
        self.what = what
        self.client.launch(SCENE, what, driver=DRIVER, **more)

    def ends_as_ever(self):
        self.assertEqual(self.client.run_out(), 0, self.client.output)
        self.assertEqual(self.client.output, ordinary(self.what))

    def stop_at(self, name, **more):
        """Stops the sums at a place, in one invocation. Returns its thread."""
        stop = more.pop("stop", {"workgroup": [1, 0, 0], "invocation": 10})
        self.launch("compute", stop=stop)
        self.client.set_lines("case.comp", dict(line=SUMS[name], **more))
        self.client.start()
        return self.client.stopped("breakpoint")["threadId"]


class Protocol(Session):
    def test_initialize_tells_capabilities(self):
        body = self.client.initialize()
        for name in ("supportsStepBack", "supportsLogPoints", "supportsDataBreakpoints", "supportsReadMemoryRequest"):
            self.assertTrue(body[name])
        self.assertEqual([f["filter"] for f in body["exceptionBreakpointFilters"]],
                         ["nan", "bounds", "division", "discard"])
        self.assertEqual([m["mode"] for m in body["breakpointModes"]], ["source", "spirv", "isa"])

    def test_requests_out_of_order_are_refused(self):
        for command in ("launch", "threads", "stackTrace", "setBreakpoints", "cancel"):
            with self.assertRaisesRegex(dap_client.Refused, "initialize comes first"):
                self.client.request(command)
        self.client.initialize()
        for command in ("stackTrace", "continue", "setBreakpoints", "configurationDone", "modules"):
            with self.assertRaisesRegex(dap_client.Refused, "no program is attached"):
                self.client.request(command)
        with self.assertRaisesRegex(dap_client.Refused, "initialized already"):
            self.client.request("initialize")
        with self.assertRaisesRegex(dap_client.Refused, "is not supported"):
            self.client.request("fly")

    def test_malformed_messages_get_an_error_and_no_more(self):
        client = self.client
        for data in (b"Content-Length: 5\r\n\r\n{]}[}", b"Content-Length: x\r\n\r\n", b"Hello: 1\r\n\r\n",
                     b"Content-Length: 2\r\n\r\n[]", b"Content-Length: 4\r\n\r\nnull",
                     b"Content-Length: 99999999999999999999\r\n\r\n"):
            client.send_bytes(data)
            answer = client.message()
            self.assertFalse(answer["success"], data)
        client.send_bytes(b"x" * 5000)
        self.assertFalse(client.message()["success"])
        for message in ({"seq": 1, "type": "request", "command": "initialize", "arguments": 7},
                        {"seq": "a", "type": "request", "command": "fly"},
                        {"seq": 2, "type": "request", "command": ["x"]},
                        {"seq": 3, "type": 4}):
            client.send(message)
            self.assertFalse(client.message()["success"], message)
        client.initialize()

    def test_random_messages_never_end_the_adapter(self):
        generator = random.Random(5)
        client = self.client
        self.launch("compute", stop={"workgroup": [0, 0, 0], "invocation": 0})
        client.set_lines("case.comp", {"line": SUMS["behind"]})
        client.start()
        thread = client.stopped()["threadId"]
        commands = ["setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setExceptionBreakpoints",
                    "dataBreakpointInfo", "setDataBreakpoints", "threads", "stackTrace", "scopes", "variables",
                    "evaluate", "setVariable", "completions", "readMemory", "disassemble", "source", "loadedSources",
                    "modules", "breakpointLocations", "setExpression", "writeMemory", "cancel", "exceptionInfo", "gotoTargets", "goto", "compare",
                    "initialize", "launch", "attach"]
        names = ["threadId", "frameId", "variablesReference", "expression", "source", "breakpoints", "name", "value",
                 "start", "count", "line", "filters", "memoryReference", "instructionCount", "sourceReference", "text",
                 "column", "requestId", "dataId", "program", "address", "offset", "targetId", "otherThreadId",
                 "bytes", "asAddress"]
        values = [None, True, -1, 0, 1, thread, thread * 64, 2**31, 2**63, 1e300, "", "x", "a b\n%20", "\u0000\ud7ff",
                  [], {}, [1], [{}], {"path": "case.comp"}, {"name": 3}, [{"line": 3}], "(" * 300, "mine", "0x100001"]
        for _ in range(1500):
            arguments = {generator.choice(names): generator.choice(values) for _ in range(generator.randrange(5))}
            if generator.random() < 0.5:
                arguments["threadId"], arguments["frameId"] = thread, thread * 64
            try:
                client.request(generator.choice(commands), **arguments)
            except dap_client.Refused:
                pass
        self.assertTrue(client.frames(thread))
        self.assertEqual(client.value(thread, "1 + 1"), "2")
        client.request("setBreakpoints", source={"path": "case.comp"}, breakpoints=[])
        self.ends_as_ever()

    def test_cancel_is_answered(self):
        thread = self.stop_at("behind")
        number = self.client.ask("stackTrace", threadId=thread)
        self.client.request("cancel", requestId=number)
        try:
            self.client.answer(number)
        except dap_client.Refused as refused:
            self.assertEqual(str(refused), "cancelled")

    def test_an_adapter_listens_on_a_port(self):
        with subprocess.Popen([ADAPTER, "--dap", "--port", "0"], stdout=subprocess.PIPE, text=True) as process:
            port = int(process.stdout.readline().split()[-1])
            for _ in range(2):  # one editor after the other
                with socket.create_connection(("127.0.0.1", port)) as connection:
                    client = dap_client.Client(None, (connection.fileno(), connection.fileno()))
                    client.launch(SCENE, "compute", driver=DRIVER)
                    client.start()
                    self.assertEqual(client.event("exited")["exitCode"], 0)
                    client.request("disconnect")
            process.terminate()


class Extension(unittest.TestCase):
    def test_packs(self):
        vscode = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/etzel-debug/vscode")
        with tempfile.TemporaryDirectory() as folder:
            packed = os.path.join(folder, "etzel.vsix")
            subprocess.run([sys.executable, os.path.join(vscode, "pack.py"), packed], check=True)
            with zipfile.ZipFile(packed) as archive:
                self.assertIsNone(archive.testzip())
                package = json.loads(archive.read("extension/package.json"))
                manifest = xml.dom.minidom.parseString(archive.read("extension.vsixmanifest"))
                self.assertIn("extension/" + os.path.basename(package["main"]), archive.namelist())
        identity = manifest.getElementsByTagName("Identity")[0]
        self.assertEqual(identity.getAttribute("Version"), package["version"])
        debugger = package["contributes"]["debuggers"][0]
        self.assertIn("stop", debugger["configurationAttributes"]["launch"]["properties"])


class Launching(Session):
    def test_a_program_that_is_not_there(self):
        self.client.initialize()
        with self.assertRaisesRegex(dap_client.Refused, "cannot run /nowhere/at/all"):
            self.client.request("launch", program="/nowhere/at/all")

    def test_output_and_status_of_a_program(self):
        self.launch("nonsense-is-its-argument")
        self.client.start()
        self.assertEqual(self.client.event("exited")["exitCode"], 2)
        self.assertIn("usage: etzel-debug-scene", self.client.output)

    def test_without_breakpoints_nothing_stops(self):
        self.launch("compute")
        self.client.start()
        self.ends_as_ever()

    def test_stop_on_entry(self):
        self.launch("compute", stopOnEntry=True)
        self.client.start()
        thread = self.client.stopped("entry")["threadId"]
        self.assertEqual(self.client.line(thread), SUMS["begin"])
        self.ends_as_ever()

    def test_the_watchdog_sleeps_while_stopped(self):
        self.launch("compute", env={"ETZEL_THREADS": "1", "ETZEL_TIMEOUT_MS": "300"},
                    stop={"workgroup": [1, 0, 0], "invocation": 10})
        self.client.set_lines("case.comp", {"line": SUMS["behind"]})
        self.client.start()
        thread = self.client.stopped("breakpoint")["threadId"]
        time.sleep(1.5)
        self.assertEqual(self.client.line(thread), SUMS["behind"])
        self.ends_as_ever()

    def test_terminate(self):
        self.stop_at("behind")
        self.client.request("terminate")
        self.assertEqual(self.client.event("exited")["exitCode"], 128 + signal.SIGTERM)

    def test_what_cannot_be_meant_by_stop(self):
        self.launch("compute", stop={"pixel": "x"})
        self.client.start()
        self.ends_as_ever_with("stop: 'pixel=x' names no invocation\n")

    def ends_as_ever_with(self, more):
        self.assertEqual(self.client.event("exited")["exitCode"], 0)
        self.assertEqual(sorted(self.client.output.splitlines()), sorted((ordinary(self.what) + more).splitlines()))


class Attaching(Session):
    def wait_for(self, address, program):
        end = time.monotonic() + dap_client.TIMEOUT
        while time.monotonic() < end and program.poll() is None:
            try:
                return self.client.request("attach", **address)
            except dap_client.Refused:
                time.sleep(0.05)
        self.fail("the program never listened")

    def attach(self, variable, address, what="compute"):
        program = subprocess.Popen([SCENE, what], env=environment(ETZEL_DEBUGGER=variable, ETZEL_THREADS="1"),
                                   stdout=subprocess.PIPE, text=True)
        self.client.initialize()
        self.wait_for(address, program)
        self.client.event("initialized")
        return program

    def socket_path(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return os.path.join(folder.name, "socket")

    def stop(self, program):
        self.client.set_lines("case.comp", {"line": SUMS["end"]})
        self.client.start()
        return self.client.stopped("breakpoint")["threadId"]

    def test_to_a_program_that_waits(self):
        path = self.socket_path()
        program = self.attach(f"unix:{path};wait", {"address": f"unix:{path}"})
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.stop(program)
        self.client.request("disconnect")
        self.assertEqual(program.communicate(timeout=dap_client.TIMEOUT)[0], ordinary("compute"))

    def test_by_a_port(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        program = self.attach(f"port:{port};wait", {"port": port})
        self.stop(program)
        self.client.request("disconnect")
        self.assertEqual(program.communicate(timeout=dap_client.TIMEOUT)[0], ordinary("compute"))

    def test_the_program_lives_on_when_the_adapter_is_killed(self):
        path = self.socket_path()
        program = self.attach(f"unix:{path};wait", {"address": f"unix:{path}"})
        self.stop(program)
        self.client.process.kill()
        self.assertEqual(program.communicate(timeout=dap_client.TIMEOUT)[0], ordinary("compute"))
        self.assertEqual(program.returncode, 0)

    def test_addresses_that_mean_nothing(self):
        for address in ("tcp:1.2.3.4:5", "port:0x50", "unix:", "port:99999"):
            run = subprocess.run([SCENE, "compute"], env=environment(ETZEL_DEBUGGER=address), capture_output=True,
                                 text=True, timeout=dap_client.TIMEOUT)
            self.assertEqual(run.stdout, ordinary("compute"))
            self.assertIn("unix:PATH or port:N is expected", run.stderr)
        self.client.initialize()
        with self.assertRaisesRegex(dap_client.Refused, "nobody listens"):
            self.client.request("attach", address="unix:/nowhere")

    def test_hostile_bytes_on_the_socket(self):
        path = self.socket_path()
        program = subprocess.Popen([SCENE, "compute"], env=environment(ETZEL_DEBUGGER=f"unix:{path};wait"),
                                   stdout=subprocess.PIPE, text=True)
        generator = random.Random(9)
        while not os.path.exists(path):
            time.sleep(0.02)
        words = ["lines", "step", "continue", "variables", "%", "%zz", "-1", "4096", "99999999999999999999", "stack",
                 "set", "filter", "pixel=1", "data", "faults", "instructions", "1", "read", "\x80\xff", "go-on"]
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(path)
            for _ in range(300):
                line = " ".join(generator.choice(words) for _ in range(generator.randrange(8)))
                s.sendall(line.encode("latin-1") + b"\n")
            s.sendall(b"7 hello\n")
            answers = b""
            while b'{"id":7,"ok":true' not in answers:
                got = s.recv(65536)
                self.assertTrue(got)
                answers += got
        self.assertEqual(program.communicate(timeout=dap_client.TIMEOUT)[0], ordinary("compute"))


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
            self.client.stopped("data breakpoint")
            values.append(self.client.value(thread, "next"))
        self.assertEqual(values, ["16", "17", "19"])  # (10 + 9) % 16 = 3; 2 * (3 + 5); + 1; + 2
        self.client.request("reverseContinue", threadId=thread)
        self.client.stopped("data breakpoint")
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
        step = lambda how, **more: (self.client.request(how, threadId=thread, **more), self.client.stopped("step"))
        step("stepIn")
        self.assertEqual(self.client.line(thread), SUMS["inside"])
        step("next")
        self.assertEqual(self.client.line(thread), SUMS["leaving"])
        step("stepOut")
        self.assertEqual([f["name"] for f in self.client.frames(thread)], ["main"])
        step("next")
        self.assertEqual(self.client.line(thread), SUMS["behind"])
        step("stepBack")
        self.assertEqual(self.client.line(thread), SUMS["call"])
        step("next")
        self.assertEqual(self.client.line(thread), SUMS["behind"], "what was called is stepped over")
        before = self.client.frames(thread)[0]["instructionPointerReference"]
        step("next", granularity="instruction")
        self.assertEqual(int(self.client.frames(thread)[0]["instructionPointerReference"], 16), int(before, 16) + 1)
        step("stepBack", granularity="instruction")
        self.assertEqual(self.client.frames(thread)[0]["instructionPointerReference"], before)
        self.ends_as_ever()

    def test_over_barriers_and_back(self):
        thread = self.stop_at("call")
        lines = []
        for _ in range(4):
            self.client.request("next", threadId=thread)
            self.client.stopped("step")
            lines.append(self.client.line(thread))
        self.assertEqual(lines[-1], SUMS["barrier"])
        self.assertEqual(self.client.value(thread, "counter"), str(sum(2 * (i + 5) for i in range(16))))
        for line in lines[-2::-1]:
            self.client.request("stepBack", threadId=thread)
            self.client.stopped("step")
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
            if not self.wait_for_stop():
                break
        self.ends_as_ever()

    def wait_for_stop(self):
        while True:
            for event in list(self.client.events):
                if event["event"] in ("stopped", "exited"):
                    if event["event"] == "stopped":
                        self.client.events.remove(event)
                    return event["event"] == "stopped"
            self.client.pump()

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
            self.client.request("next", threadId=thread)
            self.client.stopped("step")
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
            self.client.request("next", threadId=thread)
            self.client.stopped("step")
            while self.client.line(thread) < lines[line]:
                self.client.request("next", threadId=thread)
                self.client.stopped("step")
            self.assertEqual(self.client.line(thread), lines[line])
        self.assertEqual(self.client.value(thread, "other"), "0")
        self.assertEqual(self.client.value(first, "id"), "0")
        shared = self.client.variables(self.client.scope(thread, "Globals"))["all"]
        page = self.client.variables(shared["variablesReference"], start=1000, count=10)
        self.assertEqual([v["value"] for v in page.values()], [str(3 * i) for i in range(1000, 1010)])
        self.client.request("stepBack", threadId=thread)
        self.client.stopped("step")
        self.assertEqual(self.client.line(thread), lines["other"])
        self.ends_as_ever()


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
        self.client.request("next", threadId=thread)
        self.client.stopped("step")
        self.assertEqual(self.client.value(thread, "corner"), "(0, 1)")
        self.ends_as_ever()

    def test_tessellation_control(self):
        thread, name = self.stop_in("tesc", "control", {"invocation": 1})
        self.assertEqual(name, "patch 0, control point 1")
        self.client.request("next", threadId=thread)
        self.client.stopped("step")
        self.client.request("stepBack", threadId=thread)
        self.client.stopped("step")
        self.ends_as_ever()

    def test_tessellation_evaluation(self):
        thread, name = self.stop_in("tese", "evaluation", {}, "gl_TessCoord.x == 1.0")
        self.assertIn("at (1, 0, 0)", name)
        self.client.request("next", threadId=thread)
        self.client.stopped("step")
        self.assertEqual(self.client.value(thread, "where"), "(1, 0, 0)")
        self.ends_as_ever()

    def test_geometry_and_what_cannot_be_taken_back(self):
        thread, name = self.stop_in("geom", "geometry", {"primitive": 0}, "i == 1")
        self.assertEqual(name, "primitive 0, invocation 0")
        self.client.request("reverseContinue", threadId=thread)
        self.assertIn("nothing older", self.client.stopped("entry")["text"])
        self.assertEqual(self.client.value(thread, "i"), "0", "a vertex has been emitted: there is no way back over that")
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
            client.request("next", threadId=thread)
            thread = client.stopped("step")["threadId"]
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
                client.request("stepBack", threadId=thread)
                client.stopped("step")
                self.assertEqual(client.frames(thread)[0]["name"], pages[-2])
                client.request("next", threadId=thread)
                client.stopped("step")
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
            self.client.request(how, threadId=thread)
            self.client.stopped("step")
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
        # And all the way back, out of the interlock, over the atomic.
        while self.client.line(thread) != lines["mask"]:
            self.assertLess(step("stepBack"), lines["last"])
        self.assertEqual(value(f"sums[{6 * 16 + 4}]"), "0")
        self.ends_as_ever()

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
