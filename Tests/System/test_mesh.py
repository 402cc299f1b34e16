"""Chat between hosts: out of each other's hearing, through pulled cables and dead daemons."""

import signal
import time
import unittest

import lab as laboratory
import node
from system_test import SystemTest

ALONE = ["--discovery", "off"]
EMBEDDED = ["--discovery", "embedded"]
DAEMON = ["--discovery", "daemon"]


class MeshTest(SystemTest):
    """A test on hosts of a lab."""

    limit = 400

    needs = [laboratory.unavailable]

    def setUp(self):
        super().setUp()
        self.net = self.lab()

    def meet(self, *nodes, direct=None):
        """Waits until each of the nodes is ready and has heard of all others."""
        for one in nodes:
            one.ready()
        for one in nodes:
            for other in nodes:
                if one is not other:
                    fields = {} if direct is None else {"direct": direct}
                    one.expect(event="peer", number=other.number, **fields)

    def say(self, sender, receiver, text):
        """A text is shown at the other end and its receipt comes back."""
        sender.text(receiver.number, text, ref=text)
        message = receiver.got(text)
        self.assertEqual(message["from"], sender.number)
        sender.delivered(text)

    def chain(self, *arguments, avahi=False):
        """Nodes on hosts a, b and c, of which a and c do not hear each other."""
        hosts = self.net.chain("a", "b", "c")
        if avahi:
            for host in hosts:
                host.start_avahi()
        self.hosts = hosts
        nodes = [self.node(name, *arguments, host=host)
                 for name, host in zip(("Ada", "Bob", "Cleo"), hosts)]
        self.meet(*nodes)
        return nodes


class ChainTests(MeshTest):
    def test_a_text_crosses_a_relay_and_its_receipt_comes_back(self):
        ada, bob, cleo = self.chain(*DAEMON, avahi=True)
        self.assertFalse(ada.seen(event="peer", number=cleo.number, direct=True))
        self.say(ada, cleo, "over the hill")
        self.say(cleo, ada, "and back")
        self.assertFalse(bob.seen(event="message"), "the relay reads nothing")

    def test_no_daemon_is_needed(self):
        ada, _, cleo = self.chain(*EMBEDDED)
        self.say(ada, cleo, "over the hill")

    def test_a_text_waits_for_a_cable_to_be_put_back(self):
        ada, _, cleo = self.chain(*EMBEDDED)
        cable = self.net.port(self.hosts[2])
        # Shorter than any timeout: the connection outlives it. Longer than all: it does not.
        for number, seconds in enumerate([3, 25 if node.is_long() else 18]):
            cable.unplug()
            text = f"for later {number}"
            ada.text(cleo.number, text, ref=text)
            time.sleep(seconds)
            self.assertFalse(ada.seen(event="state", ref=text, state="delivered"))
            cable.join()
            cleo.got(text)
            ada.delivered(text)

    def test_a_text_waits_for_one_who_restarts(self):
        ada, _, cleo = self.chain(*EMBEDDED)
        self.say(cleo, ada, "before")
        number = ada.number
        self.assertEqual(ada.quit(), 0)
        cleo.text(number, "while you were out", ref="1")
        ada.start()
        self.assertFalse(ada.ready()["temporary"])
        self.assertEqual(ada.number, number)
        ada.got("while you were out")
        cleo.delivered("1")
        self.assertEqual(len(ada.seen(event="message", text="before")), 1, "nothing shows twice")
        self.say(ada, cleo, "back again")

    def test_a_daemon_that_dies_takes_no_link_with_it(self):
        ada, bob, cleo = self.chain(*DAEMON, avahi=True)
        marks = {one: one.mark() for one in (ada, bob, cleo)}
        self.hosts[1].stop_avahi(signal.SIGKILL)
        self.say(ada, cleo, "without the daemon")
        self.hosts[1].start_avahi()
        self.say(cleo, ada, "with the next one")
        for one, mark in marks.items():
            self.assertFalse(one.seen(mark, event="link", state="down"), one.transcript())
        # Who comes new finds the node by the daemon's successor.
        dora = self.node("Dora", *DAEMON, host=self.hosts[1])
        self.meet(bob, dora, direct=True)


