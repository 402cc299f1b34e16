"""airlink-meshsim as it is used: runs, sweeps, soaks, captures, pictures, and what it refuses."""

import json
import os
import pathlib
import subprocess
import xml.dom.minidom

import node
from system_test import SystemTest

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "Scenarios"
SMALL = ("--set", "devices=6", "--set", "area=[30,30]", "--set", "duration=60",
         "--set", "texts.between=[10,30]", "--set", "expect={}")


class MeshSimTests(SystemTest):
    def setUp(self):
        super().setUp()
        node.require("airlink-meshsim")

    def sim(self, *arguments, code=0):
        done = subprocess.run(
            [node.program("airlink-meshsim"), *map(str, arguments)], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=node.LIMIT, start_new_session=True,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def run_json(self, *arguments, **options):
        lines = self.sim("run", "--json", *arguments, **options).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_one_seed_is_one_run_and_another_seed_another(self):
        crowd = SCENARIOS / "crowd.json"
        first, other = self.run_json(crowd, *SMALL, "--seed", "7", "--seeds", "2")
        again, = self.run_json(crowd, *SMALL, "--seed", "7")
        for run in (first, again):
            run.pop("processorSeconds")
            run.pop("heapBytesPerDevice")
        self.assertEqual(first, again)
        self.assertNotEqual(first["digest"], other["digest"])
        self.assertEqual(first["delivered"], first["written"])

    def test_the_table_has_a_line_a_run(self):
        lines = self.sim("run", SCENARIOS / "pair.json", SCENARIOS / "chain.json").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["scenario", "pair", "chain"])
        self.assertEqual(len({len(line) for line in lines}), 1, "columns stand below each other")

    def test_a_run_stops_where_it_is_told_and_shows_what_came_last(self):
        done = self.sim("run", SCENARIOS / "pair.json", "--until", "20", "--trace", "3")
        trace = [line for line in done.stdout.splitlines() if " hops " in line]
        self.assertEqual(len(trace), 3)
        self.assertEqual(self.run_json(SCENARIOS / "pair.json", "--until", "20")[0]["events"], 20)

    def test_a_capture_is_read_by_packetdump(self):
        node.require("airlink-packetdump")
        capture = self.folder / "run.pcapng"
        self.sim("run", SCENARIOS / "pair.json", "--capture", capture)
        shown = subprocess.run(
            [node.program("airlink-packetdump"), "--json", capture], capture_output=True, text=True,
            timeout=node.LIMIT)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertGreater(len(shown.stdout.splitlines()), 20)

    def test_pictures_are_drawn(self):
        self.sim("run", SCENARIOS / "chain.json", "--svg", self.folder)
        self.sim("sweep", SCENARIOS / "crowd.json", *SMALL, "--seeds", "1",
                 "--vary", "devices=4|8", "--plot", self.folder / "growth.svg")
        pictures = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(pictures, ["chain-1-delivery.svg", "chain-1-flood.svg", "growth.svg"])
        for name in pictures:
            self.assertEqual(xml.dom.minidom.parse(str(self.folder / name)).documentElement.tagName, "svg")

    def test_a_sweep_tries_every_combination(self):
        done = self.sim("sweep", SCENARIOS / "crowd.json", *SMALL, "--seeds", "1", "--json",
                        "--vary", "devices=3|4", "--vary", "policy.answersRepeats=true|false")
        labels = [json.loads(line)["label"] for line in done.stdout.splitlines()]
        self.assertEqual(labels, [f"devices={d} answersRepeats={a}" for d in (3, 4)
                                  for a in ("true", "false")])

    def test_what_a_scenario_expects_and_does_not_get_fails(self):
        done = self.sim("run", SCENARIOS / "chain.json", "--set", "radios.0.loss=1", code=1)
        self.assertIn("of 20 reachable texts delivered, under 1.0", done.stderr)
        self.assertIn("hint: airlink-meshsim run", done.stderr)

    def test_a_soak_says_where_it_began_and_stops_at_what_breaks(self):
        done = self.sim("soak", SCENARIOS / "pair.json", "--seconds", "0.2", "--seed", "5")
        self.assertIn("begins with --seed 5", done.stderr)
        self.assertIn("every one within the rules", done.stdout)
        done = self.sim("soak", SCENARIOS / "chain.json", "--set", "radios.0.loss=1", "--seed", "5", code=1)
        self.assertIn("seed 5", done.stderr)

    def test_the_real_cryptography_goes_the_same_way(self):
        runs = [self.run_json(SCENARIOS / "crowd.json", *SMALL, "--cryptography", kind)[0]
                for kind in ("model", "real")]
        self.assertEqual(runs[0]["digest"], runs[1]["digest"])

    def test_what_makes_no_sense_is_refused(self):
        broken = self.folder / "broken.json"
        for text, words in (("{", "byte"), ("[]", "wants an object"), ('{"devises": 3}', "devises"),
                            ('{"devices": 0}', "whole number")):
            broken.write_text(text)
            self.assertIn(words, self.sim("run", broken, code=1).stderr)
        self.assertIn("No such file", self.sim("run", self.folder / "none.json", code=1).stderr)
        for arguments in ((), ("run",), ("run", broken, "--seed", "x"),
                          ("sweep", SCENARIOS / "pair.json", "--vary", "devices"),
                          ("run", SCENARIOS / "pair.json", "--set", "devices")):
            self.sim(*arguments, code=2)

    def test_help_and_completions(self):
        for words in (("--help",), ("run", "--help"), ("sweep", "--help"), ("soak", "--help")):
            self.assertIn("airlink-meshsim", self.sim(*words).stdout)
        self.assertIn("--cryptography", self.sim("--completions", "bash").stdout)
