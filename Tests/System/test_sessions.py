"""Programs as a user runs them, from files that read like a terminal session.

Each file in sessions/ is one test, run by bash line by line in a folder of its own:

    # said about what follows
    $ airlink-keytool number 7m2kq9xd     a command; input comes from lines that begin with <
    7M2K-Q9XD                             exactly these lines on standard output,
    ! airlink-keytool: error: …           and these on standard error
    = 2                                   its exit code, where it is not 0

    % airlink-keytool create              the same in a terminal: what is expected and typed in turn
    ? Passphrase:                         waits until this was shown
    < correct horse                       types this line

In expected lines `{number}` stands for a number, `{hex}` for hexadecimal digits, `{any}` for
anything; `{number:ada}` gives what it finds a name, and must find the same there ever after, in
commands too. A line of three dots stands for any lines.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import node

SESSIONS = pathlib.Path(__file__).resolve().parent / "sessions"
PATTERNS = {"number": r"[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}", "hex": r"[0-9a-f]+",
            "any": r".*", "version": r"\d+\.\d+\.\d+\S*"}
PLACE = re.compile(r"\{(" + "|".join(PATTERNS) + r")(?::(\w+))?\}")


class Step:
    """A command and what belongs to it."""

    def __init__(self, line, number, terminal):
        self.command, self.number, self.terminal = line, number, terminal
        self.typed, self.output, self.errors, self.talk, self.code = [], [], [], [], 0


def parse(path):
    steps = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark, rest = line[:2], line[2:]
        if not line.strip() or line.startswith("#"):
            continue
        if mark in ("$ ", "% "):
            steps.append(Step(rest, number, mark == "% "))
            continue
        step = steps[-1]
        if mark.strip() == "<":
            (step.talk if step.terminal else step.typed).append(("<", rest))
        elif mark == "? " and step.terminal:
            step.talk.append(("?", rest))
        elif mark == "! ":
            step.errors.append(rest)
        elif mark == "= ":
            step.code = int(rest)
        else:
            step.output.append(line)
    return steps


class Session:
    def __init__(self, test, folder):
        self.test, self.folder, self.names = test, folder, {}
        self.environment = {
            "PATH": f"{os.path.abspath(node.programs())}:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "NO_COLOR": "1",
            "SWIFT_BACKTRACE": "enable=no", "DATA": str(SESSIONS),
        }

    def fill(self, text):
        return PLACE.sub(lambda m: self.names.get(m.group(2), m.group(0)), text)

    def match(self, expected, line):
        """Whether the line is the expected one; keeps what the places in it found."""
        pattern, names, at = "", [], 0
        for place in PLACE.finditer(expected):
            pattern += re.escape(expected[at:place.start()])
            kind, name = place.groups()
            if name in self.names:
                pattern += re.escape(self.names[name])
            else:
                pattern += f"({PATTERNS[kind]})"
                names.append(name)
            at = place.end()
        found = re.fullmatch(pattern + re.escape(expected[at:]), line)
        if found:
            self.names.update({n: v for n, v in zip(names, found.groups()) if n})
        return found is not None

    def match_all(self, expected, lines):
        if not expected:
            return not lines
        if expected[0] == "...":
            return any(self.match_all(expected[1:], lines[skip:]) for skip in range(len(lines) + 1))
        return bool(lines) and self.match(expected[0], lines[0]) and self.match_all(
            expected[1:], lines[1:])

    def run(self, step, path):
        where = f"{path.name}:{step.number}: $ {self.fill(step.command)}"
        command = ["bash", "-c", self.fill(step.command)]
        if step.terminal:
            code, output, errors = self.in_terminal(command, step, where)
        else:
            typed = "".join(self.fill(text) + "\n" for _, text in step.typed)
            done = subprocess.run(command, input=typed, capture_output=True, text=True,
                                  cwd=self.folder, env=self.environment, timeout=node.LIMIT)
            code, output, errors = done.returncode, done.stdout, done.stderr
        shown = f"{where}\n--- output\n{output}--- errors\n{errors}--- code {code}"
        if not step.terminal:
            self.test.assertTrue(self.match_all(step.output, output.splitlines()),
                                 f"{shown}\n--- expected\n" + "\n".join(step.output))
            self.test.assertTrue(self.match_all(step.errors, errors.splitlines()),
                                 f"{shown}\n--- expected errors\n" + "\n".join(step.errors))
        self.test.assertEqual(code, step.code, shown)

    def in_terminal(self, command, step, where):
        """Runs the command on a terminal and has the talk with it."""
        pid, master = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe(command[0], command, self.environment)
        shown, place, end = b"", 0, time.monotonic() + node.LIMIT
        try:
            for kind, text in [*step.talk, ("?", None)]:
                if kind == "<":
                    os.write(master, self.fill(text).encode() + b"\r")
                    continue
                while text is None or text.encode() not in shown[place:]:
                    left = end - time.monotonic()
                    self.test.assertGreater(left, 0, f"{where}\nwaited for {text!r} in\n{shown}")
                    if not select.select([master], [], [], left)[0]:
                        continue
                    try:
                        data = os.read(master, 4096)
                    except OSError:
                        data = b""
                    if not data:
                        self.test.assertIsNone(text, f"{where}\nended without {text!r}\n{shown}")
                        break
                    shown += data
                else:
                    place = shown.index(text.encode(), place) + len(text.encode())
        finally:
            os.close(master)
            _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), shown.decode(errors="replace"), ""


def make(path):
    def test(self):
        node.require("airlink-keytool")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="airlink-session-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        session = Session(self, folder)
        for step in parse(path):
            session.run(step, path)
    return test


class SessionTests(unittest.TestCase):
    limit = 300


for _path in sorted(SESSIONS.glob("*.session")):
    setattr(SessionTests, f"test_{_path.stem.replace('-', '_')}", make(_path))
