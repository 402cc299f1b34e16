"""Real faults on real processes: killed, starved, stopped, with a clock that jumps."""

import hashlib
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import time

import airlink_wire as wire
import lab as laboratory
import node
from system_test import SystemTest

SEED = int(os.environ.get("AIRLINK_SEED", "0"))
HERE = pathlib.Path(__file__).resolve().parent


def digests(folder):
    """The files of a folder and what is in them."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


def no_compiler():
    return None if shutil.which("clang") else "no clang here, which the Swift toolchain brings"


class FaultTest(SystemTest):
    def pair(self, **options):
        """Ada listens, Bob dials her; both on this machine's loopback, nothing announced."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        ada = self.node("Ada", "--discovery", "off", "--listen", f"127.0.0.1:{port}",
                        **options.get("ada", {}))
        ada.ready()
        bob = self.node("Bob", "--discovery", "off", "--peer", f"127.0.0.1:{port}",
                        **options.get("bob", {}))
        bob.ready()
        bob.expect(event="peer", number=ada.number)
        ada.expect(event="peer", number=bob.number)
        self.port = port
        return ada, bob

    def say(self, sender, receiver, text):
        sender.text(receiver.number, text, ref=text)
        receiver.got(text)
        sender.delivered(text)


class KillTests(FaultTest):
    limit = 600

    def test_nothing_said_to_be_delivered_was_lost_to_kill_9(self):
        """Kills one side at random moments while texts flow both ways."""
        kills = 300 if node.is_long() else 100
        chance = random.Random(SEED)
        ada, bob = self.pair()
        # Known to each other on disk, or a restarted node could not write at once.
        self.say(ada, bob, "hello")
        self.say(bob, ada, "hello to you")
        numbers = {ada: ada.number, bob: bob.number}
        identities = {one: self.identity(one) for one in (ada, bob)}
        deaths = {ada: 0, bob: 0}
        sent = 0
        for _ in range(kills):
            # Bob dials, and a fresh dialler does so at once: killing him is the quicker round.
            victim = ada if chance.random() < 0.2 else bob
            for _ in range(chance.randrange(1, 6)):
                sender, receiver = (ada, bob) if chance.random() < 0.5 else (bob, ada)
                sender.send(cmd="send", to=numbers[receiver], text=f"text {sent}", ref=f"{sent}")
                sent += 1
            time.sleep(chance.random() ** 2 * 0.3)
            victim.kill()
            deaths[victim] += 1
            victim.start()
            ready = victim.ready()
            self.assertEqual((ready["number"], ready["temporary"]), (numbers[victim], False),
                             victim.transcript())
        self.assertEqual({one: self.identity(one) for one in (ada, bob)}, identities,
                         "the identity files are the same to the byte")

        # Both live on, and both ways work.
        self.say(bob, ada, "still there?")
        self.say(ada, bob, "still here")
        known = twice = 0
        for sender, receiver in ((ada, bob), (bob, ada)):
            shown = [event["text"] for event in receiver.seen(event="message")]
            delivered = {event["id"] for event in sender.seen(event="state", state="delivered")}
            texts = {event["id"]: event["ref"] for event in sender.seen(event="state")
                     if "ref" in event}
            for id in delivered:
                text = texts.get(id)
                if text is not None and text.isdigit():
                    self.assertIn(f"text {text}", shown, "delivered, and never shown")
                    known += 1
            repeats = len(shown) - len(set(shown))
            self.assertLessEqual(repeats, deaths[receiver], "shown twice without a death between")
            twice += repeats
        self.assertGreater(known, kills // 4, "it was too quick for anything to arrive")
        self.note(f"seed {SEED}: {sent} texts, {known} known as delivered, {twice} shown twice, "
                  f"{deaths[ada]} and {deaths[bob]} deaths")

    def test_kill_9_while_the_identity_is_made_leaves_one_or_none(self):
        chance = random.Random(SEED + 1)
        for turn in range(20 if node.is_long() else 8):
            one = self.node(f"turn{turn}", "--discovery", "off", "--listen", "127.0.0.1:0")
            time.sleep(chance.random() * 0.15)
            one.kill()
            seen = one.seen(event="ready")
            one.start()
            ready = one.ready()
            self.assertFalse(ready["temporary"], one.transcript())
            if seen:
                self.assertEqual(ready["number"], seen[0]["number"])
            self.assertEqual(one.quit(), 0)

    def identity(self, one):
        """The files that make the identity, by content."""
        return {name: digest for name, digest in digests(one.home).items() if "identity" in name}


class StopTests(FaultTest):
    limit = 300

    def test_a_node_that_was_stopped_for_a_minute_has_missed_nothing(self):
        ada, bob = self.pair()
        ada.stop()
        bob.text(ada.number, "take your time", ref="1")
        time.sleep(60 if node.is_long() else 18)  # longer than the user timeout either way
        self.assertFalse(bob.seen(event="state", ref="1", state="delivered"))
        ada.resume()
        ada.got("take your time")
        bob.delivered("1")
        self.say(ada, bob, "here I am")

    def test_signals_that_ask_to_leave_are_followed_and_what_waits_is_named(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                one = self.node(f"One-{number.name}", "--discovery", "off")
                one.ready()
                one.signal(number)
                self.assertEqual(one.wait(), 0)
        ada, bob = self.pair()
        self.say(ada, bob, "hello")
        bob.kill()
        ada.expect(event="link", state="down")
        id = ada.text(bob.number, "too late", ref="late")
        ada.signal(signal.SIGTERM)
        self.assertEqual(ada.wait(), 0)
        self.assertEqual(len(ada.seen(event="state", id=id, state="failed", reason="stopped")), 1)


class StarvedTests(FaultTest):
    limit = 300

    needs = [wire.missing]

    def setUp(self):
        super().setUp()
        # Beside busy processors: who has threads to look after looks after them now.
        for _ in range(os.cpu_count() + 1):
            busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
            self.addCleanup(busy.wait)
            self.addCleanup(busy.kill)

    def test_without_descriptors_nothing_falls_and_connections_are_taken_again_later(self):
        ada, bob = self.pair()
        self.assertEqual(len(os.listdir(f"/proc/{ada.pid}/task")), 1, "one thread and no more")
        self.say(bob, ada, "before")
        self.say(ada, bob, "before, too")
        early = self.stranger()
        ada.expect(event="peer", name="Early")
        links = len(ada.ask("links"))

        # Not one more: every number below the limit is taken.
        taken = {int(name) for name in os.listdir(f"/proc/{ada.pid}/fd")}
        lowest_free = min(set(range(len(taken) + 1)) - taken)
        soft, hard = resource.prlimit(ada.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(ada.pid, resource.RLIMIT_NOFILE, (lowest_free, hard))
        late = wire.Line(("127.0.0.1", self.port))
        self.assertTrue(late.closed(), "turned away, not left to wait")
        laboratory.wait_until(lambda: self.told(ada), "Ada to say why", node.LIMIT)

        # What is linked goes on; she takes a rest between those she turns away.
        waiting = [wire.Line(("127.0.0.1", self.port)) for _ in range(20)]
        self.say(bob, ada, "while there is none left")
        self.say(ada, bob, "and back")
        self.assertEqual(len(ada.ask("links")), links, "nobody lost a link")
        turned_away = self.turned_away(ada)
        busy = self.cpu_seconds(ada.pid)
        time.sleep(2)
        self.assertLess(self.cpu_seconds(ada.pid) - busy, 0.3, "it does not spin")
        self.assertLessEqual(self.turned_away(ada), turned_away + 3, "it rests")
        self.assertEqual(self.told(ada), 1, "said once")

        for line in waiting:
            line.close()
        resource.prlimit(ada.pid, resource.RLIMIT_NOFILE, (soft, hard))
        again = self.stranger("Again")
        ada.expect(event="peer", name="Again")
        mark = bob.mark()
        bob.kill()
        bob.start()
        bob.ready()
        bob.expect(since=mark, event="peer", number=ada.number)
        self.say(bob, ada, "and after")
        for line in (early, late, again):
            line.close()
        self.assertEqual(ada.quit(), 0)

    def test_a_limit_too_low_to_start_with_is_no_crash(self):
        for limit in range(3, 24):
            done = subprocess.run(
                ["prlimit", f"--nofile={limit}", "--", node.program("airlink-node"), "--json",
                 "--key-file", "--home", self.folder / f"limit{limit}", "--listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=node.LIMIT,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
            # 127 is the system's, which finds the libraries no more.
            self.assertIn(done.returncode, (0, 1, 127), f"limit {limit}: {done}")
            if done.returncode == 1:
                self.assertRegex(done.stderr, "^airlink-node: error: ", f"limit {limit}")

    def stranger(self, name="Early"):
        """A connection over which somebody says hello."""
        line = wire.Line(("127.0.0.1", self.port))
        line.send(wire.Person(name).hello())
        return line

    def turned_away(self, one):
        return next(figure["value"] for figure in one.ask("stats")
                    if figure["name"].endswith("descriptors-exhausted"))

    def told(self, one):
        return sum("no file descriptor is left" in line for line in one.lines)

    def cpu_seconds(self, pid):
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class DiskTests(FaultTest):
    limit = 300

    needs = [laboratory.unavailable]

    def setUp(self):
        super().setUp()
        self.net = self.lab()
        self.a, self.b = self.net.chain("a", "b")

    def small_home(self, name, size):
        """A home on a file system of its own, seen through the host's eyes from here."""
        home = self.folder / name
        home.mkdir(mode=0o700)
        self.a.mount_small(home, size)
        return home

    def fill(self, home):
        self.a.run(["sh", "-c", f"dd if=/dev/zero of={home}/filler bs=4096 2>/dev/null || true"])

    def listing(self, home):
        return self.a.run(["sh", "-c", f"cd {home} && find . -type f ! -name filler -exec "
                           "sha256sum {} + | sort -k 2"])

    def test_first_use_on_a_full_disk_says_so_and_leaves_nothing(self):
        home = self.small_home("Full", 65536)
        self.fill(home)
        one = self.node("Full", "--discovery", "off", host=self.a)
        self.assertEqual(one.wait(), 1, one.transcript())
        self.assertIn("space", one.transcript().lower())
        self.assertEqual([], [line for line in self.listing(home).splitlines()
                              if not line.endswith(".lock")])

    def test_a_disk_that_fills_up_takes_neither_node_nor_identity(self):
        home = self.small_home("Ada", 256 * 1024)
        ada = self.node("Ada", "--discovery", "off", "--listen", "41234", host=self.a)
        ada.ready()
        bob = self.node("Bob", "--discovery", "off", "--peer", "10.77.1.1:41234", host=self.b)
        bob.ready()
        bob.expect(event="peer", number=ada.number)
        self.say(bob, ada, "before")
        self.say(ada, bob, "before, too")
        identity = [line for line in self.listing(home).splitlines() if "identity" in line]
        self.assertTrue(identity)
        self.fill(home)
        bob.text(ada.number, "while it is full", ref="full")
        ada.got("while it is full")
        ada.send(cmd="send", to=bob.number, text="I can still write", ref="write")
        bob.got("I can still write")
        time.sleep(1)
        self.assertTrue(ada.running(), ada.transcript())
        after = [line for line in self.listing(home).splitlines() if "identity" in line]
        self.assertEqual(after, identity)
        self.a.run(["rm", f"{home}/filler"])
        self.say(bob, ada, "and after")
        self.assertEqual(ada.quit(), 0)
        number = ada.number
        ada.start()
        self.assertEqual((ada.ready()["number"], ada.ready()["temporary"]), (number, False))


class ClockTests(FaultTest):
    limit = 300

    needs = [no_compiler]

    def setUp(self):
        super().setUp()
        self.shim = self.folder / "clock.so"
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", self.shim, HERE / "clock.c",
                        "-ldl"], check=True)
        self.offset = self.folder / "offset"
        self.jump(0)
        self.jumpy = {"environment": {"LD_PRELOAD": str(self.shim),
                                      "AIRLINK_CLOCK": str(self.offset)}}

    def jump(self, seconds):
        """Sets the clock of the nodes that look at it, in one step."""
        new = self.folder / "offset.new"
        new.write_text(str(seconds))
        new.rename(self.offset)

    def test_texts_wait_until_a_clock_that_jumped_is_right_again(self):
        for name, seconds in (("ahead", 7 * 3600), ("behind", -7 * 3600)):
            with self.subTest(name):
                ada, bob = self.pair(ada=self.jumpy)
                self.say(bob, ada, f"before {name}")
                self.jump(seconds)
                bob.text(ada.number, f"meanwhile {name}", ref=name)
                time.sleep(3)
                self.assertFalse(ada.seen(event="message", text=f"meanwhile {name}"))
                self.jump(0)
                bob.send(cmd="announce")
                ada.send(cmd="announce")
                # Ada's hello makes Bob send it again.
                self.announce_until(ada, lambda: ada.seen(event="message", text=f"meanwhile {name}"))
                bob.delivered(name)
                self.say(ada, bob, f"after {name}")
                for one in (ada, bob):
                    self.assertEqual(one.quit(), 0)
                    shutil.rmtree(one.home)

    def announce_until(self, one, condition):
        def ask():
            if condition():
                return True
            one.send(cmd="announce")
            time.sleep(1)
            return False
        laboratory.wait_until(ask, "the text to come", node.LIMIT)

    def test_a_wrong_clock_is_said_with_how_much(self):
        self.jump(2 * 3600)
        ada = self.node("Ada", "--discovery", "off", "--listen", "127.0.0.1:0", **self.jumpy)
        port = ada.ready()["port"]
        for name in ("Bob", "Cleo", "Dora"):
            self.assertFalse(ada.seen(event="warning"), "two people may be wrong")
            other = self.node(name, "--discovery", "off", "--peer", f"127.0.0.1:{port}")
            ada.expect(event="peer", number=other.ready()["number"])
        warning = ada.expect(event="warning", code="clock")
        self.assertRegex(warning["message"], r"2 h|120 min|2 hours")
