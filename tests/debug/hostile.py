#!/usr/bin/env python3
"""Hostile editors and debuggers: messages that are malformed, cut short, out of order, huge, of wrong types, deeply nested. The
adapter answers each with an error at worst and serves on; a program whose socket is talked to like that computes what it always
does. Nothing crashes, nothing hangs.

usage: hostile.py ADAPTER SCENE DRIVER [--rounds N] [--seed S]
DRIVER is the driver's manifest. Each round is one editor, one that breaks off, and one debugger on the socket.
"""
import argparse
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

import dap_client

PATIENCE = 120  # seconds; machines that run tests are busy
MESSAGES = 120  # of an editor
LINE = dap_client.places("scene.cpp", "kSums")["behind"]
ODD = [None, True, False, -1, 0, 1, 7, 64, 4095, 2**31, 2**32 + 1, 2**63 - 1, 2**63, -2**63, 2**70, 1e300, -0.5, "", " ", "x",
       "a b\n%20%", "\u0000\ud7ff", "$pixel", "mine", "pair.second", "grid[3]", "(" * 400, "0x100001", "1/0:1", "%s%n", [], {}, [1],
       [[]], [{}], {"path": "case.comp"}, {"name": 3}, [{"line": 3}], [{"line": -1}], [{"name": "twice"}], [{"dataId": ":::"}]]


class Failed(Exception):
    pass


# --- An editor

def requests(thread):
    """Requests as an editor has them; `thread` is stopped."""
    frame = thread * 64
    around = {"threadId": thread, "frameId": frame}
    reference = (thread >> 12) << 20 | 1
    return [
        ("initialize", {"adapterID": "etzel", "linesStartAt1": True}),
        ("launch", {"program": "/nowhere", "args": ["a"], "env": {"A": "b"}, "stop": {"pixel": [1, 2]}}),
        ("attach", {"address": "unix:/nowhere", "port": 0}),
        ("configurationDone", {}),
        ("setBreakpoints", {"source": {"path": "case.comp"}, "breakpoints": [
            {"line": LINE, "condition": "mine > 3u", "hitCondition": ">2", "logMessage": "{mine} {"}]}),
        ("setFunctionBreakpoints", {"breakpoints": [{"name": "twice", "condition": "x == 1u"}]}),
        ("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": "0x100003", "offset": 2}]}),
        ("setExceptionBreakpoints", {"filters": ["nan", "bounds"]}),
        ("dataBreakpointInfo", {"name": "mine", "frameId": frame, "variablesReference": reference}),
        ("setDataBreakpoints", {"breakpoints": [{"dataId": f"{(thread >> 12) << 20}:10:1", "accessType": "write"}]}),
        ("breakpointLocations", {"source": {"path": "case.comp"}, "line": 1, "endLine": 40}),
        ("pause", {"threadId": thread}),
        ("threads", {}),
        ("stackTrace", {"threadId": thread, "startFrame": 0, "levels": 2}),
        ("scopes", {"frameId": frame}),
        ("variables", {"variablesReference": reference, "start": 0, "count": 9, "filter": "indexed"}),
        ("evaluate", dict(around, expression="mine + 1u", context="watch")),
        ("setVariable", {"variablesReference": reference, "name": "mine", "value": "3u"}),
        ("setExpression", dict(around, expression="all[3]", value="7u")),
        ("completions", dict(around, text="mi", column=3)),
        ("exceptionInfo", {"threadId": thread}),
        ("readMemory", {"memoryReference": f"{thread >> 12}/10:4", "offset": 4, "count": 16}),
        ("writeMemory", {"memoryReference": f"{thread >> 12}/10:4", "offset": 4, "data": "AAAA"}),
        ("disassemble", {"memoryReference": "0x100000", "offset": 0, "instructionOffset": -4, "instructionCount": 20}),
        ("source", {"sourceReference": 1001, "source": {"sourceReference": 1001}}),
        ("loadedSources", {}),
        ("modules", {"startModule": 0, "moduleCount": 3}),
        ("restartFrame", {"frameId": frame}),
        ("etzel/picture", {"expression": "mine", "frameId": frame, "level": 0, "layer": 1}),
        ("cancel", {"requestId": 3}),
    ]


