# SPDX-License-Identifier: Apache-2.0
"""A sample of the other tests on the newest JDK that is here, which checks what native code asks of it: it says so on stdout
if that is not allowed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from ranks import run

TESTS = Path(__file__).parent
SAMPLE = [
    "test_messages",
    "test_groups.GroupsTest.test_should_split_a_group",
    "test_groups.GroupsTest.test_should_complete_futures_whose_callbacks_wait_for_others",
]


def release(home: Path) -> tuple[int, ...]:
    """The version of the JDK there."""
    found = re.search(r'^JAVA_VERSION="([0-9.]+)', (home / "release").read_text(), re.MULTILINE)
    return tuple(int(part) for part in found[1].split(".")) if found else (0,)


def newest_java() -> Path:
    return max((file.parent for file in Path("/usr/lib/jvm").glob("*/release")), key=release)


def virtual_machines(rank: int) -> set[str]:
    """What this process has loaded."""
    with open("/proc/self/maps") as maps:
        return {os.path.realpath(line.split()[-1]) for line in maps if line.rstrip().endswith("/libjvm.so")}


class CheckedTest(unittest.TestCase):
    def setUp(self) -> None:
        self.java = newest_java()
        self.variables = {"JAVA_HOME": str(self.java), "TOMBOLO_JAVA_OPTS": "-Xcheck:jni"}

    def test_should_run_in_the_java_that_it_is_told(self) -> None:
        library = str((self.java / "lib" / "server" / "libjvm.so").resolve())
        self.assertEqual([{library}], run(virtual_machines, 1, variables=[self.variables]))

    def test_should_ask_nothing_of_java_that_is_not_allowed(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "unittest", *SAMPLE],
            cwd=TESTS,
            env={**os.environ, **self.variables},
            capture_output=True,
            text=True,
            timeout=400,
        )
        said = f"{done.stdout}\n{done.stderr}"
        self.assertEqual(0, done.returncode, said)
        self.assertEqual(set(), set(re.findall("(?:WARNING|FATAL ERROR) in native.*|WARNING: JNI.*", said)))


if __name__ == "__main__":
    unittest.main()
