"""airlink-callaudio as a node runs it: with files, and with sound devices."""

import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import node
import sound
import sound_lab
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
            # A loaded machine may hold this test's own relaying up.
            self.assertLess(sum(s["lost"] for s in side.statistics), 15, side)
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
        out.write_bytes(b"RIFF as it was")
        (self.folder / "words.wav").write_bytes(b"no sound, just words and words")
        (self.folder / "empty.wav").write_bytes(b"")
        for name, words in (("words.wav", "is no WAV file"), ("empty.wav", "is no WAV file"),
                            ("none.wav", "No such file"), (".", "directory")):
            code, line = self.refusal("--audio-in", self.folder / name, "--audio-out", out)
            self.assertEqual(code, 1)
            self.assertIn(words, line)
            self.assertEqual(out.read_bytes(), b"RIFF as it was")
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


class CallCardTests(unittest.TestCase):
    """The real libasound, over a private sound server in place of a card."""

    limit = 240

    @classmethod
    def setUpClass(cls):
        node.require("airlink-callaudio")
        if reason := sound_lab.missing():
            raise unittest.SkipTest(reason)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="airlink-sound-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def lab(self, **options):
        lab = sound_lab.SoundLab(**options)
        self.addCleanup(lab.close)
        return lab

    def pair(self, lab, *arguments, far=None, audio="auto"):
        """A side with the lab's cards, and the other one with files."""
        dice = random.Random(1)
        far = far or [dice.randrange(-9_000, 9_000) if n // 12_000 % 3 else 0
                      for n in range(60 * sound.RATE)]
        write_wav(self.folder / "far.wav", far)
        card = Sound("--audio", audio, *arguments, env=lab.environment)
        files = Sound("--audio-in", self.folder / "far.wav",
                      "--audio-out", self.folder / "heard.wav")
        for side in (card, files):
            self.addCleanup(side.kill)
            side.wait(lambda side=side: side.ready)
        return card, files

    def heard(self):
        return read_wav(self.folder / "heard.wav")

    def test_what_is_played_is_heard_and_its_delay_is_known(self):
        card, files = self.pair(self.lab(), "--echo", "off", far=tone(440, 30))
        sound.talk(card, files, 6)
        self.assertEqual((card.stop(), files.stop()), (0, 0), card.errors)
        self.assertEqual(card.notices, [])
        self.assertEqual(card.errors, "")
        samples = self.heard()[3 * sound.RATE:5 * sound.RATE]
        self.assertGreater(share_of(440, samples), 0.9)
        # 8,000 in, 6 dB softer.
        self.assertGreater(sound.level(samples), 1_500)
        self.assertLess(abs(len(card.frames) - 300), 20)
        figures = card.statistics[1]
        self.assertTrue(20 < figures["playbackMs"] < 250, figures)

    def test_the_echo_is_taken_out_by_the_canceller_that_is_used_by_itself(self):
        card, files = self.pair(self.lab())
        sound.talk(card, files, 14)
        card.stop(), files.stop()
        self.assertEqual(card.ready["echo"], "nlms")
        removed = [s["echoRemovedDB"] for s in card.statistics if s["echoRemovedDB"] is not None]
        # A loaded machine lets the room's echo jump now and then; between jumps it is gone.
        self.assertGreater(max(removed), 15, card)
        self.assertTrue(any(40 < (s["echoDelayMs"] or 0) < 300 for s in card.statistics), card)
        print(f"note: echo removed {removed} dB, "
              f"delay {[s['echoDelayMs'] for s in card.statistics]} ms", file=sys.stderr)

    def test_a_card_of_another_rate_is_served_through_the_resampler(self):
        card, files = self.pair(self.lab(), "--echo", "off", far=tone(440, 30), audio="hw48")
        sound.talk(card, files, 5)
        card.stop(), files.stop()
        samples = self.heard()[3 * sound.RATE:4 * sound.RATE]
        self.assertGreater(share_of(440, samples), 0.9, card)

    def test_stalls_of_300_ms_are_survived_and_cost_no_delay(self):
        lab = self.lab()
        card, files = self.pair(lab, "--echo", "off", far=tone(440, 60))
        sound.talk(card, files, 4)
        for _ in range(3):
            before = len(card.frames)
            stalled = threading.Thread(target=lab.pause, args=(0.3,))
            stalled.start()
            sound.talk(card, files, 1.5)
            stalled.join()
            # Frames went on meanwhile, one for every 20 ms.
            self.assertLess(abs(len(card.frames) - before - 75), 15)
        sound.talk(card, files, 5)
        card.stop(), files.stop()
        self.assertEqual(card.notices, [])
        last = card.statistics[-2]
        self.assertLess(last["bufferMs"], 120, card)
        self.assertLess(last["playbackMs"], 250, card)
        samples = self.heard()[-2 * sound.RATE:]
        self.assertGreater(share_of(440, samples), 0.9, card)

    def test_devices_that_vanish_are_told_of_and_taken_back(self):
        lab = self.lab()
        card, files = self.pair(lab, "--echo", "off", far=tone(440, 90))
        sound.talk(card, files, 3)
        lab.kill()
        before = len(card.frames)
        gone = {"capture-gone", "playback-gone"}
        sound.talk(card, files, 15, until=lambda: gone <= {code for code, _ in card.notices})
        sound.talk(card, files, 1)
        self.assertEqual({code for code, _ in card.notices}, gone, card)
        # The call goes on in silence, frame by frame.
        self.assertGreater(len(card.frames), before + 70)
        # Beside the talk: a pause in it would be loss to the sides, which they would repair.
        started = threading.Thread(target=lab.start)
        started.start()
        back = {"capture-back", "playback-back"}
        sound.talk(card, files, 20, until=lambda: back <= {code for code, _ in card.notices})
        sound.talk(card, files, 5)
        started.join()
        self.assertEqual(len(card.notices), 4, card)
        self.assertEqual((card.stop(), files.stop()), (0, 0))
        self.assertEqual(card.errors, "")
        samples = self.heard()[-2 * sound.RATE:]
        self.assertGreater(share_of(440, samples), 0.9, card)

    def test_a_device_that_does_not_exist_leaves_a_call_in_silence(self):
        lab = self.lab(echo=0)
        card, files = self.pair(lab, audio="nosuch")
        sound.talk(card, files, 3)
        self.assertEqual((card.stop(), files.stop()), (0, 0))
        self.assertEqual({code for code, _ in card.notices}, {"capture-gone", "playback-gone"})
        self.assertIn("none by that name", card.notices[0][1])
        self.assertEqual(card.errors, "")
        self.assertGreater(len(card.frames), 120)

    def test_where_the_system_cancels_echo_it_is_left_to_it(self):
        lab = self.lab(echo=0)
        if not lab.pactl("load-module", "module-echo-cancel", "source_name=tidy",
                         "source_master=room.monitor", "sink_master=speaker", check=False):
            self.skipTest("this PulseAudio has no module-echo-cancel")
        lab.pactl("set-default-source", "tidy")
        card, files = self.pair(lab)
        sound.talk(card, files, 1)
        card.stop(), files.stop()
        self.assertEqual(card.ready["echo"], "system")
        self.assertEqual(card.notices[0][0], "system-cancels")

    def test_a_held_up_server_does_not_hold_up_the_end(self):
        lab = self.lab(echo=0)
        card, files = self.pair(lab)
        sound.talk(card, files, 2)
        lab.server.send_signal(signal.SIGSTOP)
        self.addCleanup(lab.server.send_signal, signal.SIGCONT)
        sound.talk(card, files, 0.5)
        began = time.monotonic()
        self.assertEqual(card.stop(), 0)
        self.assertLess(time.monotonic() - began, 5)


