"""The Wireshark dissector beside airlink-packetdump --json, field by field, on all captures."""

import json
import pathlib
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import node
from system_test import SystemTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "Fixtures" / "captures"
DISSECTOR = ROOT / "Executables" / "airlink-packetdump" / "airlink.lua"

# As the dissector writes them and as JSON has them.
NUMBERS = {"version", "kind", "hopLimit", "flags", "payloadLength", "sentMilliseconds", "size",
           "ciphertextLength", "sequence"}
BYTES = {"crc", "id", "destination", "signingKey", "agreementKey", "signature",
         "encapsulatedKey", "tag"}
TEXTS = {"to", "name", "fingerprint", "number", "refused"}
KINDS = {"hello": 1, "sealed": 2, "voice": 3}


def without_tshark():
    return None if shutil.which("tshark") else "tshark is not installed"


class DissectorTests(SystemTest):
    limit = 240
    needs = [without_tshark]

    def dissected(self, file):
        done = subprocess.run(
            ["tshark", "-X", f"lua_script:{DISSECTOR}", "-n", "-T", "pdml", "-r", str(file)],
            capture_output=True, timeout=node.LIMIT)
        self.assertNotIn(b"Lua", done.stderr)
        packets = []
        for record in ElementTree.fromstring(done.stdout):
            number = int(record.find("proto[@name='geninfo']/field[@name='num']").get("show"))
            for proto in record.iter("proto"):
                if proto.find("field[@name='airlink.id']") is not None:
                    packets.append((number, self.fields(proto)))
        return packets

    def fields(self, proto):
        found = {}
        for field in proto.iter("field"):
            name = field.get("name").removeprefix("airlink.")
            if name in NUMBERS:
                found[name] = int(field.get("show"), 0)
            elif name in BYTES:
                found[name] = field.get("show").replace(":", "")
            elif name in TEXTS:
                found[name] = field.get("show")
        return found

    def expected(self, file):
        done = subprocess.run([node.program("airlink-packetdump"), "--json", str(file)],
                              capture_output=True, timeout=node.LIMIT)
        packets = []
        for line in done.stdout.splitlines():
            packet = json.loads(line)
            if packet["event"] != "packet":
                continue
            fields = {name: packet[name] for name in NUMBERS | BYTES | TEXTS if name in packet}
            fields["kind"] = KINDS.get(packet["kind"]) or int(packet["kind"].removeprefix("kind-"))
            packets.append((packet["record"], fields))
        return packets

    def test_every_packet_of_every_capture_has_the_same_fields(self):
        captures = [file for file in sorted(CAPTURES.iterdir())
                    if file.suffix in (".pcap", ".pcapng", ".btsnoop") and "cut" not in file.stem
                    and "damaged" not in file.stem]
        self.assertGreater(len(captures), 14)
        count = 0
        for file in captures:
            with self.subTest(capture=file.name):
                expected, dissected = self.expected(file), self.dissected(file)
                if "enhanced" in file.stem:
                    # Wireshark follows the channels that BlueZ opens one way alone.
                    self.assertGreater(len(dissected), 2)
                    expected = [packet for packet in expected if packet in dissected]
                self.assertEqual(dissected, expected)
                count += len(expected)
        self.assertGreater(count, 50)
