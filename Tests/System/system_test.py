"""What every test with real processes shares: a folder, nodes, a lab, and transcripts on failure."""

import pathlib
import sys
import tempfile
import unittest

import node
from lab import Lab
from node import Node


class SystemTest(unittest.TestCase):
    """A test with real processes: its nodes and files are gone afterwards, shown when it failed."""

    limit = 300  # seconds the runner gives the whole class
    needs = []  # functions that say why a test cannot run here, or None

    @classmethod
    def setUpClass(cls):
        node.require("airlink-node")
        for reason in filter(None, (need() for need in cls.needs)):
            raise unittest.SkipTest(reason)

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="airlink-test-")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        self.nodes = []

    def node(self, name, *arguments, start=True, **options):
        """A node called `name` with a home of its own, started."""
        node = Node(self.folder / name, "--name", name, *arguments, **options)
        self.nodes.append(node)
        self.addCleanup(node.kill)
        return node.start() if start else node

    def lab(self):
        lab = Lab()
        self.addCleanup(lab.close)
        return lab

    def note(self, text):
        """Something worth showing of a test that passed; the runner prints it."""
        print(f"note: {text}", file=sys.stderr, flush=True)

    def transcripts(self):
        return "\n".join(node.transcript() for node in self.nodes)
