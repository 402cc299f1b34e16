"""Whom a node believes: pinned and contradicted numbers, blocked people, as programs see them."""

import json
import pathlib
import time

import airlink_wire as wire
from system_test import SystemTest

FIXTURE = pathlib.Path(__file__).resolve().parents[2] / "Fixtures/identity/identity.json"


def twins():
    """Two people with one number, found once by trying long enough."""
    pair = json.loads(FIXTURE.read_text())["twins"]
    seeds = [bytes.fromhex(one["seed"]) for one in pair]
    return [wire.Person(one["name"], seed[:32], seed[32:]) for one, seed in zip(pair, seeds)]


class PeopleTests(SystemTest):
    needs = [wire.missing]

    def setUp(self):
        super().setUp()
        self.ada = self.node("Ada", "--discovery", "off", "--listen", "127.0.0.1:0")
        self.address = ("127.0.0.1", self.ada.ready()["port"])

    def arrive(self, person):
        """The person's connection, on which both have said hello, and the node's keys."""
        line = wire.Line(self.address)
        self.addCleanup(line.close)
        line.send(person.hello())
        keys, _ = line.hello()
        return line, keys

    def receipt(self, line, person, limit=60):
        """Waits for a receipt to the person and returns the message id in it."""
        def wanted(packet):
            if packet.kind != wire.SEALED or packet.destination != person.fingerprint:
                return None
            _, content, _, body = person.open(packet)
            return body if content == wire.RECEIPT else None
        return line.wait(wanted, limit)

    def assert_no_receipt(self, line, person):
        try:
            self.receipt(line, person, limit=2)
        except AssertionError:
            return
        self.fail(f"a receipt went out\n{self.ada.transcript()}")

    def refused(self, **command):
        mark = self.ada.mark()
        self.ada.send(ref="refused", **command)
        return self.ada.expect(since=mark, event="error", ref="refused")

    def test_a_blocked_person_is_not_seen_and_learns_nothing(self):
        bob = wire.Person("Bob")
        line, ada = self.arrive(bob)
        line.send(bob.seal(ada, wire.TEXT, b"before"))
        self.ada.got("before")
        self.receipt(line, bob)
        self.ada.send(cmd="block", number=bob.number, on=True)
        self.assertEqual(self.refused(cmd="send", to=bob.number, text="x")["code"], "blocked")
        line.send(bob.seal(ada, wire.TEXT, b"meanwhile"))
        self.assert_no_receipt(line, bob)
        # Still so after a restart, when the block comes from disk.
        self.ada.quit()
        self.ada.start()
        self.address = ("127.0.0.1", self.ada.ready()["port"])
        line, _ = self.arrive(bob)
        line.send(bob.seal(ada, wire.TEXT, b"after a restart"))
        self.assert_no_receipt(line, bob)
        self.ada.send(cmd="block", number=bob.number, on=False)
        last = bob.seal(ada, wire.TEXT, b"at last")
        line.send(last)
        self.ada.got("at last")
        self.assertEqual(self.receipt(line, bob), last.id)
        self.assertEqual([event["text"] for event in self.ada.seen(event="message")],
                         ["before", "at last"])

    def test_a_pinned_number_with_other_keys_gets_nothing_until_accepted(self):
        one, two = twins()
        self.assertEqual(one.number, two.number)
        first, ada = self.arrive(one)
        self.ada.expect(event="peer", number=one.number)
        id = bytes.fromhex(self.ada.text(one.number, "I know you", ref="1"))
        first.send(one.seal(ada, wire.RECEIPT, id))
        self.ada.delivered("1")

        second, _ = self.arrive(two)
        warning = self.ada.expect(event="warning", code="keys-changed")
        self.assertIn(one.number, json.dumps(warning))
        second.send(two.seal(ada, wire.TEXT, b"it is me, really"))
        self.assert_no_receipt(second, two)
        self.assertFalse(self.ada.seen(event="message"))
        # Nothing goes to a number in doubt, until the user says whose it is.
        error = self.refused(cmd="send", to=one.number, text="which of you?")
        self.assertEqual(error["code"], "keys-changed")
        self.ada.send(cmd="accept", number=one.number, fingerprint=one.fingerprint.hex())
        self.ada.text(one.number, "for you alone", ref="2")
        packet = first.wait(lambda p: p if p.kind == wire.SEALED and p.destination
                            == one.fingerprint and one.open(p)[1] == wire.TEXT
                            and one.open(p)[3] == b"for you alone" else None)
        self.assertEqual(one.open(packet)[0].number, self.ada.number)

        self.ada.send(cmd="accept", number=two.number, fingerprint=two.fingerprint.hex())
        second.send(two.seal(ada, wire.TEXT, b"it is me, accepted"))
        self.ada.got("it is me, accepted")
        self.receipt(second, two)
        mark = self.ada.mark()
        first.send(one.seal(ada, wire.TEXT, b"and what about me?"))
        self.assert_no_receipt(first, one)
        self.assertFalse(self.ada.seen(mark, event="message"))
        self.ada.expect(event="state", ref="2", state="failed", reason="keys-changed")

    def test_a_number_that_two_claim_asks_which(self):
        one, two = twins()
        self.arrive(one)
        self.arrive(two)
        self.ada.expect(event="peer", fingerprint=one.fingerprint.hex())
        self.ada.expect(event="peer", fingerprint=two.fingerprint.hex())
        error = self.refused(cmd="send", to=one.number, text="which of you?")
        self.assertEqual(error["code"], "ambiguous")
        self.assertEqual(set(error["fingerprints"]), {one.fingerprint.hex(), two.fingerprint.hex()})
        self.ada.text(two.fingerprint.hex(), "you", ref="1")

    def test_two_people_of_one_name_are_told_apart_by_number(self):
        people = [wire.Person("Sam"), wire.Person("Sam")]
        for person in people:
            line, ada = self.arrive(person)
            line.send(person.seal(ada, wire.TEXT, person.number.encode()))
            message = self.ada.got(person.number)
            self.assertEqual((message["from"], message["name"]), (person.number, "Sam"))

    def test_our_own_hello_makes_no_peer(self):
        line, ada = self.arrive(wire.Person("Mirror"))
        own = line.wait(lambda p: p if p.kind == wire.HELLO and p.hops == 2 else None)
        line.send(own)
        time.sleep(1)
        self.assertFalse([peer for peer in self.ada.ask("peers")
                          if peer["number"] == self.ada.number])
