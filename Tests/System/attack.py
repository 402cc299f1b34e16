#!/usr/bin/python3
"""A peer from hell: attack.py KIND HOST PORT SECONDS, over real sockets.

Each kind does one thing without mercy until its time is over, connecting again when it is thrown
out, and closes with one line of JSON: what it did and how often it was thrown out.
"""

import json
import os
import random
import select
import socket
import struct
import sys
import time

import airlink_wire as wire

PATIENCE = 5


class Attack:
    def __init__(self, host, port, seconds):
        self.address = (host, port)
        self.end = time.monotonic() + seconds
        self.counts = {"connections": 0, "refused": 0, "thrown_out": 0, "sent": 0}
        self.random = random.Random(7)

    def going(self):
        return time.monotonic() < self.end

    def connect(self):
        """A connection, or None while the node takes none."""
        try:
            connection = socket.create_connection(self.address, PATIENCE)
        except OSError:
            self.counts["refused"] += 1
            time.sleep(0.05)
            return None
        self.counts["connections"] += 1
        return connection

    def pour(self, source):
        """Sends what the source gives on one connection after another, reading what comes."""
        while self.going():
            connection = self.connect()
            if connection is None:
                continue
            connection.settimeout(PATIENCE)
            try:
                while self.going():
                    data = next(source)
                    connection.sendall(data)
                    self.counts["sent"] += len(data)
                    while select.select([connection], [], [], 0)[0]:
                        if not connection.recv(65536):
                            raise ConnectionResetError
            except OSError:
                self.counts["thrown_out"] += 1
            connection.close()

    # The kinds

    def garbage(self):
        """Random bytes as fast as they are taken."""
        self.pour(iter(lambda: self.random.randbytes(65536), None))

    def headers(self):
        """Headers that hold, with payloads that do not: each asks for a checksum of thousands."""
        def lies():
            while True:
                packet = wire.Packet(wire.SEALED, b"", length=8240, crc=0)
                yield packet.encode() * 200
        self.pour(lies())

    def ids(self):
        """Flawless packets for nobody, each new: whoever relays them all drowns the mesh."""
        payload = os.urandom(304)
        made = [wire.Packet(wire.SEALED, payload, destination=b"nobody!!").encode()
                for _ in range(2000)]

        def flood():
            while True:
                batch = []
                for data in self.random.sample(made, 50):
                    # Only the id changes, and the checksum with it.
                    packet = wire.Packet.decode(data)
                    packet.id = os.urandom(16)
                    batch.append(packet.encode())
                yield b"".join(batch)
        self.pour(flood())

    def people(self):
        """Hellos of ever new people, all genuine."""
        def crowd():
            while True:
                yield b"".join(wire.Person(f"Nobody {os.urandom(4).hex()}").hello().encode()
                               for _ in range(20))
        self.pour(crowd())

    def strangers(self):
        """Genuine texts to the node from ever new people."""
        target = None
        while target is None and self.going():
            try:
                line = wire.Line(self.address, PATIENCE)
                target, _ = line.hello(PATIENCE)
                line.close()
            except (OSError, AssertionError, TypeError):
                time.sleep(0.1)

        def letters():
            while True:
                yield wire.Person("Spam").seal(target, wire.TEXT, b"buy " * 40).encode()
        self.pour(letters())

    def crowd(self):
        """Hundreds of connections that say nothing."""
        held = []
        while self.going():
            if len(held) < 400:
                connection = self.connect()
                if connection is not None:
                    held.append(connection)
            else:
                time.sleep(0.2)
            readable = select.select(held, [], [], 0)[0] if held else []
            for connection in readable:
                try:
                    if connection.recv(65536):
                        continue
                except OSError:
                    pass
                self.counts["thrown_out"] += 1
                held.remove(connection)
                connection.close()
        for connection in held:
            connection.close()

    def drip(self):
        """A flawless packet, a byte a second."""
        data = wire.Packet(wire.SEALED, os.urandom(8240), destination=b"nobody!!").encode()

        def drops():
            for byte in data:
                time.sleep(1)
                yield bytes([byte])
        self.pour(drops())

    def deaf(self):
        """Never reads what it is sent."""
        while self.going():
            connection = self.connect()
            if connection is None:
                continue
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            while self.going():
                # Reset by the node shows as an error or hang-up without a read.
                poll = select.poll()
                poll.register(connection, select.POLLRDHUP)
                if poll.poll(200):
                    self.counts["thrown_out"] += 1
                    break
            connection.close()

    def flicker(self):
        """Connects, says hello, breaks off with a reset, and again."""
        person = wire.Person("Flicker")
        while self.going():
            connection = self.connect()
            if connection is None:
                continue
            try:
                connection.sendall(person.hello().encode())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError:
                self.counts["thrown_out"] += 1
            connection.close()


KINDS = ["garbage", "headers", "ids", "people", "strangers", "crowd", "drip", "deaf", "flicker"]


def main():
    kind, host, port, seconds = sys.argv[1:]
    attack = Attack(host, int(port), float(seconds))
    getattr(attack, kind)()
    print(json.dumps({"kind": kind, **attack.counts}))


if __name__ == "__main__":
    main()
