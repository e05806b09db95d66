# SPDX-License-Identifier: Apache-2.0
"""What docs/torch.md says that tests show, there are tests for."""

from __future__ import annotations

import ast
import re
import unittest
from pathlib import Path

TESTS = Path(__file__).parent
DOCUMENT = TESTS.parents[2] / "docs" / "torch.md"
BEGINNING = "test_should_"  # of a test's name, which the document leaves out
CELL = re.compile(r"(Y|Y, emulated:|–, refused:) `\w+`(, `\w+`)*|Y the same|–")


def methods() -> set[str]:
    """Names of all test methods."""
    nodes = [node for file in TESTS.glob("test_*.py") for node in ast.walk(ast.parse(file.read_text()))]
    names = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return {name.removeprefix(BEGINNING) for name in names if name.startswith(BEGINNING)}


def table(last: str) -> dict[str, str]:
    """First and last cell of each row of the table whose last column has that name."""
    lines = iter(DOCUMENT.read_text().splitlines())
    for line in lines:
        if line.endswith(f"| {last} |"):
            break
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return {row[0]: row[-1] for row in rows[1:]}


class DocumentsTest(unittest.TestCase):
    def test_should_name_tests_that_there_are(self) -> None:
        there = methods()
        found = table("Ours, and the test")
        self.assertGreater(len(found), 30)
        for feature, ours in found.items():
            with self.subTest(feature):
                self.assertRegex(ours, f"^({CELL.pattern})$")
                self.assertLessEqual(set(re.findall(r"`(\w+)`", ours)), there)

    def test_should_name_tests_of_tensors_of_devices_that_there_are(self) -> None:
        there = methods()
        found = table("Test")
        self.assertGreater(len(found), 10)
        for seen, tests in found.items():
            with self.subTest(seen):
                self.assertRegex(tests, r"^`\w+`(, `\w+`)*$")
                self.assertLessEqual(set(re.findall(r"`(\w+)`", tests)), there)


if __name__ == "__main__":
    unittest.main()
