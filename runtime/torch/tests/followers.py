# SPDX-License-Identifier: Apache-2.0
"""Runs examples/store_rl.py: a generator has each version that it sees bit by bit as the trainer has written it."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

EXAMPLES = Path(os.environ.get("TOMBOLO_EXAMPLES", Path(__file__).parent.parent / "examples"))
STORE_RL = str(EXAMPLES / "store_rl.py")


class Followers(unittest.TestCase):
    def begun(self, *command: str, token: str = "", **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, *command],
            env={**os.environ, "OMP_NUM_THREADS": "1", "TOMBOLO_TOKEN": token, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        return process

    def rows(self, process: subprocess.Popen[str]) -> list[list[str]]:
        output, _ = process.communicate(timeout=300)
        self.assertEqual(0, process.returncode, output)
        return [line.split() for line in output.splitlines()]

    def should_have_followed(self, trained: list[list[str]], followed: list[list[str]]) -> list[str]:
        """Which versions the generator has seen; the last is among them."""
        written = {row[1]: row[2] for row in trained if row[0] == "version"}
        seen = {row[1]: row[2:] for row in followed if row[0] == "version"}
        self.assertEqual([str(version) for version in range(1, 21)], list(written))
        for version, (checksum, _) in seen.items():
            self.assertEqual(written[version], checksum, f"version {version}")
        self.assertGreater(float(seen["20"][1]), 0.6, "of the digits are read right after 20 updates")
        return list(seen)
