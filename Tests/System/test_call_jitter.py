"""Calls over a road on which every piece takes its own time."""

import time

import test_call_sound
from jitter import JitterRoad


class JitterTests(test_call_sound.SoundCase):
    limit = 120

    def test_with_50_ms_of_jitter_all_is_heard(self):
        bob = self.node("Bob", "--discovery", "off", *self.files("Bob", 20, 2))
        road = JitterRoad(bob.ready()["port"], 0.05)
        self.addCleanup(road.close)
        ada = self.node("Ada", "--discovery", "off", "--peer", f"127.0.0.1:{road.port}",
                        *self.files("Ada", 20, 1))
        ada.ready()
        ada.expect(event="peer", number=bob.number)
        bob.expect(event="peer", number=ada.number)
        self.connect(ada, bob)
        time.sleep(12)
        for event in self.end(ada, bob):
            self.assertEqual(event["directPercent"], 0)
            self.assertLessEqual(event["lossPercent"], 2)
            # All of the jitter, and little more.
            self.assertTrue(20 <= event["worstBufferMs"] <= 200, event)
        for one, other in (("Ada", "Bob"), ("Bob", "Ada")):
            late, got = self.check(one, other, 30, 100, 0.9)
            self.note(f"{one} hears {other} {1000 * late:.0f} ms after the file; "
                      f"{len(got)} of 70 notes")
            self.assertLess(late, 0.4)
