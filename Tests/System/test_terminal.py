"""What other people send meets the terminal harmless, and programs exact."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import unicodedata

import airlink_wire as wire
import lab
import node
from system_test import SystemTest

# Each with something in it that no part of ours would ever send.
HOSTILE = [
    "\x1b]0;PWNED\x07title",
    "\x1b[31337mcolour",
    "\x1b[2J\x1b[1;1Hclear",
    "\x1b[6n report",
    "\x1bP1$qm\x1b\\ DCS",
    "\x1b[?1049h other screen",
    "\x9b31337m C1",
    "\x9d0;PWNED\x9c C1 title",
    "bell\x07 backspace\x08\x08\x08 return\rOVER",
    "line\nbreak\r\nand form\x0cfeed\x0b",
    "\u202eright to left\u202c and \u2066isolate\u2069",
    "line\u2028separator and paragraph\u2029separator",
    "zero\u200bwidth \ufeffmark \u00adsoft",
    "\u0085next line",
    "nul\x00 and del\x7f",
    "tag\U000e0041\U000e0042\U000e007f",
    "z" + "\u0301" * 300 + "algo",
    "👩‍👩‍👧‍👦🏳️‍🌈 family and flag",
    "\u115f\u1160\u3164 blank letters",
    "\ue000\U000f0000 private",
    "\ufffe\uffff noncharacters",
]
# The sequences that a line editor and a chat need: cursor moves, erasing, attributes, insert and
# delete, scroll region, bracketed paste and focus events; none moves anywhere absolutely but home.
OURS = re.compile(
    r"\x1b\[(?:\d{0,3}[ABCDGJKPL@Xdhl]|\d{0,3}(?:;\d{0,3}){0,4}m|\d{0,3};\d{0,3}[Hr]|[Hr]"
    r"|\?(?:1|7|12|25|1004|2004)[hl]|>4;?\d?m)|\x1b[=>78M]|\x1b\([0B]|\x0f|[\r\n\t\x08]")


class TerminalTests(SystemTest):
    limit = 300

    needs = [wire.missing]

    def start_in_terminal(self, home, *arguments, columns=80):
        """An interactive node in a pseudo-terminal; returns the process and its master end."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
                       "SWIFT_BACKTRACE": "enable=no"}
        process = subprocess.Popen(
            [node.program("airlink-node"), "--home", str(home), "--key-file", *arguments],
            stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.addCleanup(os.close, master)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.screen = b""
        return process, master

    def read(self, master, seconds=0.5):
        """Collects what comes until nothing came for so long."""
        while select.select([master], [], [], seconds)[0]:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            self.screen += data
        return self.screen

    def wait_for(self, master, text):
        lab.wait_until(lambda: text.encode() in self.read(master, 0.1), repr(text), node.LIMIT)

    def assert_harmless(self, output):
        text = output.decode()  # strictly: what is shown is UTF-8
        for hostile in HOSTILE:
            if "\x1b" in hostile and hostile != text:
                self.assertNotIn(hostile, text, "ours in its parts, and not as a whole")
        rest = OURS.sub("", text)
        for character in rest:
            category = unicodedata.category(character)
            allowed = category[0] in "LMNPSZ" and category not in ("Zl", "Zp")
            joiner = character in "\u200d\ufe0f"  # inside emoji
            where = rest.find(character)
            self.assertTrue(allowed or joiner, f"U+{ord(character):04X} ({category}) reached the "
                            f"terminal: {rest[max(0, where - 60):where + 20]!r}")

    def free_port(self):
        import socket
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def meet(self, port, name):
        """Somebody independent, with a connection to the node."""
        def connect():
            try:
                return wire.Line(("127.0.0.1", port))
            except OSError:
                return None
        line = lab.wait_until(connect, "the node to listen", node.LIMIT)
        self.addCleanup(line.close)
        person = wire.Person(name)
        line.send(person.hello())  # who speaks first is answered at once
        keys, _ = line.hello()
        return person, line, keys

    def test_nothing_hostile_reaches_a_terminal(self):
        port = self.free_port()
        process, master = self.start_in_terminal(
            self.folder / "Ada", "--name", "Ada", "--discovery", "off", "--listen",
            f"127.0.0.1:{port}")
        person, line, ada = self.meet(port, "Mallory")
        for number, text in enumerate(HOSTILE):
            named, other, keys = self.meet(port, text.encode()[:64].decode(errors="ignore"))
            other.send(named.seal(keys, wire.TEXT, f"from {number}".encode()))
            line.send(person.seal(ada, wire.TEXT, text.encode()))
            self.wait_for(master, f"from {number}")
            other.close()
        # The names once more, in lists and conversations.
        for command in ("/who", "/links", "/stats"):
            os.write(master, f"{command}\r".encode())
            self.read(master)
        line.send(person.seal(ada, wire.TEXT, b"the end"))
        self.wait_for(master, "the end")
        self.assertIsNone(process.poll())
        self.assert_harmless(self.screen)
        os.write(master, b"/quit\r")
        self.assertEqual(process.wait(node.LIMIT), 0)
        self.read(master)
        self.assert_harmless(self.screen)

    def test_what_reached_a_terminal_raw_would_be_noticed(self):
        passed = []
        for text in HOSTILE:
            try:
                self.assert_harmless(text.encode("utf-8", "surrogatepass"))
                passed.append(text)
            except AssertionError:
                pass
        # Harmless to a terminal in themselves; that they do not mislead people is tested elsewhere.
        self.assertEqual([text[:1] for text in passed], ["\x1b", "z", "\U0001f469", "\u115f"])

    def test_json_keeps_names_and_texts_exactly_and_its_lines_are_harmless(self):
        ada = self.node("Ada", "--discovery", "off", "--listen", "127.0.0.1:0")
        port = ada.ready()["port"]
        for text in HOSTILE:
            name = text.encode()[:64].decode(errors="ignore")
            person, line, keys = self.meet(port, name)
            line.send(person.seal(keys, wire.TEXT, text.encode()))
            message = ada.got(text)
            self.assertEqual((message["text"], message["name"]), (text, name))
            line.close()
        for shown in ada.lines:
            for character in shown:
                category = unicodedata.category(character)
                self.assertFalse(
                    category in ("Cc", "Zl", "Zp") or 0x202A <= ord(character) <= 0x202E
                    or 0x2066 <= ord(character) <= 0x2069,
                    f"U+{ord(character):04X} stands raw in {shown!r}")

    def test_what_arrives_does_not_tear_the_line_being_typed(self):
        port = self.free_port()
        process, master = self.start_in_terminal(
            self.folder / "Ada", "--name", "Ada", "--discovery", "off", "--listen",
            f"127.0.0.1:{port}")
        person, line, ada = self.meet(port, "Bob")
        line.send(person.seal(ada, wire.TEXT, b"first"))
        self.wait_for(master, "first")
        os.write(master, f"/to {person.number}\r".encode())
        self.read(master)
        os.write(master, b"half a sen")
        self.read(master)
        line.send(person.seal(ada, wire.TEXT, b"in between"))
        self.wait_for(master, "in between")
        os.write(master, b"tence\r")
        packet = line.wait(lambda p: p if p.kind == wire.SEALED
                           and person.open(p)[1] == wire.TEXT else None)
        self.assertEqual(person.open(packet)[3], b"half a sentence")
        # ^C clears the line, ^D on an empty one leaves.
        os.write(master, b"never sent\x03")
        self.read(master)
        os.write(master, b"sent\r")
        packet = line.wait(lambda p: p if p.kind == wire.SEALED
                           and person.open(p)[1] == wire.TEXT else None)
        self.assertEqual(person.open(packet)[3], b"sent")
        os.write(master, b"\x04")
        self.assertEqual(process.wait(node.LIMIT), 0)
        self.read(master)

    def test_a_terminal_that_goes_away_ends_the_node(self):
        process, master = self.start_in_terminal(
            self.folder / "Ada", "--name", "Ada", "--discovery", "off")
        self.read(master, 2)
        process.send_signal(signal.SIGHUP)
        self.assertIn(process.wait(node.LIMIT), (0, -signal.SIGHUP))

    def test_the_terminal_is_as_it_was_afterwards(self):
        for end in (b"/quit\r", b"\x04"):
            with self.subTest(end):
                master, slave = pty.openpty()
                before = termios.tcgetattr(slave)
                process = subprocess.Popen(
                    [node.program("airlink-node"), "--home", str(self.folder / "Ada"), "--key-file",
                     "--name", "Ada", "--discovery", "off"],
                    stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                    env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
                    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
                self.screen = b""
                self.read(master, 2)
                os.write(master, end)
                self.assertEqual(process.wait(node.LIMIT), 0)
                self.read(master)
                self.assertEqual(termios.tcgetattr(slave), before)
                for mode in (b"1004", b"2004"):
                    self.assertEqual(self.screen.count(b"\x1b[?" + mode + b"h"),
                                     self.screen.count(b"\x1b[?" + mode + b"l"))
                os.close(master)
                os.close(slave)
