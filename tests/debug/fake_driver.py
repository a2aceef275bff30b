"""A driver that says what tests want: one end of the protocol that debuggers and programs speak."""
import json
import os
import socket
import tempfile
import threading
import time

import dap_client

SILENCE = object()  # what is answered with nothing at all


class Refuses(Exception):
    """What an answer raises for one with that error."""


class FakeDriver:
    """It answers what `answers` has, {} to all else, and says what it is told to."""

    def __init__(self, answers=None):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "socket")
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(self.path)
        self.listening.listen(1)
        self.answers = answers or {}
        self.asked = []
        self.peer = None
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        self.peer, _ = self.listening.accept()
        for line in self.peer.makefile("rb"):
            words = line.decode().split()
            self.asked.append(words[1:])
            body = self.answers.get(words[1], {})
            answer = {"id": int(words[0]), "ok": True}
            try:
                answer["body"] = body(words[2:]) if callable(body) else body
            except Refuses as why:
                answer.update(ok=False, error=str(why))
            if body is not SILENCE:
                self.say(json.dumps(answer))

    def say(self, line):
        try:
            self.peer.sendall((line if isinstance(line, bytes) else line.encode()) + b"\n")
        except OSError:
            pass  # the other end has hung up

    def wait(self, verb, count=1):
        """Until that was asked, so often."""
        end = time.monotonic() + dap_client.TIMEOUT
        while sum(words[0] == verb for words in self.asked) < count:
            if time.monotonic() > end:
                raise AssertionError(f"no {verb!r} in {self.asked}")
            time.sleep(0.01)

    def close(self):
        self.listening.close()
        if self.peer:
            self.peer.close()
        self.folder.cleanup()
