"""What the tests of the debug adapter share: their arguments, the scene that they debug, and a session with it.

Arguments: ADAPTER SCENE DEMO DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import subprocess
import sys
import unittest

import dap_client

ADAPTER, SCENE, DEMO, DRIVER = sys.argv[1:5]
ORDINARY = {}


def places(shader):
    """Lines of one of the scene's shaders by the names in their comments."""
    return dap_client.places("scene.cpp", shader)


SUMS = places("kSums")


def ordinary(what):
    """What the scene prints without a debugger."""
    if what not in ORDINARY:
        ORDINARY[what] = subprocess.run([SCENE, what], env=dap_client.environment(DRIVER), check=True, capture_output=True,
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
