"""airlink-packetdump on what real nodes capture with --capture."""

import json
import os
import pathlib
import signal
import subprocess

import airlink_wire
import node
from lab import unavailable, wait_until
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

    def chat(self, *arguments, **options):
        """Ben says something to Ada, and her receipt comes back."""
        ada = self.node("Ada", "--listen", "127.0.0.1:0", "--discovery", "off", *arguments,
                        **options)
        port = ada.ready()["port"]
        ben = self.node("Ben", "--peer", f"127.0.0.1:{port}", "--discovery", "off", **options)
        ben.ready()
        ben.expect(event="peer", number=ada.number)
        ben.send(cmd="send", to=ada.number, text="hello", ref="1")
        ben.expect(event="state", ref="1", state="delivered")
        return ada, ben

    def test_a_message_is_opened_and_followed_to_its_receipt_by_the_one_it_is_for(self):
        file = self.folder / "node.pcapng"
        ada, ben = self.chat("--capture", str(file))
        ben.quit()
        ada.quit()
        unseal = ("--identity", ada.home, "--key-file")
        [text] = self.objects(*unseal, "--filter", "kind == sealed and dir == in", file)
        self.assertEqual((text["text"], text["from"]), ("hello", ben.number))
        *_, way = self.objects(*unseal, "--follow", text["message"][:8], file)
        # Her receipt is sealed to him: she cannot open it herself.
        self.assertEqual((way["packets"], way["links"]), (1, [text["link"]]))
        closed = self.dump("--json", "--identity", ada.home, file)
        self.assertEqual(closed.returncode, 0, closed.stderr)

    def test_live_packets_are_shown_as_they_cross_until_the_program_is_told_to_end(self):
        if reason := unavailable():
            self.skipTest(reason)
        # On a host of its own: others have AirLink packets on lo, too.
        host = self.lab().host("a")
        program = node.program("airlink-packetdump")
        live = host.start([program, "--json", "-c", "4", "-i", "lo"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        other = host.start([program, "-i", "lo"], stdout=subprocess.DEVNULL)
        self.addCleanup(live.kill)
        self.addCleanup(other.kill)
        sockets = pathlib.Path(f"/proc/{host.pid}/net/packet")
        wait_until(lambda: len(sockets.read_text().splitlines()) == 3, "two packet sockets")
        self.chat(host=host)
        output, errors = live.communicate(timeout=node.LIMIT)
        kinds = [json.loads(line)["kind"] for line in output.splitlines()]
        self.assertEqual((live.returncode, errors), (0, b""))
        self.assertEqual(kinds.count("hello") + kinds.count("sealed"), 4)
        host.run(["pkill", "-INT", "-x", "airlink-packetd"])
        self.assertEqual(other.wait(node.LIMIT), 0)

    def test_a_capture_of_a_quiet_interface_ends_when_it_is_told_to(self):
        if reason := unavailable():
            self.skipTest(reason)
        host = self.lab().host("a")
        for stop in [signal.SIGINT, signal.SIGTERM]:
            live = host.start([node.program("airlink-packetdump"), "-i", "lo"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(live.kill)
            sockets = pathlib.Path(f"/proc/{host.pid}/net/packet")
            wait_until(lambda: len(sockets.read_text().splitlines()) == 2, "its packet socket")
            host.run(["pkill", f"-{stop.value}", "-x", "airlink-packetd"])
            self.assertEqual(live.communicate(timeout=node.LIMIT), (b"", b""))
            self.assertEqual(live.returncode, 0)

    def test_without_the_privilege_it_says_what_grants_it(self):
        if os.geteuid() != 0:
            self.skipTest("only root has the privilege to give up")
        done = subprocess.run(
            ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all",
             node.program("airlink-packetdump"), "-i", "lo"],
            capture_output=True, timeout=node.LIMIT)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"CAP_NET_RAW", done.stderr)
        self.assertIn(b"setcap cap_net_raw+ep", done.stderr)
