"""The independent wire format against published values, so that it can be believed elsewhere."""

import os
import pathlib
import re
import unittest

import airlink_wire as wire


class PacketModelTests(unittest.TestCase):
    def test_crc_gives_the_published_values(self):
        # RFC 3720, appendix B.4.
        self.assertEqual(wire.crc32c(bytes(32)), 0x8A9136AA)
        self.assertEqual(wire.crc32c(b"\xff" * 32), 0x62A8AB43)
        self.assertEqual(wire.crc32c(bytes(range(32))), 0x46DD794E)

    def test_a_packet_survives_any_cut_of_its_bytes(self):
        packets = [wire.Packet(wire.SEALED, os.urandom(304)) for _ in range(3)]
        stream = b"\xa1" + b"".join(packet.encode() for packet in packets)
        for size in (1, 7, 44, 180, len(stream)):
            chunker, got = wire.Chunker(), []
            for start in range(0, len(stream), size):
                got += chunker.feed(stream[start:start + size])
            self.assertEqual([p.id for p in got], [p.id for p in packets])

    def test_reserved_numbers_read_as_written(self):
        self.assertEqual(wire.number_of(bytes.fromhex("08864298E8000000")), "1234-5678")
        self.assertEqual(wire.number_of(bytes.fromhex("52D8D73E11000000")), "ABCD-EFGH")


@unittest.skipIf(wire.missing(), wire.missing())
class SealModelTests(unittest.TestCase):
    def test_hkdf_gives_the_published_values(self):
        # RFC 5869, test case 1.
        key = wire.hkdf_extract(bytes(range(13)), b"\x0b" * 22)
        self.assertEqual(key.hex()[:16], "077709362c2e32df")
        self.assertEqual(wire.hkdf_expand(key, bytes(range(0xF0, 0xFA)), 42).hex()[:16],
                         "3cb25f25faacd57a")

    def test_what_is_sealed_opens_for_its_recipient_alone(self):
        ada, bob, eve = wire.Person("Ada"), wire.Person("Bob"), wire.Person("Eve")
        packet = wire.Packet.decode(ada.seal(bob, wire.TEXT, b"hello").encode())
        sender, content, message, body = bob.open(packet)
        self.assertEqual((sender, content, message, body), (ada, wire.TEXT, packet.id, b"hello"))
        self.assertRaises(ValueError, eve.open, packet)
        packet.id = os.urandom(16)
        self.assertRaises(ValueError, bob.open, packet)

    def test_a_hello_gives_keys_and_name(self):
        ada = wire.Person("Ada")
        keys, name = wire.read_hello(wire.Packet.decode(ada.hello().encode()))
        self.assertEqual((keys, name), (ada, "Ada"))

    def test_the_protocol_page_has_the_right_example(self):
        ada = wire.Person("Ada", bytes(range(0x00, 0x20)), bytes(range(0x20, 0x40)))
        bob = wire.Person("Bob", bytes(range(0x40, 0x60)), bytes(range(0x60, 0x80)))
        hello = ada.hello(id=bytes(range(0xA0, 0xB0)), time=1_700_000_000_000)
        text = ada.seal(bob, wire.TEXT, "Grüße".encode(), id=bytes(range(0xB0, 0xC0)),
                        time=1_700_000_000_001, ephemeral=bytes(range(0x80, 0xA0)))
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/PROTOCOL.md").read_text()
        for name, packet in ("hello", hello), ("sealed", text):
            [shown] = re.findall(rf"```{name}\n([0-9a-f\n]+)```", page)
            self.assertEqual("".join(shown.split()), packet.encode().hex())
        for person in ada, bob:
            self.assertIn(f"`{person.number}` | `{person.fingerprint.hex()}`", page)
