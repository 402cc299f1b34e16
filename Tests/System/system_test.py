"""What every test with real processes shares: a folder, nodes, a lab, and transcripts on failure."""

import pathlib
import tempfile
import unittest

from lab import Lab
from node import Node


class SystemTest(unittest.TestCase):
    """A test with real processes: its nodes and files are gone afterwards, shown when it failed."""

    limit = 300  # seconds the runner gives the whole class

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

    def transcripts(self):
        return "\n".join(node.transcript() for node in self.nodes)
