"""A small client of the Debug Adapter Protocol, as an editor is one: requests, their answers, events."""
import json
import os
import re
import select
import subprocess
import time

TIMEOUT = 120  # seconds; machines that run tests are busy


def environment(driver, **more):
    """Variables of a program that runs on one driver, which its manifest names, and on no other."""
    return dict(os.environ, VK_DRIVER_FILES=driver, VK_ICD_FILENAMES=driver, **more)


def places(source, shader):
    """Lines of a shader in a source beside this file, by the names in their comments ("// @name")."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), source)) as file:
        text = re.search(r'const char\* const %s = R"\((.*?)\)";' % shader, file.read(), re.S).group(1)
    return {m.group(1): n for n, line in enumerate(text.split("\n"), 1) if (m := re.search(r"// @(\w+)", line))}


class Refused(Exception):
    """The adapter answered with an error."""


class Client:
    def __init__(self, command, descriptors=None):
        """Starts an adapter, or talks on a pair of descriptors."""
        self.process = None
        if descriptors:
            self.read_from, self.write_to = descriptors
        else:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.read_from, self.write_to = self.process.stdout.fileno(), self.process.stdin.fileno()
        self.pending = b""
        self.sequence = 0
        self.events = []
        self.answers = {}
        self.output = ""
        self.sources_set = set()

    # --- Messages

    def send_bytes(self, data):
        while data:
            data = data[os.write(self.write_to, data):]

    def send(self, message):
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def message(self, timeout=TIMEOUT):
        """The next message of the adapter; None when there is none in time or it is gone."""
        end = time.monotonic() + timeout
        while True:
            header, found, rest = self.pending.partition(b"\r\n\r\n")
            if found:
                length = int(header.split(b":")[1])
                if len(rest) >= length:
                    self.pending = rest[length:]
                    return json.loads(rest[:length])
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read_from], [], [], left)[0]:
                return None
            got = os.read(self.read_from, 65536)
            if not got:
                return None
            self.pending += got

    def pump(self, timeout=TIMEOUT):
        message = self.message(timeout)
        if message is None:
            return False
        if message["type"] == "event":
            if message["event"] == "output":
                self.output += message["body"]["output"]
            self.events.append(message)
        elif message["type"] == "response":
            self.answers[message["request_seq"]] = message
        return True

    def ask(self, command, **arguments):
        """Sends a request and does not wait. Returns its number."""
        self.sequence += 1
        self.send({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments})
        return self.sequence

    def ask_at_once(self, *requests):
        """Sends several requests, a name and its arguments each, in one piece. Returns their numbers."""
        data, numbers = b"", []
        for command, arguments in requests:
            self.sequence += 1
            numbers.append(self.sequence)
            body = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
            data += b"Content-Length: %d\r\n\r\n" % len(body) + body
        self.send_bytes(data)
        return numbers

    def answer(self, number):
        while number not in self.answers:
            if not self.pump():
                raise AssertionError(f"request {number} was not answered; the program said: {self.output}")
        answer = self.answers.pop(number)
        if not answer["success"]:
            raise Refused(answer["message"])
        return answer.get("body", {})

    def request(self, command, **arguments):
        return self.answer(self.ask(command, **arguments))

    def event(self, name, timeout=TIMEOUT):
        """The next event of that name, also one that came before; it is taken out."""
        end = time.monotonic() + timeout
        while True:
            for event in self.events:
                if event["event"] == name:
                    self.events.remove(event)
                    return event["body"]
            if not self.pump(max(end - time.monotonic(), 0)):
                raise AssertionError(f"no {name}; the program said: {self.output}")

    # --- What editors do

    def initialize(self):
        return self.request("initialize", adapterID="etzel", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")

    def launch(self, program, *args, **more):
        """Up to where breakpoints are set."""
        self.initialize()
        self.request("launch", program=program, args=list(args), **more)
        self.event("initialized")

    def start(self):
        self.request("configurationDone")

    def stopped(self, reason=None):
        event = self.event("stopped")
        assert reason is None or event["reason"] == reason, event
        return event

    def next_stop(self):
        """What stops next, or None at the program's end, which is left for event("exited")."""
        while True:
            for event in self.events:
                if event["event"] == "stopped":
                    self.events.remove(event)
                    return event["body"]
                if event["event"] == "exited":
                    assert event["body"]["exitCode"] == 0, event
                    return None
            if not self.pump():
                raise AssertionError(f"neither a stop nor an end; the program said: {self.output}")

    def step(self, thread, how="next", **more):
        """One step, or one back (stepBack), to its end."""
        self.request(how, threadId=thread, **more)
        return self.stopped("step")

    def frames(self, thread):
        return self.request("stackTrace", threadId=thread)["stackFrames"]

    def line(self, thread):
        return self.frames(thread)[0]["line"]

    def scope(self, thread, name, frame=0):
        frame = self.frames(thread)[frame]["id"]
        for scope in self.request("scopes", frameId=frame)["scopes"]:
            if scope["name"] == name:
                return scope["variablesReference"]
        raise AssertionError(name)

    def variables(self, reference, **page):
        return {v["name"]: v for v in self.request("variables", variablesReference=reference, **page)["variables"]}

    def value(self, thread, expression, frame=0, context="watch"):
        frame = self.frames(thread)[frame]["id"]
        return self.request("evaluate", expression=expression, frameId=frame, context=context)["result"]

    def run_out(self):
        """Lets the program go on to its end, if it is not there yet. Returns its exit status."""
        try:
            self.request("setFunctionBreakpoints", breakpoints=[])
            self.request("setExceptionBreakpoints", filters=[])
            self.request("setDataBreakpoints", breakpoints=[])
            self.request("setInstructionBreakpoints", breakpoints=[])
            for path in self.sources_set:
                self.request("setBreakpoints", source={"path": path}, breakpoints=[])
            self.request("continue", threadId=1)
        except Refused as refused:
            assert str(refused) in ("no program is attached", "the program is gone"), refused
        status = self.event("exited")["exitCode"]
        self.event("terminated")
        return status

    def set_lines(self, path, *breakpoints):
        self.sources_set.add(path)
        return self.request("setBreakpoints", source={"path": path}, breakpoints=list(breakpoints))["breakpoints"]

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait(TIMEOUT)
            self.process.stdout.close()
