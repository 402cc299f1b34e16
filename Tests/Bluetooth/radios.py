"""What the Bluetooth tests share: nodes on controllers, and the daemon between them."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from node import Node

LIMIT = 60  # seconds: the machine is ten to a hundred times slower than a real one
DAEMON = "/usr/libexec/bluetooth/bluetoothd"
ADDRESSES = ["00:AA:01:00:00:00", "00:AA:01:01:00:01", "00:AA:01:02:00:02"]


def quietly(*command):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=LIMIT)


def wait_for(condition, what, limit=LIMIT):
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {limit} s"
        time.sleep(0.1)


class Daemon:
    """The bluetoothd of the machine, kept alive as a service manager would: 5.66 crashes at times."""

    wanted = True
    crashes = 0
    keeper = None

    @staticmethod
    def pids():
        """Without a process of its own, which takes the machine a tenth of a second."""
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/comm") as comm:
                    if name.isdigit() and comm.read().strip() == "bluetoothd":
                        with open(f"/proc/{name}/stat") as stat:
                            if stat.read().rsplit(")", 1)[1].split()[0] != "Z":
                                found.append(int(name))
            except OSError:
                pass
        return found

    @classmethod
    def kill(cls):
        cls.wanted = False
        for pid in cls.pids():
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not cls.pids(), "the end of bluetoothd")

    @classmethod
    def start(cls):
        """Starts it where it does not run, and waits for its adapters."""
        if not cls.pids():
            cls.launch()
        cls.wanted = True
        if cls.keeper is None:
            cls.keeper = threading.Thread(target=cls.keep, daemon=True)
            cls.keeper.start()
        for number in range(3):
            wait_for(lambda: cls.powered(number), f"hci{number}")

    @classmethod
    def launch(cls):
        log = open(os.path.join(os.environ.get("TESTBED_OUT", "/tmp"), "again.log"), "ab")
        subprocess.Popen([DAEMON, "--nodetach"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                         start_new_session=True)

    @classmethod
    def keep(cls):
        while True:
            time.sleep(1)
            if cls.wanted and not cls.pids():
                cls.crashes += 1
                print("bluetoothd ended by itself and is started again", flush=True)
                cls.launch()
                time.sleep(3)

    @staticmethod
    def powered(number):
        return "true" in quietly("busctl", "get-property", "org.bluez", f"/org/bluez/hci{number}",
                                 "org.bluez.Adapter1", "Powered").stdout

    @staticmethod
    def power(number, on):
        done = quietly("busctl", "set-property", "org.bluez", f"/org/bluez/hci{number}",
                       "org.bluez.Adapter1", "Powered", "b", "true" if on else "false")
        assert done.returncode == 0, done.stderr


class BluetoothTest(unittest.TestCase):
    """Nodes that have nothing but Bluetooth, unless they are told otherwise."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.nodes = []
        Daemon.start()

    def tearDown(self):
        # In order, so that no connection is left for the next test.
        for node in self.nodes:
            if node.running():
                try:
                    node.quit(20)
                except (AssertionError, OSError, subprocess.TimeoutExpired):
                    pass
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def node(self, number, *arguments, name=None, peers=None, wifi=("--wifi", "off"), start=True):
        environment = {}
        if peers is not None:
            environment["AIRLINK_BLE_PEERS"] = ",".join(ADDRESSES[peer] for peer in peers)
        node = Node(os.path.join(self.folder, name or f"n{number}"), *wifi, "--ble", "bluez",
                    "--ble-adapter", f"hci{number}", "--log-level", "info", "--audio", "off",
                    "--name", name or f"N{number}", *arguments, environment=environment)
        self.nodes.append(node)
        if start:
            node.start()
        return node

    def pair(self, *arguments):
        """Two nodes that have met; the third controller is out of it."""
        a = self.node(0, *arguments, peers=[1])
        b = self.node(1, *arguments, peers=[0])
        self.meet(a, b)
        return a, b

    def meet(self, a, b):
        a.ready()
        b.ready()
        for one, other in [(a, b), (b, a)]:
            one.expect(LIMIT, event="peer", number=other.number, direct=True)

    def say(self, one, other, text, ref, limit=LIMIT):
        """A text that arrives as it was sent, once, and whose receipt comes back."""
        one.send(cmd="send", to=other.number, text=text, ref=ref)
        other.expect(limit, event="message", text=text)
        one.expect(limit, event="state", ref=ref, state="delivered")
        assert len(other.seen(event="message", text=text)) == 1, f"{ref} was shown twice"

    def stats(self, node):
        return {one["name"]: one["value"] for one in node.ask("stats")}

    def linked(self, node):
        return self.stats(node)["node.links"] > 0
