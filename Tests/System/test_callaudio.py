"""airlink-callaudio as a node runs it, with files in place of sound cards."""

import os
import pathlib
import random
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import node
import sound
from sound import Sound, read_wav, share_of, tone, write_wav


class CallFileTests(unittest.TestCase):
    limit = 180

    @classmethod
    def setUpClass(cls):
        node.require("airlink-callaudio")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="airlink-sound-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def sound(self, *arguments, **options):
        started = Sound(*arguments, **options)
        self.addCleanup(started.kill)
        return started

    def pair(self, seconds=10):
        """Two sides, each with a tone of its own."""
        sides = []
        for name, hertz in (("a", 440), ("b", 700)):
            write_wav(self.folder / f"{name}.wav", tone(hertz, seconds))
            side = self.sound("--audio-in", self.folder / f"{name}.wav",
                              "--audio-out", self.folder / f"{name}-heard.wav")
            side.wait(lambda side=side: side.ready)
            sides.append(side)
        return sides

    def heard(self, name):
        return read_wav(self.folder / f"{name}-heard.wav")

    def test_two_sides_hear_each_other_in_real_time(self):
        a, b = self.pair()
        began = time.monotonic()
        sound.talk(a, b, 5)
        took = time.monotonic() - began
        self.assertEqual((a.stop(), b.stop()), (0, 0), (a, b))
        for side, name, hertz in ((a, "a", 700), (b, "b", 440)):
            self.assertEqual(side.ended, ("done", ""))
            self.assertEqual(side.ready["echo"], "off")
            self.assertEqual(side.ready["playback"], str(self.folder / f"{name}-heard.wav"))
            self.assertLess(abs(len(side.frames) - took * 50), 25)
            self.assertEqual({len(frame) for frame in side.frames}, {60})
            samples = self.heard(name)
            self.assertGreater(share_of(hertz, samples[sound.RATE:4 * sound.RATE]), 0.9)
            self.assertLess(abs(len(samples) / sound.RATE - took), 1)
            self.assertEqual(sum(s["lost"] for s in side.statistics), 0, side)
            self.assertLess(max(s["bufferMs"] or 0 for s in side.statistics), 100)
            self.assertTrue(all(s["inputDBFS"] > -25 for s in side.statistics[:1]))

    def test_with_loss_and_jitter_most_is_still_heard_and_the_loss_is_told(self):
        seed = random.randrange(1 << 32)
        dice = random.Random(seed)
        a, b = self.pair()
        sound.talk(a, b, 6, lambda n: None if dice.random() < 0.2 else dice.uniform(0, 0.05))
        a.stop(), b.stop()
        for side, name, hertz in ((a, "a", 700), (b, "b", 440)):
            due = sum(s["due"] for s in side.statistics)
            lost = sum(s["lost"] for s in side.statistics)
            self.assertTrue(0.12 < lost / due < 0.3, (seed, str(side)))
            self.assertGreater(sum(s["recovered"] for s in side.statistics), 0)
            self.assertGreater(share_of(hertz, self.heard(name)[2 * sound.RATE:5 * sound.RATE]), 0.6,
                               seed)

    def test_after_its_file_and_while_muted_frames_go_on_and_hold_silence(self):
        write_wav(self.folder / "short.wav", tone(440, 1, rate=44_100), 44_100)
        write_wav(self.folder / "long.wav", tone(440, 9))
        a = self.sound("--audio-in", self.folder / "short.wav")
        b = self.sound("--audio-in", self.folder / "long.wav",
                       "--audio-out", self.folder / "b.wav")
        sound.talk(a, b, 4, until=lambda: len(a.frames) >= 150)
        b.mute(True)
        sound.talk(a, b, 2.5)
        a.stop(), b.stop()
        samples = read_wav(self.folder / "b.wav")
        self.assertGreater(sound.level(samples[12_000:20_000]), 3_000)
        self.assertLess(sound.level(samples[2 * sound.RATE:]), 3)
        self.assertGreater(len(b.frames), 250)
        self.assertTrue(b.statistics[-1]["muted"] and not a.statistics[-1]["muted"])

    def test_a_killed_one_leaves_a_whole_file_and_a_closed_socket(self):
        a, b = self.pair()
        sound.talk(a, b, 3.5)
        a.process.kill()
        a.wait(lambda: a.is_closed)
        samples = self.heard("a")
        self.assertGreater(len(samples), 2 * sound.RATE)
        self.assertEqual(len(samples) % sound.RATE % sound.FRAME, 0)
        self.assertIsNone(a.ended)
        # The node is gone: it ends in order.
        b.socket.close()
        self.assertEqual(b.process.wait(timeout=node.LIMIT), 0)
        self.assertGreater(len(self.heard("b")), 3 * sound.RATE)

    def test_nonsense_from_the_node_is_passed_over(self):
        a, b = self.pair()
        dice = random.Random(3)
        for length in (1, 2, 5, 6, 60, 1_280, 1_281, 9_000):
            for kind in (0, 1, 2, 3, 0x82, 0xFF):
                if (kind, length) != (3, 1):
                    a.put(bytes([kind]) + dice.randbytes(length - 1))
            sound.talk(a, b, 0.1)
        sound.talk(a, b, 3)
        self.assertEqual((a.stop(), b.stop()), (0, 0))
        self.assertGreater(len(a.frames), 120)

    def test_a_node_that_does_not_read_costs_frames_and_nothing_else(self):
        write_wav(self.folder / "a.wav", tone(440, 9))
        a = self.sound("--audio-in", self.folder / "a.wav")
        a.wait(lambda: a.ready)
        time.sleep(2.5)
        a.take()
        self.assertLess(len(a.frames), 60)
        before = len(a.frames)
        a.wait(lambda: len(a.frames) >= before + 50)
        self.assertTrue(a.statistics)
        self.assertEqual(a.stop(), 0)

    def refusal(self, *arguments):
        """What it says where there can be no call: one line, and the same to the node."""
        started = self.sound(*arguments)
        code = started.leave()
        lines = started.errors.splitlines()
        self.assertEqual(len([line for line in lines if "error:" in line]), 1, lines)
        if code == 1:
            self.assertEqual(started.ended[0], "failed")
            self.assertIn(started.ended[1], lines[0])
        return code, lines[0]

    def test_files_that_are_none_are_named_and_the_other_file_stays(self):
        out = self.folder / "out.wav"
        out.write_bytes(b"as it was")
        (self.folder / "words.wav").write_bytes(b"no sound, just words and words")
        (self.folder / "empty.wav").write_bytes(b"")
        for name, words in (("words.wav", "is no WAV file"), ("empty.wav", "is no WAV file"),
                            ("none.wav", "No such file"), (".", "directory")):
            code, line = self.refusal("--audio-in", self.folder / name, "--audio-out", out)
            self.assertEqual(code, 1)
            self.assertIn(words, line)
            self.assertEqual(out.read_bytes(), b"as it was")
        write_wav(self.folder / "good.wav", [1, 2, 3])
        code, line = self.refusal("--audio-in", self.folder / "good.wav",
                                  "--audio-out", self.folder / "none" / "out.wav")
        self.assertEqual(code, 1)
        code, line = self.refusal("--audio-in", self.folder / "good.wav",
                                  "--audio-out", self.folder / "good.wav")
        self.assertEqual(code, 2)
        self.assertEqual(read_wav(self.folder / "good.wav").tolist(), [1, 2, 3])
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["empty.wav", "good.wav", "out.wav", "words.wav"])

    def test_a_descriptor_that_leads_to_no_node_is_refused(self):
        a, b = socket.socketpair()
        for fd in (a.fileno(), 999):
            run = subprocess.run([node.program("airlink-callaudio"), "call", "--fd", str(fd)],
                                 pass_fds=[a.fileno()], capture_output=True, text=True,
                                 timeout=node.LIMIT)
            self.assertEqual(run.returncode, 1)
            self.assertIn("leads to no airlink-node", run.stderr)
        a.close(), b.close()

    def test_a_huge_file_is_read_as_it_comes(self):
        huge = self.folder / "huge.wav"
        header = b"RIFF" + struct.pack("<I", 0xFFFFFFFF) + b"WAVEfmt " + struct.pack(
            "<IHHIIHH", 16, 1, 2, 48_000, 192_000, 4, 16) + b"data" + struct.pack("<I", 0xFFFFFFFF)
        with open(huge, "wb") as file:
            file.write(header)
            file.truncate(6 << 30)
        a = self.sound("--audio-in", huge)
        a.wait(lambda: len(a.frames) > 50)
        with open(f"/proc/{a.process.pid}/statm") as statm:
            self.assertLess(int(statm.read().split()[1]) * 4_096, 40 << 20)
        self.assertEqual(a.stop(), 0)
