"""Strangers on the third controller, who keep to no rule."""

import os
import subprocess

from radios import ADDRESSES, LIMIT, BluetoothTest, Daemon

HERE = os.path.dirname(os.path.abspath(__file__))


class HostileTests(BluetoothTest):
    def stranger(self, *arguments):
        return subprocess.Popen(
            ["/usr/bin/python3", "-B", os.path.join(HERE, "stranger.py"), *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def setUp(self):
        super().setUp()
        probe = subprocess.run(["/usr/bin/python3", "-c", "import dbus, gi"], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("no python3-dbus or python3-gi here")

    def open_pair(self):
        """Two nodes that let everybody in."""
        a, b = self.node(0), self.node(1)
        self.meet(a, b)
        return a, b

    def test_writes_of_every_length_a_flood_and_a_storm_cost_others_nothing(self):
        a, b = self.open_pair()
        self.say(a, b, "before", "1")
        for what in ["writes", "storm", "flood"]:
            stranger = self.stranger(what, "hci2", ADDRESSES[0])
            try:
                output, _ = stranger.communicate(timeout=2 * LIMIT)
            except subprocess.TimeoutExpired:
                stranger.kill()
                output = stranger.communicate()[0] + " (ended)"
            print(what, output.split("\n")[-3:], flush=True)
            self.assertIn("connected", output)
            Daemon.start()
            self.say(a, b, f"after {what}", what)
            self.say(b, a, f"back after {what}", what)
        self.assertTrue(a.running() and b.running())
        stats = self.stats(a)
        self.assertGreaterEqual(stats["ble.closed-misbehaved"], 1)

    def test_our_uuid_over_another_layout_is_left_alone(self):
        stranger = self.stranger("layout", "hci2")
        try:
            for word in ["serving", "advertising"]:
                line = stranger.stdout.readline()
                self.assertTrue(line.strip() in ["serving", "advertising"], line)
            a, b = self.open_pair()
            self.say(a, b, "hello", "1")
            for node in [a, b]:
                self.assertEqual(self.stats(node)["ble.links"], 1)
            self.say(b, a, "hello", "1")
        finally:
            stranger.kill()
            stranger.communicate()
