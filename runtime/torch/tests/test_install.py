# SPDX-License-Identifier: Apache-2.0
"""What pip runs of ours before it has fetched anything."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
import venv
from pathlib import Path

import setuptools

PACKAGE = Path(__file__).parent.parent


class InstallTest(unittest.TestCase):
    def test_should_say_at_once_that_torch_is_missing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder)  # with nothing in it; setuptools is borrowed, as pip does
            done = subprocess.run(
                [Path(folder, "bin", "python"), "setup.py", "dist_info", "--output-dir", folder],
                cwd=PACKAGE,
                env={**os.environ, "PYTHONPATH": str(Path(setuptools.__file__).parent.parent)},
                capture_output=True,
                text=True,
                timeout=60,
            )
        self.assertNotEqual(0, done.returncode)
        self.assertIn("there is none: ModuleNotFoundError: No module named 'torch'", done.stderr)
        self.assertIn("Install one first: pip install 'torch>=2.11'", done.stderr)
