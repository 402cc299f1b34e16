"""Nodes that talk over Bluetooth."""

import time

from radios import LIMIT, BluetoothTest, Daemon, quietly, wait_for


class TalkTests(BluetoothTest):
    def test_two_nodes_with_nothing_but_bluetooth_talk_and_call(self):
        a, b = self.pair("--auto-answer")
        link = a.seen(event="link", state="up")[0]
        self.assertEqual(link["transport"], "ble")
        self.say(a, b, "hello", "a1")
        self.say(b, a, "hello to you", "b1")
        self.say(a, b, "a" * 8045, "a2")
        self.say(b, a, "ä" * 4000, "b2")
        # Both have a path on which they write: bluetoothd looks for services in both directions.
        for node in [a, b]:
            wait_for(lambda: self.stats(node)["ble.paths"] == 2, "two paths")
        a.send(cmd="call", to=b.number)
        for node in [a, b]:
            node.expect(LIMIT, event="call", state="connected")
        time.sleep(8)
        for node in [a, b]:
            self.assertEqual(node.seen(event="call", state="ended"), [])
            self.assertGreater(self.stats(node)["ble.chunks-in"], 20)
        self.say(b, a, "while we talk", "b3")
        a.send(cmd="hangup")
        for node in [a, b]:
            node.expect(LIMIT, event="call", state="ended")
        for node in [a, b]:
            stats = self.stats(node)
            self.assertEqual(stats["ble.checksum-failures"], 0)
            self.assertEqual(stats["ble.garbage-bytes"], 0)

    def test_with_both_radios_each_text_is_had_once_and_either_radio_may_die(self):
        a = self.node(0, peers=[1], wifi=("--discovery", "off", "--listen", "127.0.0.1:4750"))
        b = self.node(1, peers=[0], wifi=("--discovery", "off", "--listen", "127.0.0.1:4751",
                                          "--peer", "127.0.0.1:4750"))
        a.ready()
        b.ready()
        for node in [a, b]:
            for transport in ["ble", "wifi"]:
                node.expect(LIMIT, event="link", state="up", transport=transport)
        a.expect(LIMIT, event="peer", number=b.number)
        b.expect(LIMIT, event="peer", number=a.number)
        for number in range(10):
            self.say(a, b, f"text {number}", f"a{number}")
        try:
            quietly("ip", "link", "set", "lo", "down")
            self.say(a, b, "by Bluetooth alone", "ble")
            self.say(b, a, "by Bluetooth too", "ble")
        finally:
            quietly("ip", "link", "set", "lo", "up")
        mark = b.mark()
        wait_for(lambda: b.seen(since=mark, event="link", state="up", transport="wifi")
                 or self.stats(b)["node.links"] == 2, "Wi-Fi again")
        off = a.mark()
        Daemon.power(0, False)
        try:
            a.expect(LIMIT, event="link", state="down", transport="ble")
            self.say(a, b, "by Wi-Fi alone", "wifi")
            self.say(b, a, "by Wi-Fi too", "wifi")
        finally:
            Daemon.power(0, True)
        a.expect(2 * LIMIT, since=off, event="link", state="up", transport="ble")

    def test_packets_back_to_back_arrive_whole_or_are_counted(self):
        a, b = self.pair()
        count = 250
        for number in range(count):
            a.send(cmd="send", to=b.number, text=f"from a {number}", ref=f"a{number}")
            b.send(cmd="send", to=a.number, text=f"from b {number}", ref=f"b{number}")
        def had(node, name):
            return {event["text"] for event in node.seen(event="message")
                    if event["text"].startswith(f"from {name} ")}
        wait_for(lambda: len(had(a, "b")) + self.stats(b)["ble.shed"] >= count
                 and len(had(b, "a")) + self.stats(a)["ble.shed"] >= count, "all of them", 240)
        for node, name in [(a, "b"), (b, "a")]:
            texts = [event["text"] for event in node.seen(event="message")]
            self.assertEqual(len(texts), len(set(texts)), "shown twice")
            stats = self.stats(node)
            self.assertEqual(stats["ble.checksum-failures"], 0)
            self.assertEqual(stats["ble.stalled-packets"], 0)
            print(f"{len(had(node, name))} of {count} at once, shed {stats['ble.shed']}")
