"""--keyring with GNOME's own keyring on a bus of its own: there, locked, gone, and back."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import lab
import node

PASSWORD = b"a password for the test\n"


def unavailable():
    for program in ("dbus-daemon", "gnome-keyring-daemon"):
        if shutil.which(program) is None:
            return f"no {program} here"
    return None


class KeyringTests(unittest.TestCase):
    limit = 200

    @classmethod
    def setUpClass(cls):
        node.require("airlink-keytool", "airlink-node")
        if unavailable():
            raise unittest.SkipTest(unavailable())

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="airlink-keyring-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "run").mkdir(mode=0o700)
        self.home = self.folder / "home"
        self.environment = {
            **os.environ, "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "XDG_DATA_HOME": str(self.folder / "data"), "SWIFT_BACKTRACE": "enable=no",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/bus"}
        self.environment.pop("DISPLAY", None)
        # A bus that starts nothing by itself: who is there is who the test started.
        (self.folder / "bus.conf").write_text(
            "<!DOCTYPE busconfig PUBLIC '-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN' "
            "'http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd'><busconfig>"
            f"<type>session</type><listen>unix:path={self.folder}/bus</listen>"
            "<auth>EXTERNAL</auth><policy context='default'>"
            "<allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/>"
            "<allow own='*'/></policy></busconfig>")
        self.start("dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile")
        lab.wait_until(lambda: (self.folder / "bus").exists(), "a bus")
        self.keyring = None

    def start(self, *command, **options):
        process = subprocess.Popen(
            lab.dies_with_us(list(command)), env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, **options)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def start_keyring(self, unlocked=True):
        command = ["gnome-keyring-daemon", "--foreground", "--components=secrets"]
        if unlocked:
            self.keyring = self.start(*command, "--unlock", stdin=subprocess.PIPE)
            self.keyring.stdin.write(PASSWORD)
            self.keyring.stdin.close()
        else:
            self.keyring = self.start(*command, stdin=subprocess.DEVNULL)
        lab.wait_until(lambda: "org.freedesktop.secrets" in self.names(), "the keyring on the bus")

    def stop_keyring(self):
        self.keyring.kill()
        self.keyring.wait()
        lab.wait_until(lambda: "org.freedesktop.secrets" not in self.names(), "no keyring")

    def names(self):
        return subprocess.run(
            ["dbus-send", "--session", "--dest=org.freedesktop.DBus", "--print-reply=literal", "/",
             "org.freedesktop.DBus.ListNames"], env=self.environment, capture_output=True, text=True,
            timeout=node.LIMIT).stdout

    def tool(self, *words):
        return subprocess.run(
            [node.program("airlink-keytool"), "--home", str(self.home), *words],
            env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=node.LIMIT)

    def refused(self, done, words):
        self.assertEqual(done.returncode, 1, done)
        first = done.stderr.splitlines()[0]
        self.assertTrue(first.startswith("airlink-keytool: error: "), done.stderr)
        self.assertIn(words, first)

    def run_node(self):
        """The ready event and warnings of a node that starts and leaves."""
        one = node.Node(self.home, "--discovery", "off", unseal=["--keyring"],
                        environment=self.environment)
        self.addCleanup(one.kill)
        one.start()
        ready = one.ready()
        self.assertEqual(one.quit(), 0)
        return ready, one.seen(event="warning", code="temporary-identity")

    def test_an_identity_in_the_keyring_opens_with_it_alone_and_is_never_touched(self):
        # Without a keyring nothing is made.
        self.refused(self.tool("create", "--keyring"), "no keyring service runs")
        self.assertFalse(self.home.exists())
        self.start_keyring()
        made = self.tool("create", "--keyring", "--name", "Ada")
        self.assertEqual(made.returncode, 0, made.stderr)
        number, identity = made.stdout.strip(), (self.home / "identity").read_bytes()
        shown = self.tool("show", "--keyring")
        self.assertIn(number, shown.stdout, shown)
        # What the identity says of itself is enough.
        self.assertIn(number, self.tool("show").stdout)
        ready, warnings = self.run_node()
        self.assertEqual((ready["number"], ready["temporary"], warnings), (number, False, []))
        # Gone: one clear line, and a node of this run only.
        self.stop_keyring()
        self.refused(self.tool("show"), "no keyring service runs")
        ready, warnings = self.run_node()
        self.assertTrue(ready["temporary"])
        self.assertIn("keyring", warnings[0]["message"])
        # Locked, and with nobody there to be asked.
        self.start_keyring(unlocked=False)
        done = self.tool("show")
        self.assertEqual(done.returncode, 1, done)
        ready, warnings = self.run_node()
        self.assertTrue(ready["temporary"])
        self.stop_keyring()
        # One that holds nothing, and one that does not answer.
        self.environment["XDG_DATA_HOME"] = str(self.folder / "other")
        self.start_keyring()
        self.refused(self.tool("show"), "it holds no key for this identity")
        ready, warnings = self.run_node()
        self.assertTrue(ready["temporary"])
        os.kill(self.keyring.pid, signal.SIGSTOP)
        ready, warnings = self.run_node()
        self.assertTrue(ready["temporary"])
        self.assertIn("does not answer", warnings[0]["message"])
        self.stop_keyring()
        # Back.
        self.environment["XDG_DATA_HOME"] = str(self.folder / "data")
        self.start_keyring()
        self.assertIn(number, self.tool("show").stdout)
        self.assertEqual((self.home / "identity").read_bytes(), identity)

    def test_sealed_anew_the_old_key_goes_and_the_new_one_opens(self):
        self.start_keyring()
        self.assertEqual(self.tool("create", "--key-file").returncode, 0)
        number = self.tool("show", "--json").stdout
        done = self.tool("passwd", "--new-keyring")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.home / "identity.key").exists())
        self.assertEqual(self.tool("show", "--json", "--keyring").stdout, number)
        before = (self.home / "identity").read_bytes()
        self.stop_keyring()
        self.refused(self.tool("passwd", "--new-key-file"), "no keyring service runs")
        self.assertEqual((self.home / "identity").read_bytes(), before)
