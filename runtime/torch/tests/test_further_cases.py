# SPDX-License-Identifier: Apache-2.0
"""further_cases.py, with cases of our own in place of those of torch's repository, which is not here."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import further_cases
from torch_case_lists import LISTS, lines

DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
CASES = """
import torch, torch.distributed as dist
from torch.testing._internal.common_distributed import MultiProcessTestCase

class Cases(MultiProcessTestCase):
    world_size = 2

    def setUp(self):
        super().setUp()
        self._spawn_processes()

    def test_sum(self):
        dist.init_process_group("gloo", init_method=f"file://{self.file_name}", rank=self.rank, world_size=2)
        ones = torch.ones(3)
        dist.all_reduce(ones)
        self.assertEqual([2.0] * 3, ones.tolist())

    def test_without_a_group(self):
        pass

    def test_that_fails(self):
        self.fail()
"""


class FurtherCasesTest(unittest.TestCase):
    def test_should_tell_how_cases_end_over_us(self) -> None:
        """TOMBOLO_DEEP=1: over Gloo, too."""
        ends = {
            "test_a.py::Cases::test_sum": "passed",
            "test_a.py::Cases::test_without_a_group": "passed without a group",
            "test_a.py::Cases::test_that_fails": "failed",
            "test_a.py::Cases::test_that_is_not_there": "missing",
        }
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_a.py").write_text(CASES)
            self.assertEqual(ends, further_cases.outcomes(folder, list(ends), "host"))
            if DEEP:
                self.assertEqual(ends, further_cases.outcomes(folder, list(ends), ""))

    def test_should_say_what_gloo_passes_and_we_do_not(self) -> None:
        cases = ["a", "b", "c", "d"]
        gloo = {"a": "passed", "b": "passed", "c": "failed", "d": "missing"}
        ours = {"a": "passed", "b": "passed without a group", "c": "failed", "d": "missing"}
        with patch("further_cases.outcomes", side_effect=[gloo, ours]), patch.dict(os.environ, VENDORS="host"):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(1, further_cases.main("", cases))
        self.assertEqual(
            [
                "b passed without a group, and Gloo passes it",
                "over Gloo: 2 passed, 1 failed, 1 missing",
                "over host: 1 passed, 1 passed without a group, 1 failed, 1 missing",
            ],
            said.getvalue().splitlines(),
        )

    def test_should_ask_for_what_gloo_passes(self) -> None:
        passes, fails = {"a": "passed"}, {"a": "failed"}
        for gloo, ours, status in ((passes, passes, 0), (passes, fails, 1), (passes, {}, 1), (fails, passes, 1)):
            with patch("further_cases.outcomes", side_effect=[gloo, ours]), contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(status, further_cases.main("", ["a"]), (gloo, ours))

    def test_should_list_each_case_once_and_say_above_why(self) -> None:
        listed = (LISTS / "further.txt").read_text().splitlines()
        for above, line in zip(["", *listed], listed):
            if line and not line.startswith("#"):
                self.assertRegex(line, r"^[\w/]+\.py::\w+::test_\w+$")
                self.assertTrue(above, f"no reason above {line}")
        self.assertEqual(len(set(lines("further.txt"))), len(lines("further.txt")))


if __name__ == "__main__":
    unittest.main()
