#!/usr/bin/python3
"""Inside the virtual machine: runs the tests here one after the other and counts them."""

import os
import sys
import time
import traceback
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Reporter(unittest.TestResult):
    """A line for each test as it ends."""

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.verdict = ("ok  ", "")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.verdict = ("FAIL", "".join(traceback.format_exception(*error)))

    addError = addFailure

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.verdict = ("skip", reason)

    def stopTest(self, test):
        super().stopTest(test)
        word, detail = self.verdict
        print(f"{word} {test.id()} ({time.monotonic() - self.began:.1f} s)", flush=True)
        if detail:
            print(detail, flush=True)


def main():
    words = [word for word in os.environ.get("AIRLINK_WORDS", "").split("\n") if word]
    found = []

    def walk(suite):
        for test in suite:
            if isinstance(test, unittest.TestSuite):
                walk(test)
            elif not words or any(word in test.id() for word in words):
                found.append(test)

    walk(unittest.TestLoader().discover(HERE))
    result = Reporter()
    unittest.TestSuite(found).run(result)
    bad = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"tally {result.testsRun - bad - skipped} {bad} {skipped}", flush=True)


main()