def changed(generator, value):
    """The value with something about it that is wrong."""
    if isinstance(value, dict) and value and generator.random() < 0.8:
        value = dict(value)
        key = generator.choice(list(value))
        what = generator.random()
        if what < 0.15:
            del value[key]
        elif what < 0.25:
            value[generator.choice(["", "source", "line", "x" * 5000, "threadId"])] = generator.choice(ODD)
        else:
            value[key] = changed(generator, value[key])
        return value
    if isinstance(value, list) and value and generator.random() < 0.7:
        return [changed(generator, v) for v in value] * generator.choice([1, 1, 2, 300])
    if isinstance(value, int) and not isinstance(value, bool) and generator.random() < 0.5:
        return value + generator.choice([-2, -1, 1, 2, 1 << 12, 1 << 20, 1 << 31])
    if isinstance(value, str) and generator.random() < 0.4:
        return generator.choice([value[:-1], value * 3, value + "\u0000", value.upper(), value * 30000])
    return generator.choice(ODD)


def framed(body):
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def nested(generator, text):
    """The JSON text with something that nests deeply as its arguments."""
    depth = generator.choice([100, 5000, 200000, 2000000])
    deep = generator.choice([b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth, b"[" * depth])
    return text.replace(b'"arguments": {', b'"deep": ' + deep + b', "arguments": {', 1)


def hostile_bytes(generator, text):
    """A message, or something like it."""
    kind = generator.randrange(10)
    if kind == 0:
        return framed(nested(generator, text))
    if kind == 1:  # a bit or more of it is another
        body = bytearray(text)
        for _ in range(generator.randrange(1, 6)):
            body[generator.randrange(len(body))] = generator.randrange(256)
        return framed(bytes(body))
    if kind == 2:  # the header says too much or too little, or what is no length
        length = generator.choice([0, len(text) - 1, len(text) + 7, 2**40, 10**30, -1, "x", "", "0x10", 2**25])
        return b"Content-Length: %s\r\n\r\n" % str(length).encode() + text
    if kind == 3:
        return generator.choice([b"\r\n\r\n", b"Hello: 1\r\n\r\n", b"x" * 9000, b"\x00" * 100, b"\xff\xfe\r\n\r\n", b"{}",
                                 b"content-length:2\r\nContent-Length:4\r\n\r\n{}", b"x" * 3000000])
    if kind == 4:
        return framed(text[:generator.randrange(len(text))])
    if kind == 5:
        return framed(generator.choice([b"", b"null", b"[]", b"1e9999", b'"x"', b"[" * 100000, b"{}", b'{"type":"request"}',
                                        b'{"type":"response","seq":1}', b"\xef\xbb\xbf{}"]))
    return framed(text)


class Editor:
    """A client that may be as rude as it likes, and finds out whether it is still served."""

    def __init__(self, arguments, generator):
        self.generator = generator
        self.client = dap_client.Client([arguments.adapter, "--dap"])
        self.last = b""

    def launch(self, arguments):
        self.client.launch(arguments.scene, "compute", driver=arguments.driver, env={"ETZEL_THREADS": "1"},
                           stop={"workgroup": [1, 0, 0], "invocation": 10})
        self.client.set_lines("case.comp", {"line": LINE})
        self.client.start()
        self.thread = self.client.stopped("breakpoint")["threadId"]

    def be_rude(self):
        command, arguments = self.generator.choice(requests(self.thread))
        for _ in range(self.generator.randrange(4)):
            arguments = changed(self.generator, arguments)
        self.client.sequence += 1
        message = {"seq": self.client.sequence, "type": "request", "command": command, "arguments": arguments}
        if self.generator.random() < 0.1:
            message = changed(self.generator, message)
        text = json.dumps(message, ensure_ascii=self.generator.random() < 0.5).encode("utf-8", "surrogatepass")
        self.last = hostile_bytes(self.generator, text)
        self.client.send_bytes(self.last)

    def is_served(self):
        """Asks until there is an answer: what was cut short swallows the beginning of what follows."""
        asked = set()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.client.send_bytes(b" " * 64 + b"\r\n\r\n")
            asked.add(self.client.ask("threads"))
            tick = time.monotonic() + 2
            while time.monotonic() < tick:
                if not self.client.pump(max(tick - time.monotonic(), 0)) and self.client.process.poll() is not None:
                    raise Failed(f"the adapter ended with {self.client.process.returncode}")
                if asked & self.client.answers.keys():
                    return
        raise Failed("the adapter does not answer any more")

    def end(self):
        """Breaks off. The adapter and its program have to go."""
        self.client.process.stdin.close()
        try:
            status = self.client.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.client.process.kill()
            raise Failed("the adapter does not end") from None
        finally:
            self.client.process.stdout.close()
        if status:
            raise Failed(f"the adapter ended with {status}")


