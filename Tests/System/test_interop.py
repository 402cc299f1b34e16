"""A node against the wire format written once more (airlink_wire), over TCP."""

import os
import time

import airlink_wire as wire
from system_test import SystemTest


class InteropTests(SystemTest):
    limit = 300

    needs = [wire.missing]

    def setUp(self):
        super().setUp()
        self.ada = self.node("Ada", "--discovery", "off", "--listen", "127.0.0.1:0")
        self.address = ("127.0.0.1", self.ada.ready()["port"])

    def connect(self, person=None):
        """A connection on which both sides have said hello."""
        line = wire.Line(self.address)
        self.addCleanup(line.close)
        if person is not None:
            line.send(person.hello())  # who speaks first is answered at once
            self.ada.expect(event="peer", number=person.number)
        keys, name = line.hello()
        self.assertEqual((keys.number, name), (self.ada.number, "Ada"))
        return line, keys

    def receipt(self, line, person):
        """Waits for the next receipt to `person` and returns (message id, packet)."""
        def wanted(packet):
            if packet.kind != wire.SEALED or packet.destination != person.fingerprint:
                return None
            _, content, _, body = person.open(packet)
            return (body, packet) if content == wire.RECEIPT else None
        return line.wait(wanted)

    def test_hello_comes_at_once_and_again(self):
        line, _ = self.connect()
        again = line.wait(lambda p: p if p.kind == wire.HELLO else None)
        self.assertEqual((again.hops, again.destination), (2, wire.EVERYONE))

    def test_a_text_is_shown_and_answered_with_a_receipt(self):
        person = wire.Person("Zoë 🙂")
        line, ada = self.connect(person)
        packet = person.seal(ada, wire.TEXT, "Grüße aus Python".encode())
        line.send(packet)
        message = self.ada.got("Grüße aus Python")
        self.assertEqual(message["from"], person.number)
        self.assertEqual(message["name"], "Zoë 🙂")
        self.assertEqual(message["id"], packet.id.hex())
        body, receipt = self.receipt(line, person)
        self.assertEqual(body, packet.id)
        self.assertEqual(len(receipt.payload), 304)

    def test_a_text_of_the_node_opens_here_and_our_receipt_delivers_it(self):
        person = wire.Person()
        line, ada = self.connect(person)
        id = self.ada.text(person.number, "can you read this?", ref="1")
        packet = line.wait(lambda p: p if p.kind == wire.SEALED else None)
        self.assertEqual(packet.destination, person.fingerprint)
        self.assertEqual(packet.hops, 7)
        sender, content, message, body = person.open(packet)
        self.assertEqual((sender, content, body), (ada, wire.TEXT, b"can you read this?"))
        self.assertEqual((message, packet.id), (bytes.fromhex(id), message))
        # Somebody else's receipt is none.
        eve = wire.Person("Eve")
        line.send(eve.hello())
        line.send(eve.seal(ada, wire.RECEIPT, message))
        line.send(person.seal(ada, wire.RECEIPT, os.urandom(16)))
        time.sleep(2)
        self.assertFalse(self.ada.seen(event="state", ref="1", state="delivered"))
        line.send(person.seal(ada, wire.RECEIPT, message))
        self.ada.delivered("1")

    def test_a_repeat_shows_nothing_and_gets_its_receipt_again(self):
        person = wire.Person()
        line, ada = self.connect(person)
        first = person.seal(ada, wire.TEXT, b"once")
        line.send(first)
        body, one = self.receipt(line, person)
        time.sleep(1.1)  # a repeated receipt a second and message
        line.send(person.seal(ada, wire.TEXT, b"once", message=first.id, time=first.time))
        again, two = self.receipt(line, person)
        self.assertEqual((body, again), (first.id, first.id))
        self.assertNotEqual(one.id, two.id)
        self.assertEqual(len(self.ada.seen(event="message")), 1)

    def test_a_recorded_text_is_not_shown_again_after_a_restart(self):
        person = wire.Person()
        line, ada = self.connect(person)
        # Only who is pinned is remembered on disk; writing to a number pins it.
        self.ada.text(person.number, "hello", ref="1")
        recorded = person.seal(ada, wire.TEXT, b"burn after reading")
        line.send(recorded)
        self.ada.got("burn after reading")
        self.receipt(line, person)
        self.ada.quit()
        self.ada.start()
        self.address = ("127.0.0.1", self.ada.ready()["port"])
        mark = self.ada.mark()
        line, _ = self.connect(person)
        line.send(recorded)
        line.send(person.seal(ada, wire.TEXT, b"this one is new"))
        self.ada.got("this one is new", since=mark)
        self.assertEqual(len(self.ada.seen(event="message", text="burn after reading")), 1)

    def test_a_packet_for_another_is_relayed_with_a_hop_less_and_not_back(self):
        one, two = self.connect(wire.Person("One"))[0], self.connect(wire.Person("Two"))[0]
        for hops, relayed in ((7, 6), (15, 6), (2, 1)):
            packet = wire.Packet(wire.SEALED, os.urandom(304), hops=hops, destination=b"nobody!!")
            packet.flags = 0x55
            one.send(packet)
            copy = two.wait(lambda p, id=packet.id: p if p.id == id else None)
            self.assertEqual((copy.hops, copy.flags), (relayed, 0x55))
            self.assertEqual(copy.payload, packet.payload)
        last = wire.Packet(wire.SEALED, os.urandom(304), hops=1, destination=b"nobody!!")
        one.send(last)
        time.sleep(1)
        for line in (one, two):
            line.socket.settimeout(0.2)
            try:
                line.packets += line.chunker.feed(line.socket.recv(65536))
            except TimeoutError:
                pass
            back = [p for p in line.packets if p.destination == b"nobody!!"]
            self.assertEqual(back, [], "sent back, or on with no hops left")

    def test_what_is_not_quite_right_is_refused_and_the_link_lives(self):
        person = wire.Person()
        line, ada = self.connect(person)
        good = wire.Packet(wire.SEALED, b"")
        minute = 60_000
        refused = [
            wire.Packet(9, os.urandom(40)),
            wire.Packet(wire.SEALED, os.urandom(305)),
            person.seal(ada, wire.TEXT, b"too old", time=wire.now() - 361 * minute),
            person.seal(ada, wire.TEXT, b"too new", time=wire.now() + 16 * minute),
            person.seal(ada, wire.TEXT, b"\xff\xfe not UTF-8"),
            person.seal(ada, wire.TEXT, b""),
            person.seal(ada, 9, b"of a later version"),
            person.seal(ada, wire.RECEIPT, bytes(15)),
        ]
        version = person.seal(ada, wire.TEXT, b"of another version")
        version.version = 2
        mixed = person.seal(ada, wire.TEXT, b"of another packet")
        mixed.id = good.id
        tampered = person.seal(ada, wire.TEXT, b"tampered with")
        tampered.payload = tampered.payload[:-1] + bytes([tampered.payload[-1] ^ 1])
        for packet in [*refused, version, mixed, tampered]:
            line.send(packet)
        line.send(b"\xa1\x1c\x01\x02\x00" + os.urandom(20))  # no hop limit: no header
        line.send(person.seal(ada, wire.TEXT, b"and this is fine"))
        self.ada.got("and this is fine")
        self.assertEqual(len(self.ada.seen(event="message")), 1)
        self.assertFalse(self.ada.seen(event="link", state="down"))
