"""airlink-keytool against full disks, other processes at once, and its own sudden end."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import node

ROUNDS, LONG_ROUNDS = 10, 60
TMPFS = "size=64k,nr_inodes=64,mode=700"


class KeytoolTests(unittest.TestCase):
    limit = 300

    @classmethod
    def setUpClass(cls):
        node.require("airlink-keytool")
        cls.rounds = LONG_ROUNDS if node.is_long() else ROUNDS

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="airlink-keytool-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def command(self, home, *words):
        return [node.program("airlink-keytool"), "--home", str(home), *words]

    def tool(self, home, *words, **options):
        return subprocess.run(self.command(home, *words), capture_output=True, text=True,
                              timeout=node.LIMIT, **options)

    def number(self, home):
        shown = self.tool(home, "show", "--json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        return json.loads(shown.stdout)["number"]

    def files(self, home):
        return {path.name: path.read_bytes() for path in home.iterdir() if path.suffix != ".lock"}

    def test_of_creations_at_once_exactly_one_wins(self):
        for turn in range(self.rounds):
            home = self.folder / str(turn)
            started = [subprocess.Popen(self.command(home, "create", "--key-file", "--name", str(i)),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                       for i in range(6)]
            done = [(process.communicate(timeout=node.LIMIT), process.returncode)
                    for process in started]
            winners = [output.strip() for (output, _), code in done if code == 0]
            self.assertEqual(len(winners), 1, done)
            self.assertEqual(self.number(home), winners[0])
            for (output, errors), code in done:
                if code != 0:
                    self.assertEqual((output, code), ("", 1))
                    self.assertIn("there is an identity at", errors)
            self.assertEqual(sorted(self.files(home)), ["identity", "identity.key"])

    def test_killed_at_any_moment_it_leaves_an_identity_or_room_for_one(self):
        seed = random.randrange(1 << 32)
        dice = random.Random(seed)
        began = time.monotonic()
        self.tool(self.folder / "probe", "create", "--key-file")
        usual = time.monotonic() - began
        for turn in range(self.rounds * 3):
            home = self.folder / str(turn)
            process = subprocess.Popen(self.command(home, "create", "--key-file"),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0, usual * 1.2))
            process.kill()
            process.wait()
            if (home / "identity").exists():
                self.number(home)
                continue
            again = self.tool(home, "create", "--key-file")
            self.assertEqual(again.returncode, 0, f"seed {seed}, turn {turn}: {again.stderr}")
            self.assertEqual(sorted(self.files(home)), ["identity", "identity.key"])
            self.assertEqual(self.number(home), again.stdout.strip())

    def test_killed_in_passwd_it_leaves_one_of_the_two_seals(self):
        seed = random.randrange(1 << 32)
        dice = random.Random(seed)
        one = self.folder / "one"
        one.write_text("one")
        one.chmod(0o600)
        home = self.folder / "home"
        number = self.tool(home, "create", "--key-file").stdout.strip()
        before = self.files(home)
        for turn in range(self.rounds):
            process = subprocess.Popen(self.command(home, "passwd", "--new-passphrase-file", one),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0, 2.5))
            process.kill()
            process.wait()
            after = self.files(home)
            if after["identity"] == before["identity"]:
                self.assertEqual(self.number(home), number)
                continue
            shown = self.tool(home, "show", "--json", "--passphrase-file", one)
            self.assertEqual(json.loads(shown.stdout)["number"], number, f"seed {seed}")
            for path in home.iterdir():
                path.unlink()
            for name, content in before.items():
                (home / name).write_bytes(content)
                (home / name).chmod(0o600)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount a small disk")
    def test_a_full_disk_leaves_what_was_there(self):
        # The disk lives in a mount namespace of this one shell, and goes with it.
        script = r"""
        set -eu
        mount -t tmpfs -o "$1" none "$2"
        tool="$3"; home="$2/home"
        fill() { head -c 10M /dev/zero >"$2/ballast" 2>/dev/null || true; }
        free() { rm "$2/ballast"; }
        fill "$@"
        if "$tool" --home "$home" create --key-file; then echo created on a full disk; fi
        test ! -e "$home/identity"
        free "$@"
        "$tool" --home "$home" create --key-file >/dev/null
        "$tool" --home "$home" block 7M2K-Q9XD
        cp -a "$home" "$4/before"
        fill "$@"
        if "$tool" --home "$home" block 7M2K-Q9XE; then echo blocked on a full disk; fi
        printf one >"$4/one"; chmod 600 "$4/one"
        if "$tool" --home "$home" passwd --new-passphrase-file "$4/one"; then echo sealed; fi
        "$tool" --home "$home" show >/dev/null
        rm -f "$home"/*.lock "$4"/before/*.lock
        diff -r "$4/before" "$home"
        free "$@"
        "$tool" --home "$home" block 7M2K-Q9XE
        test "$("$tool" --home "$home" contacts | wc -l)" = 2
        """
        disk = self.folder / "disk"
        disk.mkdir()
        done = subprocess.run(
            ["unshare", "-m", "bash", "-c", script, "bash", TMPFS, str(disk),
             node.program("airlink-keytool"), str(self.folder)],
            capture_output=True, text=True, timeout=node.LIMIT)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(done.stderr.count("No space left on device"), 3, done.stderr)
        self.assertEqual(done.stderr.count("hint: make room on the disk"), 3, done.stderr)

    def test_changes_of_many_processes_at_once_are_all_kept(self):
        home = self.folder / "home"
        self.tool(home, "create", "--key-file")
        digits = "23456789ABCDEFGHJKMN"
        started = [subprocess.Popen(self.command(home, "block", f"7M2K-Q9X{digit}"),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                   for digit in digits]
        for process in started:
            _, errors = process.communicate(timeout=node.LIMIT)
            self.assertEqual(process.returncode, 0, errors)
        listed = self.tool(home, "contacts").stdout.splitlines()
        self.assertEqual([line[8] for line in listed], list(digits))

    def test_no_secret_stands_in_a_file_in_clear(self):
        home = self.folder / "home"
        self.tool(home, "create", "--key-file", "--name", "Ada Lovelace")
        number = self.number(home)
        self.tool(home, "block", "7M2K-Q9XD")
        for name, content in self.files(home).items():
            self.assertNotIn(b"Lovelace", content, name)
            self.assertNotIn(number.encode(), content, name)

    def test_a_terminal_that_goes_away_in_a_prompt_ends_it(self):
        pid, master = os.forkpty()
        if pid == 0:
            os.execv(node.program("airlink-keytool"),
                     self.command(self.folder / "home", "create", "--name", "Ada"))
        shown = b""
        while b"passphrase" not in shown:
            shown += os.read(master, 4096)
        os.close(master)
        end = time.monotonic() + node.LIMIT
        while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0):
            self.assertLess(time.monotonic(), end, "it waits for a terminal that is gone")
            time.sleep(0.05)
        self.assertNotEqual(os.waitstatus_to_exitcode(ended[1]), 0)
        self.assertFalse((self.folder / "home").exists())
        self.assertNotEqual(os.waitstatus_to_exitcode(ended[1]), -signal.SIGSEGV)


if __name__ == "__main__":
    unittest.main()
