"""airlink-callaudio as a node has it: its messages over a socket, and sound files.

The layouts of the messages are those of the module AudioPipe.
"""

import array
import math
import os
import select
import socket
import statistics
import struct
import subprocess
import time
import wave

import node

RATE, FRAME = 24_000, 480
NOTICES = {1: "capture-gone", 2: "capture-back", 3: "playback-gone", 4: "playback-back",
           5: "canceller-off", 6: "system-cancels", 7: "no-device", 8: "file-failed"}
ECHO = ["off", "system", "nlms", "speex"]
COUNTS = ["due", "lost", "recovered", "late", "adjusted", "underruns"]
MEASURES = ["jitterMs", "bufferMs", "playbackMs", "echoRemovedDB", "echoDelayMs", "driftPpm",
            "inputDBFS", "outputDBFS", "processorPercent"]


def write_wav(path, samples, rate=RATE, channels=1):
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(array.array("h", samples).tobytes())
    return path


def read_wav(path):
    with wave.open(str(path), "rb") as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        return array.array("h", file.readframes(file.getnframes()))


def tone(hertz, seconds, amplitude=8_000, rate=RATE):
    step = 2 * math.pi * hertz / rate
    return [round(amplitude * math.sin(step * n)) for n in range(round(seconds * rate))]


def share_of(hertz, samples, block=1_200):
    """The part of the energy that is of one tone (Goertzel): the median over blocks of 50 ms.

    A playout buffer may leave a frame out or fill one in, which turns the tone against itself in
    the block in which it does.
    """
    w = 2 * math.pi * hertz / RATE
    shares = []
    for start in range(0, len(samples) - block + 1, block):
        part = samples[start:start + block]
        energy = sum(s * s for s in part)
        real = sum(s * math.cos(w * n) for n, s in enumerate(part))
        imaginary = sum(s * math.sin(w * n) for n, s in enumerate(part))
        shares.append(2 * (real * real + imaginary * imaginary) / block / energy if energy else 0)
    return statistics.median(shares) if shares else 0.0


def level(samples):
    """The root mean square."""
    return math.sqrt(sum(s * s for s in samples) / len(samples)) if len(samples) else 0.0


class Sound:
    """A running `airlink-callaudio call`, and what it has said."""

    def __init__(self, *arguments, **options):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket = ours
        ours.setblocking(False)
        self.process = subprocess.Popen(
            [node.program("airlink-callaudio"), "call", "--fd", str(theirs.fileno()),
             *map(str, arguments)],
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            **options)
        theirs.close()
        self.frames, self.times, self.statistics, self.notices = [], [], [], []
        self.ready = self.ended = None
        self.is_closed = False
        self.sent = 0

    def take(self):
        """Takes the messages that are there."""
        while not self.is_closed:
            try:
                packet = self.socket.recv(4_096)
            except BlockingIOError:
                return
            except ConnectionResetError:
                packet = b""
            if not packet:
                self.is_closed = True
                return
            self.read(packet[0], packet[1:])

    def read(self, kind, body):
        if kind == 0x81:
            assert self.ready is None and not self.frames
            cut = 2 + body[1]
            self.ready = {"echo": ECHO[body[0]], "capture": body[2:cut].decode(),
                          "playback": body[cut + 1:].decode()}
        elif kind == 0x82:
            self.frames.append(body)
            self.times.append(time.monotonic())
        elif kind == 0x83:
            values = struct.unpack(">6I9hB", body)
            figures = dict(zip(COUNTS, values))
            figures |= {name: None if value == -32_768 else value / 10
                        for name, value in zip(MEASURES, values[6:])}
            figures["muted"] = bool(values[15])
            self.statistics.append(figures)
        elif kind == 0x84:
            self.notices.append((NOTICES[struct.unpack(">H", body[:2])[0]], body[2:].decode()))
        elif kind == 0x85:
            self.ended = ("failed" if body[0] else "done", body[1:].decode())
        else:
            raise AssertionError(f"unknown message {kind:02x}")

    def put(self, packet):
        """Sends a packet as it is; False when there is no room."""
        try:
            self.socket.send(packet)
            return True
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            return False

    def frame(self, opus, sequence=None):
        sequence = self.sent if sequence is None else sequence
        self.sent = sequence + 1
        return self.put(b"\x01" + struct.pack(">I", sequence) + opus)

    def mute(self, on):
        return self.put(bytes([2, on]))

    def wait(self, until, limit=node.LIMIT):
        """Takes messages until something holds."""
        end = time.monotonic() + limit
        while True:
            self.take()
            if until():
                return
            if self.is_closed or time.monotonic() > end:
                raise AssertionError(f"waited in vain: {self}")
            select.select([self.socket], [], [], 0.05)

    def stop(self):
        """Ends it in order; returns its exit code."""
        self.put(b"\x03")
        self.wait(lambda: self.is_closed or self.ended)
        return self.leave()

    def leave(self):
        self.errors = self.process.communicate(timeout=node.LIMIT)[1]
        self.take()
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        self.socket.close()

    def __str__(self):
        return (f"ready {self.ready}, {len(self.frames)} frames, statistics {self.statistics}, "
                f"notices {self.notices}, ended {self.ended}")


def talk(a, b, seconds, road=None, until=None):
    """Carries frames between two for a time; `road(n)` gives a frame's delay in s, or None: lost."""
    road = road or (lambda n: 0.0)
    on_the_way = []
    taken = {a: len(a.frames), b: len(b.frames)}
    numbers = {a: taken[a], b: taken[b]}
    end = time.monotonic() + seconds
    while time.monotonic() < end and not (until and until()):
        select.select([a.socket, b.socket], [], [], 0.002 if on_the_way else 0.02)
        for speaker, hearer in ((a, b), (b, a)):
            speaker.take()
            for place in range(taken[speaker], len(speaker.frames)):
                delay = road(place)
                if delay is not None:
                    on_the_way.append((speaker.times[place] + delay, hearer, place,
                                       speaker.frames[place]))
            taken[speaker] = len(speaker.frames)
        now = time.monotonic()
        for item in [item for item in on_the_way if item[0] <= now]:
            on_the_way.remove(item)
            item[1].frame(item[3], item[2])
