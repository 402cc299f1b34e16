#!/usr/bin/python3
"""Measures airlink-packetdump on a large capture, beside tcpdump and tshark in the same run.

    Tests/System/measure_packetdump.py [--megabytes 1000] [--programs DIR] [--keep FILE]

The capture is an Ethernet one of a TCP connection in both directions: for each text, which goes one
way while its receipt comes back, ten voice packets, every packet in a segment of its own and each
with an id of its own. tshark, and JSON, get the first twentieth, or it would take long. Outside `make test`: what a machine can do is no test.
"""

import argparse
import itertools
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time

import airlink_wire

ROOT = pathlib.Path(__file__).resolve().parents[2]
DISSECTOR = ROOT / "Executables" / "airlink-packetdump" / "airlink.lua"
COUNTER = 20  # the id's first four bytes count; where they stand in a packet
CRC = 8


class Mould:
    """Packets of one kind and size that differ in their id, made without a pass over their bytes.

    A CRC is linear: what a bit of the id changes in it is the same in every packet of the length.
    """

    def __init__(self, kind, payload, isOut):
        self.isOut = isOut
        hops = 1 if kind == airlink_wire.VOICE else 7
        self.bytes = airlink_wire.Packet(kind, payload, hops=hops, id=bytes(4) + os.urandom(12),
                                         destination=bytes([1 + isOut] * 8)).encode()
        [self.crc] = struct.unpack_from(">I", self.bytes, CRC)
        changes = []
        for bit in range(32):
            flipped = bytearray(self.bytes)
            struct.pack_into(">I", flipped, COUNTER, 1 << bit)
            flipped[4] = 0
            flipped[CRC:CRC + 4] = bytes(4)
            changes.append(airlink_wire.crc32c(bytes(flipped)) ^ self.crc)
        self.low, self.high = ([self.changed(value, changes[half:]) for value in range(65536)]
                               for half in (0, 16))

    @staticmethod
    def changed(value, changes):
        crc, place = 0, 0
        while value:
            if value & 1:
                crc ^= changes[place]
            value >>= 1
            place += 1
        return crc

    def packet(self, number):
        crc = self.crc ^ self.low[number & 0xFFFF] ^ self.high[number >> 16]
        return (self.bytes[:CRC] + crc.to_bytes(4, "big") + self.bytes[CRC + 4:COUNTER]
                + number.to_bytes(4, "big") + self.bytes[COUNTER + 4:])


def make(file, size):
    text = Mould(airlink_wire.SEALED, os.urandom(560), True)
    receipt = Mould(airlink_wire.SEALED, os.urandom(304), False)
    voice = [Mould(airlink_wire.VOICE, os.urandom(80), isOut) for isOut in (True, False)]
    ends = bytes([10, 77, 1, 1]), bytes([10, 77, 1, 2])
    ports = struct.pack(">HH", 41000, 47474), struct.pack(">HH", 47474, 41000)
    heads = [bytes(12) + b"\x08\x00", b"\x40\x06\x00\x00"]
    sequences = [1, 1]
    written, packets = 24, 0
    with open(file, "wb") as out:
        out.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        for number in itertools.count():
            if written >= size:
                return packets
            turn = number % 12
            mould = text if turn == 0 else receipt if turn == 6 else voice[number & 1]
            packet = mould.packet(number)
            this = 0 if mould.isOut else 1
            segment = (ports[this] + struct.pack(">II", sequences[this], sequences[1 - this])
                       + b"\x80\x18\xff\xff\x00\x00\x00\x00" + b"\x01" * 12 + packet)
            sequences[this] = (sequences[this] + len(packet)) & 0xFFFFFFFF
            record = (heads[0] + b"\x45\x00" + (20 + len(segment)).to_bytes(2, "big")
                      + b"\x00\x00\x40\x00" + heads[1] + ends[this] + ends[1 - this] + segment)
            moment = number * 1700
            out.write(struct.pack("<IIII", 1_764_000_000 + moment // 1_000_000,
                                  moment % 1_000_000, len(record), len(record)) + record)
            written += 16 + len(record)
            packets += 1


def peak(process):
    """The most memory a process had, in MiB, as its own account says while it runs.

    What wait4 gives begins with the memory of the process that started it: Python's.
    """
    most = 0
    while process.poll() is None:
        try:
            for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    most = max(most, int(line.split()[1]) / 1024)
        except OSError:
            pass
        time.sleep(0.01)
    return most


def measured(command, times=3):
    """Seconds, the best of so many runs, and MiB of resident memory, the most of one more."""
    best = None
    for _ in range(times):
        began = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        elapsed = time.monotonic() - began
        best = min(best or elapsed, elapsed)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        return best, peak(process)


def report(what, seconds, memory, size, packets, base=None):
    times = f", {seconds / base:.1f} times tcpdump's" if base else ""
    print(f"{what:34} {seconds:7.2f} s {size / 1e6 / seconds:8.1f} MB/s "
          f"{packets / seconds / 1e3:8.0f} k packets/s {memory:6.1f} MiB{times}", flush=True)
    return packets / seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--programs", default=str(ROOT / ".build-release" / "release"))
    parser.add_argument("--keep", help="use this file, and make it where it is not there")
    words = parser.parse_args()
    dump = str(pathlib.Path(words.programs) / "airlink-packetdump")
    with tempfile.TemporaryDirectory(prefix="airlink-measure-") as folder:
        file = words.keep or f"{folder}/large.pcap"
        if not os.path.exists(file):
            make(file, words.megabytes * 1_000_000)
        size = os.path.getsize(file)
        done = subprocess.run([dump, "--stats", "--json", file], capture_output=True, check=True)
        packets = int(done.stdout.split(b'"packets":', 1)[1].split(b",", 1)[0])
        print(f"{size / 1e6:.0f} MB, {packets} packets")
        base, memory = measured(["tcpdump", "-r", file, "-w", "/dev/null"])
        report("tcpdump -w /dev/null", base, memory, size, packets)
        lines = 0
        for options in ([], ["--stats"]):
            seconds, memory = measured([dump, *options, file])
            rate = report(" ".join(["airlink-packetdump", *options]), seconds, memory, size,
                          packets, base)
            lines = lines or rate
        small = f"{folder}/small.pcap"
        count = packets // 20
        subprocess.run(["tcpdump", "-r", file, "-c", str(count), "-w", small],
                       capture_output=True, check=True)
        part = os.path.getsize(small)
        seconds, memory = measured([dump, "--json", small])
        report("airlink-packetdump --json (1/20)", seconds, memory, part, count)
        if shutil.which("tshark"):
            seconds, memory = measured(
                ["tshark", "-X", f"lua_script:{DISSECTOR}", "-n", "-r", small], times=1)
            rate = report("tshark with the dissector (1/20)", seconds, memory, part, count)
            print(f"airlink-packetdump shows {lines / rate:.0f} times as many packets a second")


if __name__ == "__main__":
    main()
