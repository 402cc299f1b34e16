"""The laboratory itself: what it claims about hosts and cables, seen with ordinary tools."""

import os
import signal
import subprocess
import sys
import unittest

import lab as laboratory
from lab import Lab

LISTEN = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4242))
s.settimeout(10)
print("ready", flush=True)
print(s.recv(100).decode(), flush=True)
"""
SHOUT = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
s.sendto(b"hello", ("10.77.1.255", 4242))
"""


def reaches(host, address):
    """Whether a TCP connection from the host is at least refused by the address."""
    probe = ("import socket,sys\n"
             "try: socket.create_connection((sys.argv[1], 9), 2)\n"
             "except ConnectionRefusedError: print('there')\n"
             "except OSError: print('nothing')")
    return host.run(["/usr/bin/python3", "-c", probe, address]).strip() == "there"


@unittest.skipIf(laboratory.unavailable(), laboratory.unavailable())
class LabTests(unittest.TestCase):
    limit = 120

    def test_hosts_in_a_chain_hear_only_their_neighbours(self):
        with Lab() as lab:
            a, b, c = lab.chain("a", "b", "c")
            self.assertTrue(reaches(a, b.addresses()[0]))
            self.assertTrue(reaches(c, b.addresses(device="eth1")[0]))
            self.assertFalse(reaches(a, c.addresses()[0]))

    def test_a_cable_can_be_cut_pulled_and_put_back(self):
        with Lab() as lab:
            a, b = lab.chain("a", "b")
            address = b.addresses()[0]
            port = lab.port(a)
            port.cut()
            self.assertFalse(reaches(a, address))
            self.assertIn("LOWER_UP", a.run(["ip", "link", "show", "eth0"]))
            port.join()
            laboratory.wait_until(lambda: reaches(a, address), "b to be there again")
            port.unplug()
            self.assertIn("NO-CARRIER", a.run(["ip", "link", "show", "eth0"]))
            port.join()
            laboratory.wait_until(lambda: reaches(a, address), "b to be there again")

    @unittest.skipIf(laboratory.loss_unavailable(), "nft cannot drop here")
    def test_loss_can_be_one_way(self):
        with Lab() as lab:
            a, b = lab.chain("a", "b")
            lab.port(a).lose(100, "in")
            self.assertFalse(reaches(a, b.addresses()[0]), "answers are lost")
            listener = b.start(["/usr/bin/python3", "-c", LISTEN], stdout=subprocess.PIPE, text=True)
            self.assertEqual(listener.stdout.readline(), "ready\n")
            a.run(["/usr/bin/python3", "-c", SHOUT])
            self.assertEqual(listener.stdout.readline(), "hello\n", "questions are not")
            listener.stdout.close()
            listener.wait()
            lab.port(a).lose(0)
            laboratory.wait_until(lambda: reaches(a, b.addresses()[0]), "b to be there again")

    def test_a_daemon_finds_a_service_of_the_neighbour(self):
        with Lab() as lab:
            a, b = lab.chain("a", "b")
            a.start_avahi()
            b.start_avahi()
            publisher = a.start(["avahi-publish", "-s", "thing", "_lab._tcp", "4242"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            laboratory.wait_until(
                lambda: "4242" in b.run(["avahi-browse", "-rtp", "_lab._tcp"]), "the service")
            publisher.kill()
            publisher.wait()

    def test_nothing_is_left_of_a_lab_whose_maker_was_killed(self):
        program = ("import lab, time\n"
                   "l = lab.Lab(); a, b = l.chain('a', 'b'); a.start_bus()\n"
                   "print(a.pid, b.pid, a._bus.pid, l._switch.pid, flush=True); time.sleep(60)")
        maker = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                                 cwd=os.path.dirname(os.path.abspath(__file__)))
        pids = [int(pid) for pid in maker.stdout.readline().split()]
        self.assertEqual(len(pids), 4)
        maker.send_signal(signal.SIGKILL)
        maker.wait()
        maker.stdout.close()
        laboratory.wait_until(lambda: not any(alive(pid) for pid in pids), "the lab to be gone")


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