class DiscoveryTests(MeshTest):
    def two(self, first, second, *, ipv4=True, start=True):
        a, b = self.net.chain("a", "b", ipv4=ipv4)
        return [self.node("Ada", *first, host=a, start=start),
                self.node("Bob", *second, host=b, start=start)]

    def test_a_daemon_may_come_after_the_node(self):
        ada, bob = self.two(DAEMON, DAEMON)
        ada.ready()
        bob.ready()
        time.sleep(2)
        ada.host.start_avahi()
        bob.host.start_avahi()
        self.meet(ada, bob, direct=True)
        self.say(ada, bob, "at last")

    def test_auto_finds_what_there_is(self):
        ada, bob = self.two(["--discovery", "auto"], ["--discovery", "auto"], start=False)
        ada.host.start_avahi()  # and none on the other
        ada.start()
        bob.start()
        self.meet(ada, bob, direct=True)
        self.say(bob, ada, "one with, one without")

    @unittest.skipUnless(laboratory.has_ipv6(), "no IPv6 here")
    def test_link_local_addresses_are_enough(self):
        for discovery in ("embedded", "daemon"):
            with self.subTest(discovery):
                a, b = self.net.chain(f"a{discovery[0]}", f"b{discovery[0]}", ipv4=False)
                for host in (a, b):
                    self.assertEqual(host.addresses("inet"), [])
                    if discovery == "daemon":
                        host.start_avahi()
                ada = self.node(f"Ada-{discovery}", "--discovery", discovery, host=a)
                bob = self.node(f"Bob-{discovery}", "--discovery", discovery, host=b)
                self.meet(ada, bob, direct=True)
                self.say(ada, bob, "fe80 will do")

    def test_both_ways_of_discovery_live_on_one_host(self):
        [a] = self.net.chain("a")
        other = self.net.host("b")
        self.net.segment(a, other)
        a.start_avahi()
        nodes = [self.node("Ada", *DAEMON, host=a), self.node("Bob", *EMBEDDED, host=a),
                 self.node("Cleo", *DAEMON, host=a), self.node("Dora", *EMBEDDED, host=a),
                 self.node("Eve", *EMBEDDED, host=other)]
        self.meet(*nodes, direct=True)
        self.say(nodes[0], nodes[1], "from daemon to embedded")
        self.say(nodes[3], nodes[2], "and the other way")
        self.say(nodes[4], nodes[0], "from next door")

    def test_one_pair_has_one_link_however_many_cables_they_share(self):
        a, b = self.net.host("a"), self.net.host("b")
        for _ in range(3):
            self.net.segment(a, b)
        ada, bob = self.node("Ada", *EMBEDDED, host=a), self.node("Bob", *EMBEDDED, host=b)
        self.meet(ada, bob, direct=True)
        time.sleep(5)  # whatever else was on its way
        for one in (ada, bob):
            self.assertEqual(len(one.ask("links")), 1, one.transcript())
        self.say(ada, bob, "three cables, one link")
        for port in a.ports[:2]:
            port.unplug()
        self.say(bob, ada, "one cable, one link")

    def test_a_network_may_come_after_the_node(self):
        a, b = self.net.host("a"), self.net.host("b")
        nodes = [self.node("Ada", *EMBEDDED, host=a), self.node("Bob", *EMBEDDED, host=b)]
        for one in nodes:
            one.ready()
        time.sleep(2)
        self.net.segment(a, b)
        self.meet(*nodes, direct=True)
        self.say(*nodes, "where have you been?")

    def test_an_address_that_changes_costs_no_text(self):
        a, b = self.net.chain("a", "b")
        ada, bob = self.node("Ada", *EMBEDDED, host=a), self.node("Bob", *EMBEDDED, host=b)
        self.meet(ada, bob, direct=True)
        self.say(ada, bob, "before")
        # As when a lease ends and another network takes over; the links' own addresses go, too.
        for host, address in ((a, "10.78.0.1/24"), (b, "10.78.0.2/24")):
            host.run(["ip", "link", "set", "eth0", "down"])
            host.run(["ip", "address", "flush", "dev", "eth0"])
            host.run(["ip", "address", "add", address, "dev", "eth0"])
        bob.text(ada.number, "in between", ref="1")
        for host in (a, b):
            host.run(["ip", "link", "set", "eth0", "up"])
        ada.got("in between")
        bob.delivered("1")
        self.say(ada, bob, "after")

    def test_peers_can_be_named_with_discovery_off(self):
        a, b = self.net.chain("a", "b")
        addresses = ["10.77.1.1"]
        if laboratory.has_ipv6():
            a.run(["ip", "address", "add", "fd00:77::1/64", "dev", "eth0", "nodad"])
            b.run(["ip", "address", "add", "fd00:77::2/64", "dev", "eth0", "nodad"])
            a.wait_for_link_local()
            b.wait_for_link_local()
            link_local = [one for one in a.addresses("inet6") if one.startswith("fe80")][0]
            addresses += ["[fd00:77::1]", f"[{link_local}%eth0]"]
        ada = self.node("Ada", *ALONE, "--listen", "41234", host=a)
        self.assertEqual(ada.ready()["port"], 41234)
        for address in addresses:
            with self.subTest(address):
                bob = self.node(f"Bob-{address.strip('[]')}".replace(":", "_"), *ALONE, "--peer",
                                f"{address}:41234", host=b)
                self.meet(ada, bob, direct=True)
                self.say(bob, ada, f"by way of {address}")
                self.assertEqual(bob.quit(), 0)

    def test_a_named_peer_may_come_later_and_go(self):
        a, b = self.net.chain("a", "b")
        bob = self.node("Bob", *ALONE, "--peer", "10.77.1.1:41234", host=b)
        bob.ready()
        time.sleep(3)
        ada = self.node("Ada", *ALONE, "--listen", "41234", host=a)
        self.meet(ada, bob, direct=True)
        ada.kill()
        bob.expect(event="link", state="down")
        bob.text(ada.number, "are you there?", ref="1")
        ada.start()
        ada.got("are you there?")
        bob.delivered("1")

    def test_nothing_is_announced_with_discovery_off(self):
        a, b = self.net.chain("a", "b")
        ada = self.node("Ada", *ALONE, host=a)
        bob = self.node("Bob", *EMBEDDED, host=b)
        ada.ready()
        bob.ready()
        time.sleep(6)
        self.assertFalse(bob.seen(event="peer"), bob.transcript())


