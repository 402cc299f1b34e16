"""What comes and goes: the daemon, adapters, nodes."""

import os
import random
import time

from radios import LIMIT, BluetoothTest, Daemon, wait_for

HELD = ["ble.bus-calls", "ble.bus-names", "ble.bus-objects", "ble.bus-rules",
        "ble.bus-subscriptions", "ble.links", "ble.paths"]


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

    def test_churn_leaves_all_as_it_was(self):
        seed = int(os.environ.get("AIRLINK_SEED", "1"))
        chance = random.Random(seed)
        a, b = self.pair()
        wait_for(lambda: all(self.stats(node)["ble.paths"] == 2 for node in [a, b]), "two paths")
        before = {name: self.stats(a)[name] for name in HELD}
        end = time.monotonic() + int(os.environ.get("AIRLINK_CHURN", "60"))
        steps = []
        while time.monotonic() < end:
            step = chance.choice(["off", "daemon", "node", "text", "text"])
            steps.append(step)
            if step == "off":
                number = chance.choice([0, 1])
                Daemon.power(number, False)
                time.sleep(chance.random() * 2)
                Daemon.power(number, True)
            elif step == "daemon":
                Daemon.kill()
                time.sleep(chance.random() * 2)
                Daemon.start()
            elif step == "node":
                # The other one's state is looked at in the end.
                b.kill()
                time.sleep(chance.random())
                b.start()
                b.ready()
            else:
                a.send(cmd="send", to=b.number, text=f"text {len(steps)}")
            time.sleep(chance.random() * 3)
            Daemon.start()
        print(f"seed {seed}: {' '.join(steps)}", flush=True)
        wait_for(lambda: self.linked(a) and self.linked(b), "a link", 2 * LIMIT)
        self.say(a, b, "still here", "end", 2 * LIMIT)
        wait_for(lambda: {name: self.stats(a)[name] for name in HELD} == before,
                 f"all as before: {before}, now {self.stats(a)}")
