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


class PassedThereAloneTest(unittest.TestCase):
    def compared(self, there: dict[str, str], here: dict[str, str]) -> tuple[int, str]:
        """The status and the text for tests with these outcomes, each in a report of its own."""
        with tempfile.TemporaryDirectory() as folder:
            for name, tests in (("there", there), ("here", here)):
                Path(folder, name).mkdir()
                for test, outcome in tests.items():
                    case = f'<testcase classname="c" name="{test}">{OUTCOMES[outcome]}</testcase>'
                    report = f"<testsuites><testsuite>{case}</testsuite></testsuites>"
                    Path(folder, name, f"TEST-{test}.xml").write_text(report)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                status = main(Path(folder, "there"), Path(folder, "here"))
            return status, said.getvalue()

    def test_should_pass_if_all_that_passed_there_passed_here(self) -> None:
        there = {"one": "passed", "two": "failed", "three": "skipped"}
        status, said = self.compared(there, {"one": "passed", "two": "broken", "four": "failed"})
        self.assertEqual((0, "1 tests passed in there; 1 of these passed in here, too\n"), (status, said))

    def test_should_name_each_that_passed_there_alone(self) -> None:
        there = dict.fromkeys(("failing", "breaking", "skipping", "missing", "passing"), "passed")
        here = {"failing": "failed", "breaking": "broken", "skipping": "skipped", "passing": "passed"}
        status, said = self.compared(there, here)
        self.assertEqual(1, status)
        named = {"failing": "failure", "breaking": "error", "skipping": "skipped", "missing": "not run"}
        for name, outcome in named.items():
            self.assertIn(f"c.{name}: passed in there, {outcome} in here\n", said)
        self.assertNotIn("c.passing", said)

    def test_should_not_pass_if_nothing_was_compared(self) -> None:
        self.assertEqual(1, self.compared({}, {"one": "passed"})[0])
        self.assertEqual(1, self.compared({"one": "failed"}, {"one": "passed"})[0])


if __name__ == "__main__":
    unittest.main()
