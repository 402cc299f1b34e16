"""Calls between hosts: ringing, answering and ending, and the road that carries them."""

import time

import lab as laboratory
from system_test import SystemTest

EMBEDDED = ["--discovery", "embedded"]


class CallTests(SystemTest):
    limit = 300
    needs = [laboratory.unavailable]

    def setUp(self):
        super().setUp()
        self.net = self.lab()
        self.hosts = [self.net.host(name) for name in "ab"]

    def pair(self, *arguments, peer=False):
        """Two nodes on one segment that have heard of each other."""
        self.net.segment(*self.hosts)
        ada = self.node("Ada", *arguments, host=self.hosts[0])
        port = ada.ready()["port"]
        dial = ["--peer", f"{self.hosts[0].addresses()[0]}:{port}"] if peer else []
        bob = self.node("Bob", *arguments, *dial, host=self.hosts[1])
        bob.ready()
        ada.expect(event="peer", number=bob.number)
        bob.expect(event="peer", number=ada.number)
        return ada, bob

    def call(self, caller, callee):
        """The callee rings; returns the call's nonce."""
        marks = caller.mark(), callee.mark()
        caller.send(cmd="call", to=callee.number)
        nonce = caller.expect(event="call", state="calling", since=marks[0])["nonce"]
        ring = callee.expect(event="call", state="ringing", since=marks[1])
        self.assertEqual((ring["nonce"], ring["number"]), (nonce, caller.number))
        return nonce

    def test_a_call_rings_is_answered_goes_directly_and_ends(self):
        ada, bob = self.pair(*EMBEDDED)
        nonce = self.call(ada, bob)
        bob.send(cmd="answer")
        for one in (ada, bob):
            one.expect(event="call", state="connected", nonce=nonce, road="mesh")
        began = time.monotonic()
        for one in (ada, bob):
            one.expect(event="call", state="connected", nonce=nonce, road="direct")
        self.note(f"the direct road carries after {time.monotonic() - began:.1f} s")
        ada.send(cmd="mute", on=True)
        ada.send(cmd="hangup")
        ada.expect(event="call", state="ended", nonce=nonce, reason="hung-up")
        bob.expect(event="call", state="ended", nonce=nonce, reason="remote-ended")
        self.assertFalse(ada.seen(event="error") + bob.seen(event="error"))
        # Roles swapped, with the same processes.
        again = self.call(bob, ada)
        self.assertNotEqual(again, nonce)
        ada.send(cmd="answer")
        bob.expect(event="call", state="connected", nonce=again, road="direct")
        bob.send(cmd="hangup")
        ada.expect(event="call", state="ended", nonce=again, reason="remote-ended")

    def test_a_call_keeps_to_the_mesh_where_nothing_can_be_found(self):
        ada, bob = self.pair("--discovery", "off", peer=True)
        nonce = self.call(ada, bob)
        bob.send(cmd="answer")
        ada.expect(event="call", state="connected", nonce=nonce, road="mesh")
        time.sleep(6)
        for one in (ada, bob):
            self.assertFalse(one.seen(event="warning", code="call-quiet"))
            self.assertFalse(one.seen(event="call", road="direct"))
        self.assertEqual(ada.quit(), 0)
        bob.expect(event="call", state="ended", nonce=nonce, reason="remote-ended")

    def test_a_call_is_declined_and_commands_without_a_call_are_refused(self):
        ada, bob = self.pair("--discovery", "off", peer=True)
        for command in ("answer", "decline", "hangup"):
            mark = ada.mark()
            ada.send(cmd=command, ref=command)
            ada.expect(event="error", code="no-call", ref=command, since=mark)
        self.call(ada, bob)
        ada.send(cmd="call", to=bob.number, ref="again")
        ada.expect(event="error", code="busy", ref="again")
        bob.send(cmd="decline")
        ada.expect(event="call", state="ended", reason="declined")
        bob.expect(event="call", state="ended", reason="declined-here")
        # And the caller gives up.
        self.call(ada, bob)
        mark = bob.mark()
        ada.send(cmd="hangup")
        bob.expect(event="call", state="ended", reason="missed", since=mark)

    def test_a_cut_call_is_said_to_be_quiet_and_comes_back(self):
        ada, bob = self.pair(*EMBEDDED)
        self.call(ada, bob)
        bob.send(cmd="answer")
        for one in (ada, bob):
            one.expect(event="call", state="connected", road="direct")
        port = self.net.port(self.hosts[1])
        marks = ada.mark(), bob.mark()
        port.cut()
        ada.expect(event="call", state="connected", road="mesh", since=marks[0])
        ada.expect(event="warning", code="call-quiet", since=marks[0])
        port.join()
        began = time.monotonic()
        for one, mark in zip((ada, bob), marks):
            one.expect(event="call", state="connected", road="direct", since=mark)
        self.note(f"sound is back {time.monotonic() - began:.1f} s after the cable")
        bob.send(cmd="hangup")
        ada.expect(event="call", state="ended", reason="remote-ended")
