"""Two honest nodes go on talking while a third machine does its worst to one of them."""

import json
import os
import subprocess
import time

import airlink_wire as wire
import lab as laboratory
import node
from attack import KINDS
from system_test import SystemTest

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_MEMORY_KIB = 32 * 1024  # of a debug build under attack
TEXTS = 30


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1])


class HostileTests(SystemTest):
    limit = 500

    needs = [laboratory.unavailable, wire.missing]

    def test_a_hostile_peer_costs_nobody_else_a_text(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.attack(kind, 12 if node.is_long() else 6)

    def attack(self, kind, seconds):
        net = self.lab()
        a, b, m = net.host(f"a{kind[:4]}"), net.host(f"b{kind[:4]}"), net.host(f"m{kind[:4]}")
        net.segment(a, b, m)
        ada = self.node(f"Ada-{kind}", "--discovery", "off", "--listen", "41234", host=a)
        ada.ready()
        bob = self.node(f"Bob-{kind}", "--discovery", "off", "--peer", "10.77.1.1:41234", host=b)
        bob.ready()
        bob.expect(event="peer", number=ada.number, direct=True)
        ada.expect(event="peer", number=bob.number, direct=True)
        before = ada.pid
        attacker = m.start(
            ["/usr/bin/python3", os.path.join(HERE, "attack.py"), kind, "10.77.1.1", "41234",
             str(seconds)], cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        began = time.monotonic()
        slowest = 0.0
        for number in range(TEXTS):
            sender, receiver = (ada, bob) if number % 2 else (bob, ada)
            text, sent = f"{kind} {number}", time.monotonic()
            sender.text(receiver.number, text, ref=text)
            receiver.got(text)
            sender.delivered(text)
            slowest = max(slowest, time.monotonic() - sent)
            time.sleep(max(0.0, began + seconds * number / TEXTS - time.monotonic()))
        report = json.loads(attacker.communicate(timeout=node.LIMIT)[0])
        self.note(f"{kind}: slowest text {slowest:.2f} s, {resident_kib(before)} KiB, {report}")

        self.assertEqual(ada.pid, before, "the same process all along")
        self.assertLess(resident_kib(before), MOST_MEMORY_KIB)
        self.assertFalse(bob.seen(event="link", state="down"), "the honest link was never down")
        if kind in ("garbage", "headers"):
            self.assertGreater(report["thrown_out"], 0, "it may go on for ever")
        self.assertGreater(report["connections"], 0)
        for one in (ada, bob):
            self.assertEqual(one.quit(), 0)