class LossTests(MeshTest):
    needs = [laboratory.unavailable, laboratory.loss_unavailable]

    def test_loss_one_way_costs_time_and_no_text(self):
        a, b = self.net.chain("a", "b")
        ada, bob = self.node("Ada", *EMBEDDED, host=a), self.node("Bob", *EMBEDDED, host=b)
        self.meet(ada, bob, direct=True)
        self.net.port(a).lose(20, "in")
        for number in range(10):
            self.say(ada, bob, f"there {number}")
            self.say(bob, ada, f"and back {number}")

    def test_a_deaf_side_is_noticed_and_hears_all_when_it_is_mended(self):
        a, b = self.net.chain("a", "b")
        ada, bob = self.node("Ada", *EMBEDDED, host=a), self.node("Bob", *EMBEDDED, host=b)
        self.meet(ada, bob, direct=True)
        marks = ada.mark(), bob.mark()
        self.net.port(a).lose(100, "in")
        bob.text(ada.number, "can you hear me?", ref="1")
        # Unacknowledged data ends a connection after 15 s, silence after 15 s as well.
        ada.expect(since=marks[0], event="link", state="down")
        bob.expect(since=marks[1], event="link", state="down")
        self.net.port(a).lose(0)
        ada.got("can you hear me?")
        bob.delivered("1")
