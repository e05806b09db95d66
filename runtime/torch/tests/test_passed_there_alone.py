# SPDX-License-Identifier: Apache-2.0
"""What .ci/torchstore-all compares: tests that passed over one transport and not over the other."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from passed_there_alone import main

OUTCOMES = {"passed": "", "failed": "<failure/>", "broken": "<error/>", "skipped": "<skipped/>"}


Tests = dict[str, str]


def report(tests: Tests) -> str:
    cases = [f'<testcase classname="c" name="{test}">{OUTCOMES[outcome]}</testcase>' for test, outcome in tests.items()]
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"


class PassedThereAloneTest(unittest.TestCase):
    def compared(self, there: dict[str, Tests | str], here: dict[str, Tests | str], *files: str) -> tuple[int, str]:
        """The status and the text for files of tests with these outcomes, or with reports of that text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, reports in (("there", there), ("here", here)):
                Path(folder, name).mkdir()
                for file, tests in reports.items():
                    text = tests if isinstance(tests, str) else report(tests)
                    Path(folder, name, f"TEST-{file}.xml").write_text(text)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                status = main(Path(folder, "there"), Path(folder, "here"), *files)
            return status, said.getvalue()

    def test_should_pass_if_all_that_passed_there_passed_here(self) -> None:
        there: Tests = {"one": "passed", "two": "failed", "three": "skipped"}
        here: Tests = {"one": "passed", "two": "broken", "four": "failed"}
        status, said = self.compared({"a": there, "b": there}, {"a": here, "b": here}, "a", "b")
        self.assertEqual((0, "2 tests of 2 files passed in there; 2 of these passed in here, too\n"), (status, said))

    def test_should_name_each_that_passed_there_alone(self) -> None:
        there = dict.fromkeys(("failing", "breaking", "skipping", "missing", "passing"), "passed")
        here = {"failing": "failed", "breaking": "broken", "skipping": "skipped", "passing": "passed"}
        status, said = self.compared({"a": there}, {"a": here}, "a")
        self.assertEqual(1, status)
        named = {"failing": "failure", "breaking": "error", "skipping": "skipped", "missing": "not run"}
        for name, outcome in named.items():
            self.assertIn(f"c.{name}: passed in there, {outcome} in here\n", said)
        self.assertNotIn("c.passing", said)
        for lost in ("", report(here)[:-20]):  # what a run leaves that is killed
            self.assertEqual(1, self.compared({"a": there}, {"a": lost}, "a")[0])
        self.assertEqual(1, self.compared({"a": there}, {}, "a")[0])

    def test_should_not_pass_if_of_a_file_nothing_was_compared(self) -> None:
        passing: Tests = {"one": "passed"}
        self.assertEqual(0, self.compared({"a": passing, "b": passing}, {"a": passing, "b": passing}, "a", "b")[0])
        for nothing in ({}, {"one": "failed"}, "", report(passing)[:-20]):
            status, said = self.compared({"a": passing, "b": nothing}, {"a": passing, "b": passing}, "a", "b")
            self.assertEqual(1, status)
            self.assertIn("b: no test passed in there", said)
        self.assertEqual(1, self.compared({"a": passing}, {"a": passing}, "a", "b")[0])
        self.assertEqual(1, self.compared({"a": passing}, {"a": passing})[0])


if __name__ == "__main__":
    unittest.main()