def edit(arguments, generator):
    editor = Editor(arguments, generator)
    try:
        editor.launch(arguments)
        for _ in range(MESSAGES):
            editor.be_rude()
            if generator.random() < 0.3:
                editor.is_served()
        editor.is_served()
        editor.end()
    except (Failed, OSError) as e:
        raise Failed(f"{e}, after {editor.last[:300]!r}") from None


def break_off(arguments, generator):
    """Messages out of order and cut short, without a program."""
    for _ in range(8):
        editor = Editor(arguments, generator)
        editor.thread = 0x100a
        try:
            for _ in range(generator.randrange(6)):
                editor.be_rude()
            os.set_blocking(editor.client.write_to, False)
            editor.client.send_bytes(editor.last[:generator.randrange(len(editor.last) + 1)])
        except OSError:
            pass  # it has said goodbye, or its pipe is full
        editor.end()


# --- A debugger on the socket

VERBS = ["hello", "filter", "lines", "functions", "instructions", "faults", "data", "go", "pause", "modules", "source", "places",
         "disassemble", "threads", "continue", "step", "stack", "scopes", "evaluate", "complete", "variables", "set", "watchable",
         "read", "write", "restart", "picture", "fly"]
WORDS = ["%", "%zz", "%00", "-1", "0", "1", "4096", "4106", "1048577", "99999999999999999999", "case.comp", str(LINE), "mine", "all",
         "all[3]", "into", "over", "out", "back", "instruction", "pixel=1,2", "draw=", "workgroup=1,2,3", "nan", "bounds", "nobody",
         "10:4", "10:99", "AAAA", "((((((", "x" * 2000, "\x80\xff", "1048576:10:1", "twice", ">2", "{mine}", "mine%20%3e%203u"]


def hostile_lines(generator, thread):
    for _ in range(generator.randrange(60)):
        words = [generator.choice(WORDS + [str(thread)] * 8) for _ in range(generator.randrange(7))]
        start = [str(generator.randrange(99)), generator.choice(VERBS)] if generator.random() < 0.9 else []
        line = " ".join(start + words).encode("latin-1")
        if generator.random() < 0.05:
            line = bytes(generator.randrange(256) for _ in range(200))
        yield line + generator.choice([b"\n"] * 8 + [b"", b"\r\n", b"\n\n"])
    if generator.random() < 0.3:
        yield b"1 evaluate " + b"(" * generator.choice([10**5, 2 * 10**6])


def debug(arguments, generator, expected):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        environment = dap_client.environment(arguments.driver, ETZEL_THREADS="1", ETZEL_DEBUGGER=f"unix:{path};wait")
        program = subprocess.Popen([arguments.scene, "compute"], stdout=subprocess.PIPE, text=True, env=environment)
        lines = []
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(PATIENCE)
                end = time.monotonic() + PATIENCE
                while s.connect_ex(path) and time.monotonic() < end:
                    time.sleep(0.02)
                s.sendall(b"1 filter workgroup=1,0,0 invocation=10\n2 lines case.comp %d %% %% %%\n3 go\n" % LINE)
                got = b""
                while b'"event":"stopped"' not in got:
                    got += s.recv(65536)
                thread = int(re.search(rb'"thread":(\d+)', got).group(1))
                for line in hostile_lines(generator, thread):
                    # What would store is left out: the results are compared.
                    if not re.search(rb" (set|write) ", b" " + line):
                        lines.append(line)
                        s.sendall(line)
                if generator.random() < 0.5:
                    s.shutdown(socket.SHUT_WR)
        except (OSError, AttributeError):
            pass  # it has hung up
        try:
            output = program.communicate(timeout=PATIENCE)[0]
        except subprocess.TimeoutExpired:
            program.kill()
            raise Failed(f"the program hangs, after {lines!r}") from None
        if program.returncode or output != expected:
            raise Failed(f"the program ended with {program.returncode}, after {lines!r}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("adapter", "scene", "driver"):
        parser.add_argument(name)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    expected = subprocess.run([arguments.scene, "compute"], env=dap_client.environment(arguments.driver, ETZEL_THREADS="1"),
                              check=True, capture_output=True, text=True).stdout
    for seed in range(arguments.seed, arguments.seed + arguments.rounds):
        try:
            edit(arguments, random.Random(seed))
            break_off(arguments, random.Random(seed))
            debug(arguments, random.Random(seed), expected)
        except Failed as failed:
            print(f"--seed {seed}: {failed}")
            return 1
    print(f"{arguments.rounds} rounds: nothing crashed, nothing hung")
    return 0


if __name__ == "__main__":
    sys.exit(main())
