"""airlink-node as programs and scripts use it: arguments, pipes, lines that are none, exit codes."""

import contextlib
import json
import os
import stat
import subprocess
import time

import node
from system_test import SystemTest


class NodeProgramTests(SystemTest):
    limit = 300

    def run_node(self, *arguments, input="", **options):
        return subprocess.run(
            [node.program("airlink-node"), *arguments], input=input, capture_output=True, text=True,
            timeout=node.LIMIT, env={**os.environ, "HOME": str(self.folder)}, **options)

    def test_help_and_version_come_on_standard_output(self):
        for option in ("--help", "-h", "--version"):
            done = self.run_node(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""), option)
            self.assertIn("airlink", done.stdout.lower())

    def test_wrong_usage_is_one_line_and_2(self):
        for arguments in (["--nonsense"], ["--lisen", "1"], ["--listen"], ["--listen", "70000"],
                          ["--listen", "x"], ["--peer", "nowhere"], ["--discovery", "magic"],
                          ["--key-file", "--keyring"], ["--name", "x" * 65, "--key-file"]):
            with self.subTest(arguments):
                done = self.run_node("--home", str(self.folder / "new"), *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr.startswith("airlink-node: "), done.stderr)
                first, *hints = done.stderr.strip().splitlines()
                self.assertTrue(all(hint.startswith("hint: ") for hint in hints), done.stderr)
                self.assertFalse((self.folder / "new").exists(), "nothing was written")

    def test_first_use_without_a_terminal_wants_to_know_how_to_seal(self):
        done = self.run_node("--json", "--home", str(self.folder / "new"), "--name", "Ada")
        self.assertEqual(done.returncode, 2)
        for option in ("--passphrase-file", "--keyring", "--key-file"):
            self.assertIn(option, done.stderr)
        self.assertFalse((self.folder / "new").exists())

    def test_files_are_the_owners_alone(self):
        ada = self.node("Ada", "--discovery", "off")
        ada.ready()
        self.assertEqual(ada.quit(), 0)
        home = self.folder / "Ada"
        self.assertEqual(stat.S_IMODE(home.stat().st_mode), 0o700)
        for path in home.rglob("*"):
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600,
                             path)

    def test_two_nodes_in_one_home_are_one_too_many(self):
        ada = self.node("Ada", "--discovery", "off")
        ada.ready()
        second = self.run_node("--json", "--home", ada.home, "--key-file", "--discovery", "off")
        self.assertEqual(second.returncode, 1)
        self.assertIn("already", second.stderr)
        self.assertTrue(ada.running())
        self.assertEqual(ada.quit(), 0)
        # A lock that a dead node left is none.
        ada.start()
        ada.ready()
        ada.kill()
        ada.start()
        ada.ready()

    def test_a_port_that_is_taken_is_said(self):
        ada = self.node("Ada", "--discovery", "off", "--listen", "127.0.0.1:0")
        port = ada.ready()["port"]
        done = self.run_node("--json", "--home", str(self.folder / "Bob"), "--key-file", "--name",
                             "Bob", "--discovery", "off", "--listen", f"127.0.0.1:{port}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(str(port), done.stderr)

    def test_a_damaged_identity_is_left_as_it_is(self):
        ada = self.node("Ada", "--discovery", "off")
        number = ada.ready()["number"]
        ada.quit()
        [identity] = [path for path in (self.folder / "Ada").iterdir()
                      if path.name == "identity"]
        whole = identity.read_bytes()
        for damage in (whole[:-1], whole[:10], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
            identity.write_bytes(damage)
            ada.start()
            ready = ada.ready()
            self.assertTrue(ready["temporary"], ada.transcript())
            self.assertNotEqual(ready["number"], number)
            ada.expect(since=ada.began_at, event="warning", code="temporary-identity")
            self.assertEqual(ada.quit(), 0)
            self.assertEqual(identity.read_bytes(), damage, "untouched to the byte")
        identity.write_bytes(whole)
        identity.chmod(0o644)
        ada.start()
        self.assertTrue(ada.ready()["temporary"], "others could have read it")
        self.assertEqual(ada.quit(), 0)
        identity.chmod(0o600)
        ada.start()
        ready = ada.ready()
        self.assertEqual((ready["number"], ready["temporary"]), (number, False))

    def test_lines_that_are_none_cost_an_error_and_nothing_else(self):
        ada = self.node("Ada", "--discovery", "off")
        ada.ready()
        bad = [b"", b"not json", b"[]", b"7", b'"text"', b"null", b"{", b'{"cmd":7}', b"{}",
               b'{"cmd":"nonsense","ref":"r"}', b'{"cmd":"send"}', b'{"cmd":"send","to":"x"}',
               b'{"cmd":"send","to":7,"text":[]}', b"\xff\xfe", b'{"cmd":"send","to":"\xff"}',
               b'{"cmd":"send","text":"' + b"x" * 70_000 + b'"}', b"[" * 30_000,
               b'{"cmd":"block","number":"0000-0000","on":true}', b'{"cmd":"send","to":"\\ud800"}']
        for line in bad:
            mark = ada.mark()
            ada.send_line(line)
            if line.strip():
                ada.expect(since=mark, event="error",
                           code=lambda code: code in ("bad-command", "bad-number"))
        self.assertEqual(ada.ask("peers"), [])

    def test_refused_commands_say_why(self):
        ada = self.node("Ada", "--discovery", "off")
        number = ada.ready()["number"]
        for code, to, text in (("self", number, "to me"), ("bad-number", "U", "x"),
                               ("bad-number", "ABCD-EFGH", "x"), ("unknown-number", "7M2K-Q9XD", "x"),
                               ("empty", "7M2K-Q9XD", ""), ("too-long", "7M2K-Q9XD", "é" * 4023)):
            with self.subTest(code):
                mark = ada.mark()
                ada.send(cmd="send", to=to, text=text, ref=f"to {code}")
                error = ada.expect(since=mark, event="error", ref=f"to {code}")
                self.assertEqual(error["code"], code, error)
        for command in ("answer", "decline", "hangup"):
            mark = ada.mark()
            ada.send(cmd=command, ref=command)
            self.assertEqual(ada.expect(since=mark, event="error", ref=command)["code"], "no-call")

    def test_the_end_of_input_is_a_way_to_leave(self):
        ada = self.node("Ada", "--discovery", "off")
        ada.ready()
        ada.process.stdin.close()
        self.assertEqual(ada.wait(), 0)

    def test_a_last_line_without_newline_counts(self):
        ada = self.node("Ada", "--discovery", "off")
        ada.ready()
        ada.process.stdin.write(b'{"cmd":"stats","ref":"last"}')
        ada.process.stdin.close()
        ada.expect(event="stats", ref="last")
        self.assertEqual(ada.wait(), 0)

    def test_a_closed_pipe_ends_it_quietly(self):
        process = subprocess.Popen(
            [node.program("airlink-node"), "--json", "--home", str(self.folder / "Ada"),
             "--key-file", "--name", "Ada", "--discovery", "off"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.assertEqual(json.loads(process.stdout.readline())["event"], "ready")
        process.stdout.close()
        try:
            for _ in range(50):
                process.stdin.write(b'{"cmd":"stats"}\n')
                process.stdin.flush()
                time.sleep(0.05)
        except BrokenPipeError:
            pass
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        self.assertIn(process.wait(node.LIMIT), (0, 1))
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()

    def test_started_without_standard_streams_it_writes_into_no_file_of_its_own(self):
        closed = ["<&-", ">&-", "2>&-"]
        for streams in (closed[:1], closed[1:2], closed[:2], closed):
            home = self.folder / f"home-{len(streams)}-{streams[0][0]}"
            command = [node.program("airlink-node"), "--json", "--home", str(home), "--key-file",
                       "--name", "Ada", "--discovery", "off"]
            shell = f'exec "$@" {" ".join(streams)}'
            done = subprocess.run(["sh", "-c", shell, "sh", *command], input=b'{"cmd":"stats"}\n',
                                  capture_output=True, timeout=node.LIMIT)
            self.assertEqual(done.returncode, 0, streams)
            for path in home.iterdir():
                self.assertNotIn(b"event", path.read_bytes(), f"{streams}: {path.name}")
