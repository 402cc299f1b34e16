"""What comes and goes: the daemon, adapters, nodes."""

import time

from radios import LIMIT, BluetoothTest, Daemon, wait_for


class ChangeTests(BluetoothTest):
    def test_bluetoothd_dies_idle_and_in_a_transfer(self):
        crashes = Daemon.crashes
        a, b = self.pair()
        self.say(a, b, "before", "1")
        for round in ["idle", "busy"]:
            marks = [a.mark(), b.mark()]
            if round == "busy":
                for number in range(10):
                    a.send(cmd="send", to=b.number, text=f"{number} " + "x" * 4000, ref=f"x{number}")
                time.sleep(0.5)
            Daemon.kill()
            for node, mark in zip([a, b], marks):
                node.expect(LIMIT, since=mark, event="link", state="down")
            if round == "idle":
                a.send(cmd="send", to=b.number, text="while it is away", ref="away")
                time.sleep(2)
            Daemon.start()
            for node, mark in zip([a, b], marks):
                node.expect(LIMIT, since=mark, event="link", state="up")
        a.expect(LIMIT, event="state", ref="away", state="delivered")
        for number in range(10):
            a.expect(2 * LIMIT, event="state", ref=f"x{number}", state="delivered")
        self.say(b, a, "after", "2")
        # Said once when it went and once when it came, each time.
        said = [line for line in a.lines if "bluetoothd does not run" in str(line)]
        if Daemon.crashes == crashes:
            self.assertEqual(len(said), 2, said)

    def test_an_adapter_is_switched_off_and_on(self):
        a, b = self.pair()
        mark = b.mark()
        Daemon.power(0, False)
        a.expect(LIMIT, event="link", state="down")
        b.expect(LIMIT, since=mark, event="link", state="down")
        Daemon.power(0, True)
        b.expect(LIMIT, since=mark, event="link", state="up")
        self.say(a, b, "here again", "1")
        self.say(b, a, "so I hear", "1")

    def test_a_node_killed_while_bluetoothd_holds_its_connection_is_there_again(self):
        a, b = self.pair()
        self.say(a, b, "before", "1")
        for round in range(3):
            a.kill()
            a.start()
            a.ready()
            wait_for(lambda: self.linked(a) and self.linked(b), "a link")
            self.say(a, b, f"after {round}", f"a{round}")
            self.say(b, a, f"and back {round}", f"b{round}")
