"""Calls with sound: WAV files in and out at two hosts, and everything that can go wrong with it."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import time

import lab as laboratory
import melody
import node
from sound import read_wav, tone, write_wav
from system_test import SystemTest

EMBEDDED = ["--discovery", "embedded"]


def sound_processes(one):
    """The audio processes of a node."""
    found = []
    for pid in laboratory.children(one.pid):
        try:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "airlink-callaudio":
                found.append(pid)
        except FileNotFoundError:
            pass  # gone meanwhile, or about to be reaped
    return found


def descriptors(one):
    return len(os.listdir(f"/proc/{one.pid}/fd"))


class SoundCase(SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        node.require("airlink-callaudio")

    def files(self, name, seconds=0, seed=1):
        """Options for a melody of its own in, and what it hears out."""
        options = ["--audio-out", str(self.folder / f"{name}-heard.wav")]
        if seconds:
            pitches = melody.notes(seconds, seed)
            write_wav(self.folder / f"{name}.wav", melody.samples(pitches))
            options += ["--audio-in", str(self.folder / f"{name}.wav")]
            self.pitches[name] = pitches
        return options

    def heard(self, name):
        return read_wav(self.folder / f"{name}-heard.wav")

    def setUp(self):
        super().setUp()
        self.pitches = {}

    def connect(self, caller, callee):
        marks = caller.mark(), callee.mark()
        caller.send(cmd="call", to=callee.number)
        ring = callee.expect(event="call", state="ringing", since=marks[1])
        if "--auto-answer" not in callee.arguments and "--echo-service" not in callee.arguments:
            callee.send(cmd="answer", nonce=ring["nonce"])
        for one, mark in zip((caller, callee), marks):
            one.expect(event="call", state="connected", since=mark)

    def end(self, one, other):
        marks = one.mark(), other.mark()
        one.send(cmd="hangup")
        ends = [node.expect(event="call", state="ended", since=mark)
                for node, mark in zip((one, other), marks)]
        for node in (one, other):
            laboratory.wait_until(lambda node=node: not sound_processes(node), "no audio process")
        return ends

    def check(self, listener, speaker, first, last, share, count=20):
        """That notes of the speaker were heard; returns how late, and which were."""
        heard, pitches = self.heard(listener), self.pitches[speaker]
        late = melody.delay(pitches, heard, first, count)
        self.assertIsNotNone(late, f"{listener} hears nothing of {speaker}")
        got = melody.heard_notes(pitches, heard, late, first, last)
        self.assertGreaterEqual(len(got), share * (last - first),
                                f"{listener} hears {len(got)} of notes {first} to {last}")
        return late, got


class CallSoundTests(SoundCase):
    limit = 400
    needs = [laboratory.unavailable, laboratory.loss_unavailable]

    def setUp(self):
        super().setUp()
        self.net = self.lab()
        self.hosts = [self.net.host(name) for name in "ab"]
        self.net.segment(*self.hosts)

    def pair(self, seconds, *arguments):
        """Two nodes that have heard of each other, with a melody each."""
        ada = self.node("Ada", *EMBEDDED, *self.files("Ada", seconds, 1), host=self.hosts[0])
        bob = self.node("Bob", *EMBEDDED, *self.files("Bob", seconds, 2), *arguments,
                        host=self.hosts[1])
        for one in (ada, bob):
            one.ready()
        ada.expect(event="peer", number=bob.number)
        bob.expect(event="peer", number=ada.number)
        return ada, bob

    def wait_for_direct(self, *nodes):
        for one in nodes:
            one.expect(event="call", state="connected", road="direct")

    def test_two_hosts_hear_each_other_and_lost_frames_are_mended(self):
        ada, bob = self.pair(20)
        self.connect(ada, bob)
        self.wait_for_direct(ada, bob)
        time.sleep(5)
        self.net.port(self.hosts[1]).lose(5)
        time.sleep(5)
        self.net.port(self.hosts[1]).lose(20)
        time.sleep(5)
        self.net.port(self.hosts[1]).lose(0)
        ends = self.end(ada, bob)
        for one, other in (("Ada", "Bob"), ("Bob", "Ada")):
            late, got = self.check(one, other, 20, 45, 0.9)
            mended = melody.heard_notes(self.pitches[other], self.heard(one), late, 65, 95)
            bad = melody.heard_notes(self.pitches[other], self.heard(one), late, 115, 145)
            self.note(f"{one} hears {other} {late * 1000:.0f} ms after the file; of 30 notes at 5 % "
                      f"loss {len(mended)}, at 20 % {len(bad)}")
            self.assertGreaterEqual(len(mended), 24)
            self.assertGreaterEqual(len(bad), 18)
            self.assertLess(late, 0.8)
        for event in ends:
            self.assertGreaterEqual(event["directPercent"], 50)
            self.assertLessEqual(event["lossPercent"], 20)
        quality = ada.seen(event="quality", road="direct")
        self.assertGreaterEqual(len(quality), 5)
        self.assertGreater(max(event["lossPercent"] for event in quality), 5)

    def test_a_direct_road_that_is_cut_or_works_one_way_is_left_within_three_seconds(self):
        ada, bob = self.pair(45)
        self.connect(ada, bob)
        self.wait_for_direct(ada, bob)
        port = self.net.port(self.hosts[1])
        for direction in ("both", "in", "out"):
            time.sleep(2)
            port.drop_datagrams(direction)
            time.sleep(5)
            port.drop_datagrams(None)
            time.sleep(1)
        ends = self.end(bob, ada)
        self.assertEqual(ends[0]["reason"], "hung-up")
        for one, other in (("Ada", "Bob"), ("Bob", "Ada")):
            heard, pitches = self.heard(one), self.pitches[other]
            late = melody.delay(pitches, heard, 2)
            self.assertIsNotNone(late)
            last = round(len(heard) / 24_000 / melody.NOTE) - 10
            got = set(melody.heard_notes(pitches, heard, late, 2, last))
            longest = gap = 0
            for n in range(2, last):
                gap = 0 if n in got else gap + 1
                longest = max(longest, gap)
            twice = melody.played_twice(pitches, heard, late, 2, last - 31)
            self.note(f"{one}: the longest silence is {longest * melody.NOTE:.1f} s; "
                      f"{len(twice)} notes twice")
            self.assertLessEqual(longest * melody.NOTE, 3.0)
            self.assertEqual(twice, [])
            self.assertGreater(len(got), 0.6 * (last - 2))
        self.assertFalse(ada.seen(event="warning", code="call-quiet"))

    def test_twenty_calls_in_a_row_leave_nothing_behind(self):
        ada, bob = self.pair(1)
        nodes = (ada, bob)

        def figure(one, name):
            return {s["name"]: s["value"] for s in one.ask("stats")}[name]

        def sightings(one):
            return figure(one, "wifi.discovery-sightings")

        time.sleep(2)
        seen = [sightings(one) for one in nodes]
        # The first call opens what stays open.
        self.connect(ada, bob)
        self.end(ada, bob)
        before = [descriptors(one) for one in nodes]
        for call in range(20):
            caller, callee = nodes[call % 2], nodes[1 - call % 2]
            self.connect(caller, callee)
            self.end(*((caller, callee) if call % 4 < 2 else (callee, caller)))
        for one, count, services in zip(nodes, before, seen):
            laboratory.wait_until(
                lambda one=one, services=services: sightings(one) <= services,
                "no call's service is known any more")
            laboratory.wait_until(lambda one=one, count=count: descriptors(one) <= count,
                                  "descriptors as before")
            # The last one has ended, and is reaped a few milliseconds later.
            laboratory.wait_until(
                lambda one=one: not laboratory.children(one.pid)
                and figure(one, "sound.processes") == 0, "no process is left", limit=10)
        self.assertFalse(ada.seen(event="warning") + bob.seen(event="warning"))


# In airlink-callaudio's place: hands its socket to the test, and stays.
GO_BETWEEN = """#!/usr/bin/python3
import os, socket, sys, time
with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as test:
    test.connect(os.environ["AIRLINK_TEST_SOUND"])
    socket.send_fds(test, [b"fd"], [3])
