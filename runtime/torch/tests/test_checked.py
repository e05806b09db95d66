# SPDX-License-Identifier: Apache-2.0
"""A sample of the other tests on the newest JDK that is here, which checks what native code asks of it, and says so if that
is not allowed. CHECKED=all runs all of them but torchstore's, the examples too, as CI does; TOMBOLO_DEEP=1 each as deep as
that makes it, in many hours; CHECKED=test_loops,test_restart runs these.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from ranks import newest_java, run

TESTS = Path(__file__).parent
DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
SAMPLE = [
    [
        "test_messages",
        "test_groups.GroupsTest.test_should_split_a_group",
        "test_groups.GroupsTest.test_should_complete_futures_whose_callbacks_wait_for_others",
    ],
    ["test_endings.EndingsTest.test_should_end_cleanly_though_nobody_destroyed_the_groups"],
]
CHECKED = os.environ.get("CHECKED", "")
SECONDS = 8 * 3600 if DEEP else 1800 if CHECKED else 400  # of each process
# These look at all that a process prints, so its JVM must not.
SILENT = ("test_device_endings", "test_devices", "test_endings", "test_examples", "test_tools")
# A process that leaves by _exit(), as children of a fork server do, loses the end of this, and one whose output a test
# catches does not show it: what JVMs say is looked for in both.
LOGGED = "-XX:+UnlockDiagnosticVMOptions -XX:+LogVMOutput -XX:LogFile={folder}/%p.log"
COMPLAINT = re.compile(r"(?:WARNING|FATAL ERROR) in native.*|WARNING: JNI.*")
# By -Xcheck:jni a JVM also looks whether its signal handlers have been taken. exit() destroys its record of what they were,
# and from then on it complains about its own.
TAKEN = re.compile(r"^ *(SIG\S+: (?!\S+ in libjvm\.so).*)\n +\*\*\* Handler was modified!", re.MULTILINE)
# In these tests pytest runs in the JVM's process. At its very end its faulthandler resets the signals that it had taken.
RESETTING = "test_tools"
RESET = re.compile(r"SIG\S+: SIG_DFL,")


def everything() -> list[list[str]]:
    """All test files but this one, one at a time; those of torchstore are another package's."""
    names = {file.stem for file in TESTS.glob("test_*.py")} - {Path(__file__).stem}
    return [[name] for name in sorted(names) if not name.startswith("test_torchstore")]


def wanted() -> list[list[str]]:
    """What to run, a process each."""
    if CHECKED == "all" or (DEEP and not CHECKED):
        return everything()
    return [[name] for name in CHECKED.split(",")] if CHECKED else SAMPLE


def complaints(said: str, may_reset: bool = False) -> set[str]:
    """What JVMs complain of; where programs `may_reset` signals, not of that."""
    taken = {each for each in TAKEN.findall(said) if not (may_reset and RESET.match(each))}
    return {*COMPLAINT.findall(said), *taken}


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
        for tests in wanted():
            with self.subTest(tests):
                self.check(tests)

    def check(self, tests: list[str]) -> None:
        with tempfile.TemporaryDirectory() as logs:
            options = [self.variables["TOMBOLO_JAVA_OPTS"], LOGGED.format(folder=logs)]
            if tests[0].startswith(SILENT):
                options.append("-XX:-DisplayVMOutput")
            variables = {**self.variables, "TOMBOLO_JAVA_OPTS": " ".join(options)}
            done = subprocess.run(
                [sys.executable, "-m", "unittest", *tests],
                cwd=TESTS,
                env={**os.environ, **variables},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
            )
            logged = [file.read_text(errors="replace") for file in Path(logs).iterdir()]
        said = f"{done.stdout}\n{done.stderr}"
        print(f"{', '.join(tests)}: {len(logged)} JVMs")
        if CHECKED:
            print(done.stdout, flush=True)  # figures, as those of the loops
        self.assertEqual(0, done.returncode, said)
        self.assertEqual(set(), complaints("\n".join([said, *logged]), tests[0].startswith(RESETTING)))


class ComplaintsTest(unittest.TestCase):
    def test_should_tell_who_has_taken_a_handler_of_the_jvm(self) -> None:
        own = "   SIGSEGV: javaSignalHandler in libjvm.so, mask=1110, flags=none, unblocked\n"
        other = "    SIGBUS: 0x00007efcc8ff40e0 in libLLVM.so.19.1+14631136, mask=0000, flags=none, unblocked\n"
        modified = "  *** Handler was modified!\n"
        self.assertEqual(set(), complaints(own + modified + other))
        self.assertEqual({other.strip()}, complaints(own + modified + other + modified))

    def test_should_pass_over_signals_that_were_reset_where_they_may_be(self) -> None:
        modified = "  *** Handler was modified!\n"
        reset = "    SIGFPE: SIG_DFL, mask=0000, flags=none, unblocked\n" + modified
        other = "    SIGBUS: 0x00007efcc8ff40e0 in libLLVM.so.19.1+14631136, mask=0000, flags=none, unblocked\n" + modified
        self.assertEqual(1, len(complaints(reset)))
        self.assertEqual(complaints(other), complaints(reset + other, may_reset=True))

    def test_should_tell_what_a_jvm_says_of_native_code(self) -> None:
        said = "WARNING in native method: JNI call made without checking exceptions when required to from SetObjectArrayElement"
        self.assertEqual({said}, complaints(f"before\n{said}\nafter"))


if __name__ == "__main__":
    unittest.main()
