#!/usr/bin/env python3
"""The debug adapter from outside: its protocol, and how it comes to a program, on real ones through the loader.

usage: dap_test.py ADAPTER SCENE DEMO DRIVER [unittest's options], as dap_session.py says.
"""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import xml.dom.minidom
import zipfile

import dap_client
from dap_session import ADAPTER, DRIVER, SCENE, SUMS, Session, ordinary


class Protocol(Session):
    def test_initialize_tells_capabilities(self):
        body = self.client.initialize()
        for name in ("supportsStepBack", "supportsLogPoints", "supportsDataBreakpoints", "supportsReadMemoryRequest"):
            self.assertTrue(body[name])
        self.assertEqual([f["filter"] for f in body["exceptionBreakpointFilters"]],
                         ["nan", "bounds", "division", "discard", "break", "abort"])
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

    def test_lines_and_columns_from_zero(self):
        self.client.initialize = lambda: self.client.request("initialize", adapterID="etzel", linesStartAt1=False,
                                                             columnsStartAt1=False)
        self.launch("compute", stop={"workgroup": [1, 0, 0], "invocation": 10})
        line = SUMS["call"] - 1
        self.client.set_lines("case.comp", {"line": line})
        self.client.start()
        self.assertEqual(self.client.event("breakpoint")["breakpoint"]["line"], line)
        thread = self.client.stopped("breakpoint")["threadId"]
        self.assertEqual(self.client.line(thread), line)
        self.assertEqual(self.client.set_lines("case.comp", {"line": line})[0]["line"], line)
        source = {"path": "case.comp"}
        locations = self.client.request("breakpointLocations", source=source, line=line, endLine=line)["breakpoints"]
        self.assertEqual(locations, [{"line": line}])
        self.assertEqual(self.client.request("gotoTargets", source=source, line=line)["targets"][0]["line"], line)
        frame = self.client.frames(thread)[0]
        instructions = self.client.request("disassemble", memoryReference=frame["instructionPointerReference"],
                                           instructionCount=1)["instructions"]
        self.assertEqual(instructions[0]["line"], line)
        targets = self.client.request("completions", text="pai + 1", column=3, frameId=frame["id"])["targets"]
        self.assertEqual([t["label"] for t in targets], ["pair"])
        self.ends_as_ever()

    def test_cancel(self):
        thread = self.stop_at("behind")
        scope = self.client.scope(thread, "Registers")
        # The adapter has both before it hears of the driver.
        slow, cancel = self.client.ask_at_once(("variables", {"variablesReference": scope}),
                                               ("cancel", {"requestId": self.client.sequence + 1}))
        with self.assertRaisesRegex(dap_client.Refused, "^cancelled$"):
            self.client.answer(slow)
        self.client.answer(cancel)
        # What the driver answers late is nobody's answer.
        self.assertTrue(self.client.variables(scope))
        self.assertNotIn(slow, self.client.answers)
        self.client.request("cancel", requestId=slow)
        self.client.request("cancel", requestId=10**6)
        self.ends_as_ever()

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
    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_shows_pictures(self):
        here = os.path.dirname(os.path.abspath(__file__))
        run = subprocess.run(["node", os.path.join(here, "extension_test.js"),
                              os.path.join(here, "../../tools/etzel-debug/vscode/extension.js")], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

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
        commands = [c["command"] for c in package["contributes"]["commands"]]
        for menu in package["contributes"]["menus"].values():
            self.assertLessEqual({item["command"] for item in menu}, set(commands))
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

    def test_stop_as_a_list_of_words(self):
        thread = self.stop_at("call", stop=["workgroup=1,0,0", "invocation=10"])
        self.assertEqual(self.client.value(thread, "id"), "10")
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


class Leaving(Session):
    """A program that was launched, when its debugger goes."""

    def stop(self):
        """Stops it; a file will have its status when it has ended. Its output goes to the adapter."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.status = os.path.join(folder.name, "status")
        self.client.launch("/bin/sh", "-c", '"$0" compute; echo $? > "$1.part"; mv "$1.part" "$1"', SCENE, self.status,
                           driver=DRIVER, stop={"workgroup": [1, 0, 0], "invocation": 10})
        self.client.set_lines("case.comp", {"line": SUMS["behind"]})
        self.client.start()
        return self.client.stopped("breakpoint")["threadId"]

    def ends(self):
        end = time.monotonic() + dap_client.TIMEOUT
        while not os.path.exists(self.status):
            self.assertLess(time.monotonic(), end, "the program has not ended")
            time.sleep(0.02)
        with open(self.status) as file:
            self.assertEqual(file.read(), "0\n")

    def test_lives_on_after_a_detach(self):
        self.stop()
        self.client.request("disconnect", terminateDebuggee=False)
        self.ends()
        self.assertEqual(self.client.process.wait(dap_client.TIMEOUT), 0)

    def test_lives_on_when_the_adapter_is_killed(self):
        self.stop()
        self.client.process.kill()
        self.ends()

    def test_ends_where_nothing_else_is_said(self):
        self.launch("compute", stop={"workgroup": [1, 0, 0], "invocation": 10})
        self.client.set_lines("case.comp", {"line": SUMS["behind"]})
        self.client.start()
        self.client.stopped("breakpoint")
        with open(f"/proc/{self.client.process.pid}/task/{self.client.process.pid}/children") as file:
            program = int(file.read().split()[0])
        self.client.request("disconnect")
        self.assertEqual(self.client.process.wait(dap_client.TIMEOUT), 0)
        self.assertFalse(os.path.exists(f"/proc/{program}"))


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
        program = subprocess.Popen([SCENE, what], env=dap_client.environment(DRIVER, ETZEL_DEBUGGER=variable, ETZEL_THREADS="1"),
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

    def test_a_detach_that_ends_nothing(self):
        path = self.socket_path()
        program = self.attach(f"unix:{path};wait", {"address": f"unix:{path}"})
        self.stop(program)
        self.client.request("disconnect", terminateDebuggee=False)
        self.assertEqual(program.communicate(timeout=dap_client.TIMEOUT)[0], ordinary("compute"))
        self.assertEqual(program.returncode, 0)

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
            run = subprocess.run([SCENE, "compute"], env=dap_client.environment(DRIVER, ETZEL_DEBUGGER=address), capture_output=True,
                                 text=True, timeout=dap_client.TIMEOUT)
            self.assertEqual(run.stdout, ordinary("compute"))
            self.assertIn("unix:PATH or port:N is expected", run.stderr)
        self.client.initialize()
        with self.assertRaisesRegex(dap_client.Refused, "nobody listens"):
            self.client.request("attach", address="unix:/nowhere")

    def test_a_port_where_nobody_listens_is_not_the_adapters_own(self):
        """Of two ports that the system may give its sockets, one is asked for: half of them would connect with themselves."""
        few = textwrap.dedent("""
            import fcntl, os, socket, struct, sys
            with socket.socket() as s:  # the loopback interface is up (SIOCSIFFLAGS, IFF_UP)
                fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 1))
            with open("/proc/sys/net/ipv4/ip_local_port_range", "w") as ports:
                ports.write("40000 40001")
            os.execv(sys.argv[1], sys.argv[1:])""")
        apart = ["unshare", "-rn", sys.executable, "-c", few]
        try:
            subprocess.run([*apart, "/bin/true"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no network of its own can be made here")
        client = dap_client.Client([*apart, ADAPTER, "--dap"])
        self.addCleanup(client.close)
        client.initialize()
        for _ in range(20):
            with self.assertRaisesRegex(dap_client.Refused, "nobody listens at port:40000"):
                client.request("attach", port=40000)

    def test_hostile_bytes_on_the_socket(self):
        path = self.socket_path()
        program = subprocess.Popen([SCENE, "compute"], env=dap_client.environment(DRIVER, ETZEL_DEBUGGER=f"unix:{path};wait"),
                                   stdout=subprocess.PIPE, text=True)
        generator = random.Random(9)
        words = ["lines", "step", "continue", "variables", "%", "%zz", "-1", "4096", "99999999999999999999", "stack",
                 "set", "filter", "pixel=1", "data", "faults", "instructions", "1", "read", "\x80\xff", "go-on"]
        with socket.socket(socket.AF_UNIX) as s:
            while s.connect_ex(path):  # until it listens, which is later than the file is there
                self.assertIsNone(program.poll())
                time.sleep(0.02)
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
