"""airlink-bench where it starts nodes: short, for what it does; the figures are `make bench`'s."""

import json
import os
import shutil
import subprocess

import node
from system_test import SystemTest

NODE_CASES = {
    "text-receipt": {"ratio"},
    "confirmed-1": {"ratio", "ofTheLimit", "processorRatio"},
    "confirmed-16": {"ratio", "ofTheLimit", "processorRatio"},
    "confirmed-256": {"ratio", "ofTheLimit", "processorRatio"},
    "idle": {"processorPercent", "residentMebibytes"},
}


class BenchTests(SystemTest):
    limit = 400

    def setUp(self):
        super().setUp()
        node.require("airlink-bench")

    def bench(self, *arguments, program=None):
        """Runs it with a place of its own for what it puts down; it ends in time or fails."""
        return subprocess.run(
            [program or node.program("airlink-bench"), *arguments], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=node.LIMIT, start_new_session=True,
            env={**os.environ, "TMPDIR": str(self.folder), "SWIFT_BACKTRACE": "enable=no"})

    def test_each_case_with_nodes_measures_them_and_leaves_nothing(self):
        for name, figures in NODE_CASES.items():
            with self.subTest(name):
                done = self.bench("--json", "--seconds", "0.1", "--only", name)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(result["case"], name)
                for figure in figures | {"medianNanoseconds", "longestNanoseconds"}:
                    self.assertGreaterEqual(result[figure], 0, figure)
                self.assertEqual(os.listdir(self.folder), [], "homes are gone")

    def test_without_a_node_beside_it_it_says_so(self):
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(node.program("airlink-bench"), alone)
        done = self.bench("--only", "text-receipt", program=alone / "airlink-bench")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no airlink-node beside this program", done.stderr)
        self.assertIn("make release", done.stderr)

    def test_a_node_that_ends_at_once_ends_the_bench(self):
        alone = self.folder / "broken"
        alone.mkdir()
        shutil.copy(node.program("airlink-bench"), alone)
        (alone / "airlink-node").symlink_to("/bin/false")
        done = self.bench("--only", "confirmed-16", program=alone / "airlink-bench")
        self.assertEqual(done.returncode, 1)
        self.assertIn("airlink-node has ended", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["broken"])
