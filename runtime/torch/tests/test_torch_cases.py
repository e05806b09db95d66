# SPDX-License-Identifier: Apache-2.0
"""Torch's own DistributedTest cases, which Gloo passes: over host, and over ranks of oneCCL and host. TOMBOLO_DEEP=1 runs them
over more ranks, each in processes of its own, in hours."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

from ranks import oneccl_is_here
from torch_case_lists import excepted, lines, passed_by_gloo, surprises

DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
SECONDS = 4 * 3600 if DEEP else 600


def wrong_ends(*vendors: str) -> str:
    """What torch_cases.py says of cases that did not end as they should; nothing if there are none."""
    variables = {"VENDORS": ",".join(vendors), "WORLD_SIZE": str(len(vendors)), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "torch_cases.py"],
        cwd=Path(__file__).parent,
        env={**os.environ, **variables, "KEPT": "0" if DEEP else "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    print(done.stdout)
    return "" if done.returncode == 0 else f"{done.stdout[-4000:]}\n{done.stderr[-8000:]}"


class TorchCasesTest(unittest.TestCase):
    def test_should_pass_what_gloo_passes(self) -> None:
        self.assertEqual("", wrong_ends("host", "host"))
        if DEEP:
            self.assertEqual("", wrong_ends("host", "host", "host"))

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_pass_what_gloo_passes_over_two_vendors(self) -> None:
        self.assertEqual("", wrong_ends("intel", "host", "host"))
        if DEEP:
            self.assertEqual("", wrong_ends("intel", "host"))
            self.assertEqual("", wrong_ends("intel", "intel"))
            self.assertEqual("", wrong_ends("intel", "intel", "intel"))


class TorchCaseListsTest(unittest.TestCase):
    def test_should_tell_of_cases_that_fail_and_of_exceptions_that_pass(self) -> None:
        outcomes = {"a": "passed", "b": "failed", "c": "skipped", "d": "passed", "e": "failed"}
        self.assertEqual(
            [
                "b failed, and Gloo passes it",
                "c skipped, and Gloo passes it",
                "d passed, and should be no exception any more",
                "f lost, and Gloo passes it",
            ],
            surprises(["a", "b", "c", "d", "e", "f"], outcomes, {"d", "e"}),
        )

    def test_should_except_cases_for_the_ranks_that_a_line_names(self) -> None:
        listed = ["test_a | ?*,?*,?* | needs two ranks", "test_b | intel,* | needs something else"]
        self.assertEqual(set(), excepted(listed, ["host", "intel"]))
        self.assertEqual({"test_a", "test_b"}, excepted(listed, ["intel", "host", "host"]))

    def test_should_except_only_what_gloo_passes(self) -> None:
        known = {*passed_by_gloo(2), *passed_by_gloo(3)}
        self.assertLessEqual({line.partition("|")[0].strip() for line in lines("exceptions.txt")}, known)


if __name__ == "__main__":
    unittest.main()