class OggTests(unittest.TestCase):
    """Files of ours and of opus-tools, each read by the other."""

    limit = 60

    @classmethod
    def setUpClass(cls):
        node.require("airlink-callaudio")
        for program in ("opusinfo", "opusenc", "opusdec"):
            if not shutil.which(program):
                raise unittest.SkipTest(f"{program} is missing (debian-packages.txt, section test)")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="airlink-sound-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *words):
        run = subprocess.run([str(word) for word in words], cwd=self.folder, text=True,
                             capture_output=True, timeout=node.LIMIT)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout + run.stderr

    def callaudio(self, *words):
        return self.run_program(node.program("airlink-callaudio"), *words)

    def test_what_is_written_is_sound_to_opus_tools(self):
        write_wav(self.folder / "in.wav", tone(440, 3))
        self.assertEqual(self.callaudio("encode", "in.wav", "ours.opus"), "")
        shown = self.run_program("opusinfo", "ours.opus")
        self.assertNotIn("WARNING", shown)
        self.assertIn("Playback length: 0m:03.000s", shown)
        self.run_program("opusdec", "--quiet", "--rate", "24000", "ours.opus", "theirs.wav")
        samples = read_wav(self.folder / "theirs.wav")
        self.assertEqual(len(samples), 3 * sound.RATE)
        self.assertGreater(share_of(440, samples), 0.95)

    def test_what_opus_tools_write_is_read(self):
        write_wav(self.folder / "in.wav", [s for s in tone(440, 3, rate=48_000) for _ in (0, 1)],
                  48_000, 2)
        for number, options in enumerate((["--framesize", "60"], ["--bitrate", "128"],
                                          ["--framesize", "2.5"], ["--padding", "9000"])):
            self.run_program("opusenc", "--quiet", *options, "in.wav", f"{number}.opus")
            self.assertEqual(self.callaudio("decode", f"{number}.opus", f"{number}.wav"), "")
            samples = read_wav(self.folder / f"{number}.wav")
            self.assertEqual(len(samples), 3 * sound.RATE)
            self.assertGreater(share_of(440, samples), 0.95)


class LoopbackTests(unittest.TestCase):
    limit = 60

    @classmethod
    def setUpClass(cls):
        node.require("airlink-callaudio")
        if reason := sound_lab.missing():
            raise unittest.SkipTest(reason)

    def loopback(self, lab, *words):
        return subprocess.run([node.program("airlink-callaudio"), "--json", "loopback", *words],
                              env=lab.environment, capture_output=True, text=True,
                              timeout=node.LIMIT)

    def test_levels_and_delay_are_printed_and_devices_that_are_none_named(self):
        with sound_lab.SoundLab(echo=0) as lab:
            run = self.loopback(lab, "--seconds", "3")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            lines = [json.loads(line) for line in run.stdout.splitlines()]
            self.assertEqual([line["event"] for line in lines], ["loopback"] * 3)
            self.assertTrue(20 < lines[-1]["delayMs"] < 400, lines)
            self.assertEqual(lines[-1]["levelDBFS"], -96)
            run = self.loopback(lab, "--device", "nosuch")
            self.assertEqual(run.returncode, 1)
            self.assertEqual(len(run.stderr.splitlines()), 2)
            self.assertIn("'nosuch': cannot", run.stderr)
            listed = subprocess.run([node.program("airlink-callaudio"), "devices"],
                                    env=lab.environment, capture_output=True, text=True)
            self.assertEqual(listed.returncode, 0, listed)
