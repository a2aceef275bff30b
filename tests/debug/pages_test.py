#!/usr/bin/env python3
"""The pages behind fragment shaders, of draws that blend, fail the depth test, fail the stencil test, whose alpha is coverage,
and whose shaders write masks, depths and stencil references.

usage: pages_test.py ADAPTER SCENE DRIVER [unittest's options]. DRIVER is the driver's manifest.
"""
import subprocess
import sys
import unittest

import dap_client

ADAPTER, SCENE, DRIVER = sys.argv[1:4]
TESTS = "depth and stencil, behind the shader"


class Pages(unittest.TestCase):
    def setUp(self):
        self.client = dap_client.Client([ADAPTER, "--dap"])
        self.addCleanup(self.client.close)

    def pages(self, draw):
        """Behind the shader of pixel (5, 5) of a draw: what each page says, by its name, up to the next shader or the end."""
        client = self.client
        client.launch(SCENE, driver=DRIVER, stop={"pixel": [5, 5], "draw": draw, "stage": "fragment"},
                      env={"ETZEL_THREADS": "1"})
        client.request("setFunctionBreakpoints", breakpoints=[{"name": "main"}])
        client.start()
        thread = client.stopped("function breakpoint")["threadId"]
        client.request("setFunctionBreakpoints", breakpoints=[])
        pages = {}
        for _ in range(20):
            thread = client.step(thread)["threadId"]
            name = client.frames(thread)[0]["name"]
            if name == "resolve" or name in pages:
                break
            if name != "main":
                pages[name] = {v["name"]: v["value"] for v in client.variables(client.scope(thread, name)).values()}
        ordinary = subprocess.run([SCENE], env=dap_client.environment(DRIVER), check=True, capture_output=True, text=True)
        self.assertEqual(client.run_out(), 0, client.output)
        self.assertEqual(client.output, ordinary.stdout)
        return pages

    def written(self, pages, what="write, color 0"):
        """The page of what became of an attachment, whatever its image is called."""
        name, = (name for name in pages if name.startswith(what))
        return pages[name]

    def test_the_first_draw_makes_one_fragment_of_a_cleared_tile(self):
        pages = self.pages(0)
        self.assertEqual(pages["tile"]["color 0"], "clear becomes one fragment")
        self.assertEqual(self.written(pages)["sample 3"], "(0, 0, 0, 1) becomes (1, 0, 0, 1), fragment 0")
        self.assertEqual(pages[TESTS]["sample 0"], "0.5 LESS 1 passes")
        self.assertEqual(pages[TESTS]["gl_FragDepth of 0 1 2 3"], "0.5")
        self.assertEqual((pages["coverage"]["gl_SampleMaskIn"], pages["coverage"]["centroid"]), ("0 1 2 3", "centre"))
        self.assertFalse([name for name in pages["coverage"] if name.startswith(("gl_SampleMask of", "alpha"))])
        self.assertNotIn("instance", pages["coverage"], "there is but one, which is 0")

    def test_blending(self):
        pages = self.pages(1)
        blend = self.written(pages, "blend, color 0")
        self.assertEqual(blend["equation"], "src*SRC_ALPHA + dst*ONE_MINUS_SRC_ALPHA")
        self.assertEqual(blend["alpha"], "src*ONE + dst*ZERO")
        for sample in range(4):
            self.assertRegex(blend[f"sample {sample}"], r"^\(1, 0, 0, 1\) becomes \(0\.\d+, 0\.5\d*, 0, 0\.5\d*\), fragment 0$")
        self.assertEqual(pages["tile"]["color 0"], "one fragment")

    def test_a_depth_that_fails(self):
        pages = self.pages(2)
        for sample in range(4):
            self.assertEqual(pages["coverage"][f"sample {sample}"], "covered, and fails a test")
            self.assertEqual(pages[TESTS][f"sample {sample}"], "0.75 LESS 0.375 fails; what was there stays")
            for what in ("write, color 0", "write, depth", "write, stencil"):
                self.assertIn(" stays", self.written(pages, what)[f"sample {sample}"])

    def test_a_stencil_that_fails(self):
        pages = self.pages(3)
        for sample in range(4):
            self.assertIn("stencil 7 EQUAL 2 fails, INVERT", pages[TESTS][f"sample {sample}"])

    def test_alpha_that_is_coverage(self):
        pages = self.pages(4)
        samples = [pages["coverage"][f"sample {s}"] for s in range(4)]
        taken = [s for s, text in enumerate(samples) if text.startswith("alpha to coverage: alpha 0.5")]
        self.assertEqual(len(taken), 2, samples)
        self.assertEqual([text for s, text in enumerate(samples) if s not in taken], 2 * ["covered, and kept"])
        for sample in range(4):
            self.assertIn(" stays" if sample in taken else " becomes (1, 1, 0, 0.5",
                          self.written(pages)[f"sample {sample}"])
        self.assertIn("becomes", pages["tile"]["color 0"])
        left = " ".join(str(s) for s in range(4) if s not in taken)
        self.assertEqual(pages["coverage"]["alpha to coverage"], f"0 1 2 3 becomes {left}")

    def test_a_mask_that_the_shader_writes(self):
        pages = self.pages(5)
        self.assertEqual(pages["coverage"]["gl_SampleMask of 0 1 2 3"], "0 2")
        self.assertEqual([pages["coverage"][f"sample {s}"] for s in (0, 2)], 2 * ["covered, and kept"])
        self.assertNotIn("kept", pages["coverage"]["sample 1"])

    def test_invocations_of_samples(self):
        coverage = self.pages(6)["coverage"]
        for name in ("gl_SampleMaskIn", "centroid"):
            self.assertEqual(coverage[name], "of each invocation its own sample")
        self.assertEqual(coverage["shader, color 0 of 3"], "(0.75, 0.75, 0.75, 1)")

    def test_a_stencil_reference_that_the_shader_writes(self):
        tests = self.pages(7)[TESTS]
        self.assertEqual(tests["gl_FragStencilRefARB of 0 1 2 3"], "2")
        self.assertIn("stencil 2 EQUAL 2 passes, ZERO", tests["sample 0"])

    def test_an_instance(self):
        self.assertEqual(self.pages(8)["coverage"]["instance"], "4")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
