#!/usr/bin/python3
"""Measures what a whole call costs each side, beside Opus alone in the same run.

    Tests/System/measure_call.py [--seconds 20] [--programs DIR] [--echo off|nlms|speex]
                                 [--speech FILE]

Two nodes on this machine call each other, with WAV files in place of sound cards; a side is its
airlink-node and its airlink-callaudio. "Opus alone" is libopus coding and decoding the same sound
with the same settings, in one loop. With speech (WAV, 24 kHz mono, longer than --seconds) the PESQ of
what is heard is told too, where the Python packages numpy, scipy and pesq are there. Outside `make test`: what a machine can do is no test.
"""

import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time

import melody
from sound import FRAME, RATE, read_wav, write_wav

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 30
VOIP = 2048
# Requests of opus_encoder_ctl: bit rate, constant, no repair, voice (opus_defines.h).
SETTINGS = {4002: 24_000, 4006: 0, 4012: 0, 4024: 3001}


class Node:
    def __init__(self, programs, folder, name, *arguments):
        self.events = []
        self.process = subprocess.Popen(
            [programs / "airlink-node", "--json", "--key-file", "--name", name, "--home",
             folder / name, "--discovery", "off", "--ble", "off", *map(str, arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        threading.Thread(target=self.read, daemon=True).start()
        self.ready = self.expect(event="ready")

    def read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def expect(self, **fields):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            for event in list(self.events):
                if fields.items() <= event.items():
                    return event
            time.sleep(0.02)
        raise SystemExit(f"waited in vain for {fields}; there was {self.events}")

    def tell(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")

    def processor_time(self):
        """Seconds of a processor, of the node and its child."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            pids = [self.process.pid, *map(int, file.read().split())]
        total = 0
        for pid in pids:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return len(pids), total / os.sysconf("SC_CLK_TCK")


def opus_alone(samples):
    """Seconds of a processor that libopus takes for a second of sound, coded and decoded."""
    opus, error = ctypes.CDLL("libopus.so.0"), ctypes.c_int()
    opus.opus_encoder_create.restype = opus.opus_decoder_create.restype = ctypes.c_void_p
    encoder = ctypes.c_void_p(opus.opus_encoder_create(RATE, 1, VOIP, ctypes.byref(error)))
    decoder = ctypes.c_void_p(opus.opus_decoder_create(RATE, 1, ctypes.byref(error)))
    for request, value in SETTINGS.items():
        assert opus.opus_encoder_ctl(encoder, request, value) == 0
    frames = [(ctypes.c_int16 * FRAME)(*samples[start:start + FRAME])
              for start in range(0, len(samples) - FRAME + 1, FRAME)]
    coded, sound = (ctypes.c_ubyte * 1_275)(), (ctypes.c_int16 * FRAME)()
    began = time.process_time()
    for frame in frames:
        length = opus.opus_encode(encoder, frame, FRAME, coded, len(coded))
        assert length == 60 and opus.opus_decode(decoder, coded, length, sound, FRAME, 0) == FRAME
    return (time.process_time() - began) / (len(frames) * FRAME / RATE)


def pesq_of(spoken, heard):
    """ITU-T P.862.2 of what was heard, put where it fits best; None without its packages."""
    try:
        import numpy
        from pesq import pesq
        from scipy.signal import fftconvolve, resample_poly
    except ImportError:
        return None
    spoken, heard = (numpy.asarray(sound, float) for sound in (spoken, heard))
    fit = fftconvolve(heard, spoken[::-1])
    late = int(numpy.argmax(numpy.abs(fit))) - len(spoken) + 1
    start, length = max(0, -late), min(len(spoken), len(heard) - late) - max(0, -late)
    first, second = spoken[start:start + length], heard[start + late:start + late + length]
    return late / RATE, pesq(16_000, resample_poly(first, 2, 3), resample_poly(second, 2, 3), "wb")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / ".build-release/release")
    parser.add_argument("--echo", default="off")
    parser.add_argument("--speech", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pitches = {name: melody.notes(given.seconds + 10, seed) for name, seed in (("a", 1), ("b", 2))}
        for name in pitches:
            write_wav(folder / f"{name}.wav",
                      read_wav(given.speech) if given.speech else melody.samples(pitches[name]))

        def start(name, *arguments):
            return Node(given.programs, folder, name, "--echo", given.echo, "--audio-in",
                        folder / f"{name}.wav", "--audio-out", folder / f"{name}-heard.wav",
                        *arguments)

        a = start("a", "--listen", "127.0.0.1:0")
        b = start("b", "--peer", f"127.0.0.1:{a.ready['port']}", "--auto-answer")
        a.expect(event="peer", number=b.ready["number"])
        a.tell(cmd="call", to=b.ready["number"])
        for one in (a, b):
            one.expect(event="call", state="connected")
        time.sleep(3)
        before = [one.processor_time() for one in (a, b)]
        began = time.monotonic()
        time.sleep(given.seconds)
        took = time.monotonic() - began
        after = [one.processor_time() for one in (a, b)]
        assert all(count == 2 for count, _ in before + after), "a side is two processes"
        a.tell(cmd="hangup")
        b.expect(event="call", state="ended")
        for one in (a, b):
            one.tell(cmd="quit")
            one.process.wait(LIMIT)
        alone = opus_alone(read_wav(folder / "a.wav"))
        print(f"Opus alone: {100 * alone:.2f} % of a core")
        for name, (_, early), (_, late) in zip("ab", before, after):
            part = (late - early) / took
            heard = read_wav(folder / f"{name}-heard.wav")
            print(f"side {name}: {100 * part:.2f} % of a core, {part / alone:.2f} times Opus alone")
            if not given.speech:
                delay = melody.delay(pitches["b" if name == "a" else "a"], heard, 30, 20)
                print(f"        from file to file {1000 * delay:.0f} ms")
            elif quality := pesq_of(read_wav(given.speech), heard):
                print(f"        from file to file {1000 * quality[0]:.0f} ms, PESQ {quality[1]:.2f}")


if __name__ == "__main__":
    main()
