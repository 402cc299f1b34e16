"""Drives airlink-node through its JSON contract, as a bot would.

    node = Node(home, "--name", "Ada", host=a)
    node.start()
    number = node.ready()["number"]
    node.send(cmd="send", to=other, text="hello", ref="1")
    node.expect(event="state", ref="1", state="delivered")

Everything that goes in and comes out is kept with its time: a failed test shows it.
"""

import json
import os
import signal
import subprocess
import threading
import time

from lab import children, dies_with_us

LIMIT = 90  # seconds an event may take on a machine with other things to do
TRANSCRIPT_LINES = 60


def programs():
    here = os.path.dirname(os.path.abspath(__file__))
    return os.environ.get("AIRLINK_PROGRAMS") or os.path.join(here, "../../.build/debug")


def program(name):
    return os.path.abspath(os.path.join(programs(), name))


def require(*names):
    """Fails where a program is missing: what was not built must not pass as skipped."""
    for name in names:
        if not os.access(program(name), os.X_OK):
            raise AssertionError(f"no {name} in {programs()}: build it first (make build)")


def is_long():
    """Whether the whole waits are wanted (CI) or shortened ones will do."""
    return os.environ.get("AIRLINK_LONG") == "1"


class NodeGone(AssertionError):
    """The node ended while something was awaited from it."""