node = os.getppid()
while os.getppid() == node:
    time.sleep(0.1)
"""


class FrameTimeTests(SoundCase):
    """How long a frame takes from one audio process to the other."""

    limit = 120

    def sound_of(self, listener):
        with listener.accept()[0] as program:
            _, descriptors, _, _ = socket.recv_fds(program, 16, 1)
        pipe = socket.socket(fileno=descriptors[0])
        self.addCleanup(pipe.close)
        pipe.settimeout(node.LIMIT)
        return pipe

    def start(self, name, *options, alone):
        one = self.node(name, *options, start=False)
        one.command = lambda: [str(alone), "--json", "--home", one.home, "--key-file",
                               *one.arguments]
        return one

    def test_a_frame_is_handed_on_within_milliseconds(self):
        place = self.folder / "programs"
        place.mkdir()
        alone = shutil.copy(node.program("airlink-node"), place)
        (place / "airlink-callaudio").write_text(GO_BETWEEN)
        (place / "airlink-callaudio").chmod(0o700)
        nodes, listeners = [], []
        for name in ("Ada", "Bob"):
            path = str(self.folder / f"{name}.socket")
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.addCleanup(listener.close)
            listener.bind(path)
            listener.listen()
            listener.settimeout(node.LIMIT)
            one = self.start(name, *EMBEDDED, alone=alone)
            one.environment["AIRLINK_TEST_SOUND"] = path
            nodes.append(one.start())
            listeners.append(listener)
        ada, bob = nodes
        for one in nodes:
            one.ready()
        ada.expect(event="peer", number=bob.number)
        bob.expect(event="peer", number=ada.number)
        self.connect(ada, bob)
        speaker, hearer = map(self.sound_of, listeners)
        for one in nodes:
            one.expect(event="call", state="connected", road="direct")
        times = []
        for number in range(150):
            frame = struct.pack(">I", number) + bytes(56)
            began = time.perf_counter()
            speaker.send(b"\x82" + frame)
            while True:
                packet = hearer.recv(2_048)
                if packet[:1] == b"\x01" and packet[5:] == frame:
                    break
            times.append(time.perf_counter() - began)
            time.sleep(0.02)
        times.sort()
        median, late = times[75] * 1000, times[142] * 1000
        self.note(f"from audio process to audio process over the direct road: {median:.2f} ms at the "
                  f"median, {late:.2f} ms at the 95th percentile")
        self.assertLess(median, 10)
        ada.send(cmd="hangup")
        bob.expect(event="call", state="ended")


class SoundFailureTests(SoundCase):
    """On this machine alone: what dies, and what is refused."""

    limit = 300

    def pair(self, *arguments):
        common = ["--discovery", "off"]
        ada = self.node("Ada", *common, *self.files("Ada", 30, 1))
        port = ada.ready()["port"]
        bob = self.node("Bob", *common, *self.files("Bob"), "--peer", f"127.0.0.1:{port}", *arguments)
        bob.ready()
        ada.expect(event="peer", number=bob.number)
        bob.expect(event="peer", number=ada.number)
        return ada, bob

    def test_an_audio_process_that_is_killed_is_started_again_once(self):
        ada, bob = self.pair("--auto-answer")
        self.connect(ada, bob)
        time.sleep(4)
        [first] = sound_processes(bob)
        os.kill(first, signal.SIGKILL)
        bob.expect(event="warning", code="sound", sound="restarted")
        [second] = laboratory.wait_until(lambda: sound_processes(bob), "another audio process")
        self.assertNotEqual(first, second)
        time.sleep(2)
        os.kill(second, signal.SIGKILL)
        bob.expect(event="warning", code="sound", sound="gone")
        self.assertEqual(sound_processes(bob), [])
        # The call goes on, and ends as any does; what was heard before the crash is there.
        time.sleep(1)
        self.assertFalse(bob.seen(event="call", state="ended"))
        ends = self.end(ada, bob)
        self.assertEqual(ends[1]["reason"], "remote-ended")
        self.check("Bob", "Ada", 5, 15, 0.6, count=10)
        self.assertTrue((self.folder / "Bob-heard.2.wav").exists())
        # The next call has sound again.
        self.connect(ada, bob)
        laboratory.wait_until(lambda: sound_processes(bob), "an audio process")
        self.end(ada, bob)

    def test_a_node_that_is_killed_or_leaves_takes_its_audio_process_along(self):
        ada, bob = self.pair("--auto-answer")
        self.connect(ada, bob)
        time.sleep(2)
        [of_ada], [of_bob] = sound_processes(ada), sound_processes(bob)
        bob.kill()
        laboratory.wait_until(lambda: not os.path.exists(f"/proc/{of_bob}"), "Bob's sound is gone")
        read_wav(self.folder / "Bob-heard.wav")
        mark = ada.mark()
        self.assertEqual(ada.quit(), 0)
        self.assertTrue(ada.seen(event="call", state="ended", since=mark))
        self.assertFalse(os.path.exists(f"/proc/{of_ada}"))
        read_wav(self.folder / "Ada-heard.wav")

    def test_whoever_restarts_in_a_call_calls_again_when_the_other_side_hung_up(self):
        ada, bob = self.pair("--auto-answer")
        self.connect(ada, bob)
        bob.kill()
        bob.start()
        bob.ready()
        bob.expect(event="peer", number=ada.number, since=bob.began_at)
        mark = bob.mark()
        bob.send(cmd="call", to=ada.number)
        bob.expect(event="call", state="ended", reason="declined", since=mark)
        self.assertFalse(ada.seen(event="call", state="ringing"))
        ada.send(cmd="hangup")
        ada.expect(event="call", state="ended", reason="hung-up")
        self.connect(bob, ada)
        self.end(bob, ada)

    def test_an_echo_service_gives_voice_and_texts_back(self):
        ada, echo = self.pair("--echo-service")
        self.connect(ada, echo)
        self.assertEqual(sound_processes(echo), [])
        time.sleep(4)
        self.end(ada, echo)
        late, _ = self.check("Ada", "Ada", 5, 25, 0.8)
        self.note(f"the echo of one's own voice comes {late * 1000:.0f} ms after it")
        ada.text(echo.number, "Is this thing on?", "t")
        ada.delivered("t")
        ada.got("Is this thing on?")
        self.assertFalse(any(person.get("verified") for person in echo.ask("peers")))

    def test_files_and_devices_that_will_not_do_are_refused_at_once(self):
        bad = self.folder / "bad.wav"
        bad.write_bytes(b"RIFF this is no wave file at all")
        (self.folder / "empty.wav").write_bytes(b"")
        good = write_wav(self.folder / "good.wav", tone(440, 0.5))
        kept = self.folder / "kept.wav"
        kept.write_bytes(b"RIFF precious")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        secret = self.folder / "identity"
        secret.write_bytes(b"somebody's keys")
        cases = [
            (["--audio-in", bad], 1), (["--audio-in", self.folder / "empty.wav"], 1),
            (["--audio-in", self.folder / "none.wav"], 1), (["--audio-in", self.folder], 1),
            (["--audio-in", good, "--audio-out", self.folder / "no" / "out.wav"], 1),
            (["--audio-in", bad, "--audio-out", kept], 1),
            (["--audio-in", pipe], 1), (["--audio-in", good, "--audio-out", secret], 1), (["--audio-out", self.folder], 1),
            (["--audio-in", good, "--audio-out", good], 2),
            (["--audio", "default", "--audio-in", good], 2),
            (["--echo", "loud"], 2),
        ]
        for options, code in cases:
            with self.subTest(options=options):
                done = subprocess.run(
                    [node.program("airlink-node"), "--json", "--home", str(self.folder / "x"),
                     "--key-file", "--discovery", "off", *map(str, options)],
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=node.LIMIT)
                self.assertEqual(done.returncode, code, done.stderr)
                lines = [line for line in done.stderr.splitlines() if not line.startswith("hint: ")]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertTrue(lines[0].startswith("airlink-node: error: "), done.stderr)
                self.assertNotIn("ready", done.stdout)
        self.assertEqual(kept.read_bytes(), b"RIFF precious")
        self.assertEqual(secret.read_bytes(), b"somebody's keys")
        self.assertFalse((self.folder / "no").exists())
