# SPDX-License-Identifier: Apache-2.0
"""Programs that handle signals of their own, with the Java virtual machine in their process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# Its signals: the virtual machine stops its threads every 2 ms.
OPTIONS = "-XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=2"
INSIDE_PYTEST = f"""
import faulthandler, os, torch, torch.distributed as dist

os.environ["TOMBOLO_JAVA_OPTS"] = "{OPTIONS}"
import tombolo

def test_many_calls():
    assert faulthandler.is_enabled()  # pytest does that before it starts
    dist.init_process_group("tombolo", store=dist.HashStore(), rank=0, world_size=1)
    for _ in range(10_000):
        dist.all_reduce(torch.ones(3))
    dist.destroy_process_group()
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


class ToolsTest(unittest.TestCase):
    def test_should_leave_sigusr2_to_the_program(self) -> None:
        done = subprocess.run([sys.executable, "-c", PREEMPTED], capture_output=True, text=True, timeout=240)
        self.assertEqual("before after\n", done.stdout, done.stderr)

    def test_should_work_in_the_process_of_pytest(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "test_inside.py")
            program.write_text(INSIDE_PYTEST)
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(program)],
                capture_output=True,
                text=True,
                timeout=240,
            )
        self.assertEqual(0, done.returncode, f"{done.stdout}\n{done.stderr}")
        self.assertIn("1 passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
