"""airlink-keytool where each system call in turn fails, or is the last one before a sudden end.

strace puts the failure or the signal in: at the first write, at the second, and so on, until there
is no further one. After each the identity must be there in one piece, or there must be room for it.
"""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import node

CALLS = ["fsync", "renameat", "linkat", "unlinkat", "fchmod", "write"]
READING_CALLS = ["flock", "openat", "pread64"]
# For every try a passphrase is worked out three times, so runs by hand take the main ones alone.
SHORT_CALLS = ["fsync", "renameat", "linkat"]
FILES = ["identity", "identity.key", "contacts", "identity.tmp", "identity.key.tmp", "contacts.tmp",
         "identity.lock", "contacts.lock"]
FAULTS = ["error=EIO", "signal=KILL"]


def cannot_trace():
    if not shutil.which("strace"):
        return "no strace"
    done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True)
    return None if done.returncode == 0 else "this machine lets nobody trace a process"


class KeytoolStepTests(unittest.TestCase):
    limit = 900

    @classmethod
    def setUpClass(cls):
        node.require("airlink-keytool")
        if reason := cannot_trace():
            raise unittest.SkipTest(reason)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="airlink-steps-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.home, self.saved = self.folder / "home", self.folder / "saved"
        self.passphrase = self.folder / "passphrase"
        self.passphrase.write_text("one")
        self.passphrase.chmod(0o600)

    def tool(self, *words, wrapper=()):
        return subprocess.run([*wrapper, node.program("airlink-keytool"), "--home", str(self.home),
                               *words], capture_output=True, text=True, timeout=node.LIMIT)

    def number(self, *words):
        shown = self.tool("show", "--json", *words)
        return json.loads(shown.stdout)["number"] if shown.returncode == 0 else None

    def restore(self):
        shutil.rmtree(self.home, ignore_errors=True)
        if self.saved.exists():
            shutil.copytree(self.saved, self.home, copy_function=shutil.copy2)

    def each_fault(self, *words, calls=CALLS):
        """Runs the command with every fault in turn, on the home as it was saved."""
        log = self.folder / "trace"
        paths = [option for name in ["", *FILES] for option in ("-P", str(self.home / name))]
        for call in calls if node.is_long() else SHORT_CALLS:
            for fault in FAULTS:
                for place in range(1, 100):
                    self.restore()
                    inject = f"inject={call}:{fault}:when={place}"
                    done = self.tool(*words, wrapper=[
                        "strace", "-f", "-qq", "-o", str(log), *paths, "-e", f"trace={call}",
                        "-e", inject])
                    text = log.read_text()
                    if "(INJECTED)" not in text and "killed by SIGKILL" not in text:
                        self.assertEqual(done.returncode, 0, f"{inject}: {done.stderr}")
                        break
                    with self.subTest(inject):
                        if fault.startswith("error") and done.returncode != 0:
                            self.assertEqual(done.returncode, 1)
                            self.assertIn("airlink-keytool: error: ", done.stderr)
                        yield done

    def test_create(self):
        for done in self.each_fault("create", "--key-file", calls=CALLS + READING_CALLS):
            number = self.number()
            if number is None:
                self.assertFalse((self.home / "identity").exists())
                self.assertNotEqual(done.returncode, 0)
                again = self.tool("create", "--key-file")
                self.assertEqual(again.returncode, 0, again.stderr)
                self.assertEqual(self.number(), again.stdout.strip())
                self.assertEqual([path.name for path in self.home.iterdir()
                                  if path.suffix == ".tmp"], [])
            elif done.returncode == 0:
                self.assertEqual(number, done.stdout.strip())

    def test_passwd_to_a_key_file(self):
        self.tool("create", "--passphrase-file", str(self.passphrase))
        number = self.number("--passphrase-file", str(self.passphrase))
        self.home.rename(self.saved)
        for _ in self.each_fault("passwd", "--passphrase-file", str(self.passphrase),
                                 "--new-key-file"):
            found = self.number() or self.number("--passphrase-file", str(self.passphrase))
            self.assertEqual(found, number)

    def test_passwd_from_a_key_file(self):
        self.tool("create", "--key-file")
        number = self.number()
        self.home.rename(self.saved)
        for _ in self.each_fault("passwd", "--new-passphrase-file", str(self.passphrase)):
            found = self.number("--passphrase-file", str(self.passphrase)) or self.number()
            self.assertEqual(found, number)

    def test_contacts(self):
        self.tool("create", "--key-file")
        self.tool("block", "7M2K-Q9XD")
        self.home.rename(self.saved)
        for done in self.each_fault("block", "7M2K-Q9XE", calls=CALLS + READING_CALLS):
            listed = self.tool("contacts")
            self.assertEqual(listed.returncode, 0, listed.stderr)
            blocked = [line.split()[0] for line in listed.stdout.splitlines()]
            self.assertIn(blocked, [["7M2K-Q9XD"], ["7M2K-Q9XD", "7M2K-Q9XE"]])
            if done.returncode == 0:
                self.assertEqual(len(blocked), 2)
            again = self.tool("block", "7M2K-Q9XE")
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(len(self.tool("contacts").stdout.splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
