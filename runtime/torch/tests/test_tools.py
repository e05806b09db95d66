# SPDX-License-Identifier: Apache-2.0
"""Programs that handle signals of their own, with the Java virtual machine in their process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from ranks import java_options, newest_java, torchrun

LAUNCHER = Path(__file__).parents[3] / "tombolo"
GDB = shutil.which("gdb")

# Its signals: the virtual machine stops its threads every 2 ms.
OPTIONS = "-XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=2"
INSIDE_PYTEST = """
import atexit, faulthandler, torch, torch.distributed as dist, tombolo

def call():
    for _ in range(10_000):
        dist.all_reduce(torch.ones(3))

def test_many_calls():
    assert faulthandler.is_enabled()  # pytest does that before it starts
    dist.init_process_group("tombolo", store=dist.HashStore(), rank=0, world_size=1)
    call()
    dist.destroy_process_group()

def test_calls_after_pytest():
    assert not faulthandler.is_enabled()
    dist.init_process_group("tombolo", store=dist.HashStore(), rank=0, world_size=1)
    atexit.register(call)
"""
DEBUGGED = """
import torch, torch.distributed as dist, tombolo
dist.init_process_group("tombolo")
print(dist.get_debug_level().name, tombolo.describe().splitlines()[0])
try:
    dist.all_reduce(torch.ones(3 + dist.get_rank()))
except RuntimeError as error:
    print(error)
dist.destroy_process_group()
"""
# Then it crashes as native code does.
LATE = """
import faulthandler, torch, torch.distributed as dist, tombolo
dist.init_process_group("tombolo", store=dist.HashStore(), rank=0, world_size=1)
faulthandler.enable()
for _ in range(10_000):
    dist.all_reduce(torch.ones(3))
print("done", flush=True)
faulthandler._sigsegv()
"""
PREEMPTED = """
import os, signal, torch.distributed as dist, tombolo
calls = []
signal.signal(signal.SIGUSR2, lambda *_: calls.append("before"))
dist.init_process_group("tombolo", store=dist.HashStore(), rank=0, world_size=1)
os.kill(os.getpid(), signal.SIGUSR2)
signal.signal(signal.SIGUSR2, lambda *_: calls.append("after"))
os.kill(os.getpid(), signal.SIGUSR2)
dist.destroy_process_group()
print(*calls)
"""
# Makes calls until its input ends.
LOOKED_AT = """
import select, sys, torch, torch.distributed as dist, tombolo
dist.init_process_group("tombolo", store=dist.HashStore(), rank=0, world_size=1)
calls = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    dist.all_reduce(torch.ones(1))
    calls += 1
    if calls == 100:
        print("ready", flush=True)
dist.destroy_process_group()
print("done")
"""


class ToolsTest(unittest.TestCase):
    def looked_at(self, **variables: str) -> subprocess.Popen[str]:
        """A rank in the middle of its calls."""
        rank = subprocess.Popen(
            [sys.executable, "-c", LOOKED_AT],
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(rank.kill)
        self.assertEqual("ready\n", rank.stdout.readline())
        return rank

    def should_finish(self, rank: subprocess.Popen[str]) -> None:
        output, _ = rank.communicate("enough", timeout=120)
        self.assertEqual((0, "done\n"), (rank.returncode, output))

    @unittest.skipUnless(GDB, "no gdb: apt-get install gdb")
    def test_should_go_on_after_gdb(self) -> None:
        rank = self.looked_at()
        said = subprocess.run(
            [GDB, "-batch", "-p", str(rank.pid), "-ex", "handle SIGSEGV nostop noprint pass", "-ex", "thread apply all bt"],
            capture_output=True,
            text=True,
            timeout=240,
        )
        self.assertIn("libjvm.so", said.stdout, said.stderr)
        self.should_finish(rank)

    def test_should_be_seen_by_stat(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            rank = self.looked_at(TOMBOLO_RECORDER=folder)
            said = subprocess.run([LAUNCHER, "stat", str(rank.pid)], capture_output=True, text=True, timeout=240)
            self.should_finish(rank)
        self.assertEqual(0, said.returncode, said.stderr)
        self.assertRegex(said.stdout, r"tombolo/0 +0 of 1 +running +#[1-9]")

    def test_should_leave_sigusr2_to_the_program(self) -> None:
        done = subprocess.run([sys.executable, "-c", PREEMPTED], capture_output=True, text=True, timeout=240)
        self.assertEqual("before after\n", done.stdout, done.stderr)

    def test_should_share_signals_with_a_late_faulthandler_by_the_jdks_library(self) -> None:
        java = Path(os.environ.get("JAVA_HOME") or newest_java())
        variables = {
            "JAVA_HOME": str(java),
            "LD_PRELOAD": str(java / "lib" / "libjsig.so"),
            "TOMBOLO_JAVA_OPTS": java_options(OPTIONS),
        }
        with tempfile.TemporaryDirectory() as folder:  # for the JVM's own report of the crash
            done = subprocess.run(
                [sys.executable, "-c", LATE],
                cwd=folder,
                env={**os.environ, **variables},
                capture_output=True,
                text=True,
                timeout=240,
            )
        self.assertTrue(done.stdout.startswith("done\n"), f"{done.returncode}\n{done.stdout}\n{done.stderr}")
        self.assertRegex(done.stderr, r'Fatal Python error: Segmentation fault\n(?s:.*)File "<string>", line 8 in <module>')
        self.assertLess(done.returncode, 0)

    def test_should_work_in_the_process_of_pytest(self) -> None:
        self.should_pass_in_pytest("test_many_calls")

    def test_should_work_until_pytest_has_ended_without_its_faulthandler(self) -> None:
        self.should_pass_in_pytest("test_calls_after_pytest", "-p", "no:faulthandler")

    def should_pass_in_pytest(self, name: str, *options: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "test_inside.py")
            program.write_text(INSIDE_PYTEST)
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, f"{program}::{name}"],
                env={**os.environ, "TOMBOLO_JAVA_OPTS": java_options(OPTIONS)},
                capture_output=True,
                text=True,
                timeout=240,
            )
        self.assertEqual(0, done.returncode, f"{done.stdout}\n{done.stderr}")
        self.assertIn("1 passed", done.stdout)

    def test_should_heed_torchs_debug_level(self) -> None:
        """At the highest level torch's wrapper tells of calls that differ, else we do."""
        ours = "rank 0 called all_reduce of 3 f32 by sum, but rank 1 called all_reduce of 4 f32 by sum"
        for level, words in (("DETAIL", "Detected mismatch between collectives on ranks"), ("INFO", ours)):
            place = {"TORCH_DISTRIBUTED_DEBUG": level}
            program = ("--no-python", sys.executable, "-c", DEBUGGED)
            status, output, errors = torchrun("--standalone", "--nproc-per-node", "2", *program, variables=place)
            self.assertEqual(0, status, errors)
            self.assertEqual(2, output.count(f"{level} cluster 0, host: ranks 0 1\n"), output)
            self.assertEqual(2, output.count(words), output)


if __name__ == "__main__":
    unittest.main()
