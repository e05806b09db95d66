# SPDX-License-Identifier: Apache-2.0
"""What pip runs of ours before it has fetched anything."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tempfile
import unittest
import venv
from pathlib import Path

import setuptools

PACKAGE = Path(__file__).parent.parent
# What Python 3.11 brought that tests are tempted to use, and that no parser knows of.
LATER = {"enterContext", "enterClassContext", "enterModuleContext", "enterAsyncContext", "TaskGroup", "StrEnum", "tomllib"}


def names_in(program: ast.AST) -> set[str]:
    """Of attributes, variables and imports."""
    found = set()
    for node in ast.walk(program):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


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

    def test_should_have_no_file_that_the_oldest_python_does_not_know(self) -> None:
        """As far as a newer one can tell: its grammar, and some names."""
        oldest = re.search(r'^requires-python = ">=3\.([0-9]+)"$', (PACKAGE / "pyproject.toml").read_text(), re.MULTILINE)
        folders = [PACKAGE, *(PACKAGE / name for name in ("tombolo", "tests", "examples", "bench"))]
        files = sorted(file for folder in folders for file in folder.glob("*.py"))
        self.assertGreater(len(files), 60)
        for file in files:
            with self.subTest(file.relative_to(PACKAGE)):
                program = ast.parse(file.read_text(), feature_version=(3, int(oldest[1])))
                self.assertEqual(set(), names_in(program) & LATER)
