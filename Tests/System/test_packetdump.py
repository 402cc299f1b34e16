"""airlink-packetdump on what real nodes capture with --capture."""

import json
import subprocess

import airlink_wire
import node
from system_test import SystemTest


class PacketdumpTests(SystemTest):
    limit = 120

    def dump(self, *words, **options):
        return subprocess.run([node.program("airlink-packetdump"), *map(str, words)],
                              capture_output=True, timeout=node.LIMIT, **options)

    def objects(self, *words):
        done = self.dump("--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def start(self, name, *arguments):
        one = self.node(name, "--capture", str(self.folder / f"{name}.pcapng"),
                        "--discovery", "off", *arguments)
        return one, one.ready()

    def test_both_ends_of_a_link_capture_the_same_packets(self):
        ada, ready = self.start("Ada", "--listen", "127.0.0.1:0")
        ben, _ = self.start("Ben", "--peer", f"127.0.0.1:{ready['port']}")
        ben.expect(event="peer", number=ada.number)
        ben.send(cmd="send", to=ada.number, text="hello", ref="1")
        ben.expect(event="state", ref="1", state="delivered")

        # While the nodes are still writing.
        here, there = [[packet for packet in self.objects(self.folder / f"{name}.pcapng")
                        if packet["kind"] == "sealed"] for name in ("Ada", "Ben")]
        self.assertEqual([packet["direction"] for packet in here], ["in", "out"])
        self.assertEqual([packet["direction"] for packet in there], ["out", "in"])
        self.assertEqual([packet["id"] for packet in here], [packet["id"] for packet in there])
        self.assertEqual([packet["to"] for packet in here], [ada.number, ben.number])
        hellos = self.objects("--filter", "kind == hello and dir == in", self.folder / "Ada.pcapng")
        self.assertTrue(hellos)
        self.assertTrue(all(hello["signatureHolds"] and hello["number"] == ben.number
                            and hello["name"] == "Ben" for hello in hellos))
        counts = self.objects("--stats", self.folder / "Ada.pcapng")
        self.assertEqual(counts[0]["lost"], {})

    def test_a_reader_that_leaves_early_ends_it_quietly(self):
        packet = airlink_wire.Packet(airlink_wire.VOICE, bytes(60), hops=1)
        file = self.folder / "stream"
        file.write_bytes(packet.encode() * 20_000)
        command = f"set -o pipefail; '{node.program('airlink-packetdump')}' '{file}' | head -n 2"
        done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=node.LIMIT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout.count(b"\n"), 2)