class Node:
    """One airlink-node process, and those that follow it in the same home."""

    def __init__(self, home, *arguments, host=None, environment=None, wrapper=(), unseal=None):
        self.home = str(home)
        self.arguments = list(arguments)
        self.host = host
        self.environment = dict(environment or {})
        self.wrapper = list(wrapper)
        self.unseal = list(unseal if unseal is not None else ["--key-file"])
        self.label = os.path.basename(self.home)
        self.process = None
        self.number = None
        self.events = []
        self.lines = []
        self._began = time.monotonic()
        self.began_at = 0  # how many events there were when this process started
        self._asked = 0
        self._changed = threading.Condition()
        self._threads = []
        self._open_streams = 0

    # Life

    def command(self):
        return [*self.wrapper, program("airlink-node"), "--json", "--home", self.home, *self.unseal,
                *self.arguments]

    def start(self):
        """Starts the process; it is ready when `ready` returns."""
        assert self.process is None or self.process.poll() is not None, "it runs already"
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **self.environment}
        options = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       env=environment, start_new_session=True)
        self._note("---", " ".join(self.command()))
        if self.host is not None:
            self.process = self.host.start(self.command(), **options)
        else:
            self.process = subprocess.Popen(dies_with_us(self.command()), **options)
        self._open_streams = 2
        self.began_at = self.mark()
        self._threads = [
            threading.Thread(target=self._read, args=(self.process.stdout, self._take), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self._take_error),
                             daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        return self

    def ready(self, limit=LIMIT):
        event = self.expect(limit, since=self.began_at, event="ready")
        self.number = event["number"]
        return event

    @property
    def pid(self):
        """The node's own process id: on a host the process started is nsenter's."""
        if self.host is None and not self.wrapper:
            return self.process.pid
        pid = self.process.pid
        while os.path.basename(os.readlink(f"/proc/{pid}/exe")) != "airlink-node":
            [pid] = children(pid)
        return pid

    def signal(self, number):
        self._note("---", f"signal {signal.Signals(number).name}")
        os.kill(self.pid, number)

    def kill(self):
        """kill -9, and waits until it is gone."""
        if self.running():
            try:
                self.signal(signal.SIGKILL)
            except (OSError, ValueError):
                pass  # gone between the question and the signal
            self.process.kill()
        self.wait()

    def stop(self):
        """Stops a process where it stands (SIGSTOP) until `resume`."""
        self.signal(signal.SIGSTOP)

    def resume(self):
        self.signal(signal.SIGCONT)
        # nsenter stops itself with its child.
        os.kill(self.process.pid, signal.SIGCONT)

    def quit(self, limit=LIMIT):
        """Asks it to leave and returns the exit code."""
        try:
            self.send(cmd="quit")
        except BrokenPipeError:
            pass
        return self.wait(limit)

    def running(self):
        return self.process is not None and self.process.poll() is None

    def wait(self, limit=LIMIT):
        """Waits for the end of the process and of its output; returns the exit code."""
        if self.process is None:
            return None
        try:
            code = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.label} did not end within {limit} s\n{self.transcript()}")
        for thread in self._threads:
            thread.join(limit)
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self._note("---", f"ended with {code}")
        return code

    # Talk

    def send(self, **command):
        self.send_line(json.dumps(command, ensure_ascii=False))

    def send_line(self, line):
        """Sends a line as it is, str or bytes."""
        raw = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
        self._note("<-", raw.decode("utf-8", "replace")[:400])
        self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def text(self, to, text, ref):
        """Sends a text and returns the id it got."""
        mark = self.mark()
        self.send(cmd="send", to=to, text=text, ref=ref)
        answer = self.expect(since=mark, event=lambda kind: kind in ("state", "error"), ref=ref)
        if answer["event"] == "error":
            raise AssertionError(f"refused: {answer}\n{self.transcript()}")
        return answer["id"]

    def mark(self):
        """A place in the events: what comes after it is what `expect(since=)` looks at."""
        with self._changed:
            return len(self.events)

    def seen(self, since=0, **fields):
        """All events with these fields; a field that is callable is asked about its value."""
        with self._changed:
            return [event for event in self.events[since:] if matches(event, fields)]

    def expect(self, limit=LIMIT, since=0, **fields):
        """Waits for an event with these fields and returns it."""
        end = time.monotonic() + limit
        place = since
        with self._changed:
            while True:
                while place < len(self.events):
                    if matches(self.events[place], fields):
                        return self.events[place]
                    place += 1
                if self._open_streams == 0:
                    raise NodeGone(f"{self.label} ended before {fields}\n{self.transcript()}")
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError(
                        f"{self.label}: no {fields} within {limit} s\n{self.transcript()}")
                self._changed.wait(left)

    def delivered(self, ref, limit=LIMIT):
        return self.expect(limit, event="state", ref=ref, state="delivered")

    def got(self, text, limit=LIMIT, **fields):
        return self.expect(limit, event="message", text=text, **fields)

    def ask(self, what, limit=LIMIT):
        """Asks for `peers`, `links` or `stats` and returns the answer's list or object."""
        self._asked += 1
        ref = f"ask-{self._asked}"
        mark = self.mark()
        self.send(cmd=what, ref=ref)
        return self.expect(limit, since=mark, event=what, ref=ref)[what]

    # What was seen

    def transcript(self):
        kept = self.lines[-TRANSCRIPT_LINES:]
        left_out = len(self.lines) - len(kept)
        head = [f"    ({left_out} lines before)"] if left_out else []
        code = None if self.process is None else self.process.poll()
        state = "runs" if code is None else f"ended with {code}"
        return "\n".join([f"  {self.label} ({state}):", *head, *(f"    {line}" for line in kept)])

    def _note(self, direction, text):
        self.lines.append(f"{time.monotonic() - self._began:8.3f} {direction:3} {text}")

    def _read(self, stream, take):
        for line in stream:
            with self._changed:
                take(line)
                self._changed.notify_all()
        stream.close()
        with self._changed:
            self._open_streams -= 1
            self._changed.notify_all()

    def _take(self, line):
        text = line.decode("utf-8", "replace").rstrip("\n")
        self._note("->", text[:400])
        try:
            event = json.loads(line)
        except ValueError:
            event = {"event": "not-json", "line": text}
        self.events.append(event)

    def _take_error(self, line):
        self._note("err", line.decode("utf-8", "replace").rstrip("\n")[:400])


def matches(event, fields):
    for name, wanted in fields.items():
        value = event.get(name)
        if not (wanted(value) if callable(wanted) else value == wanted):
            return False
    return True
