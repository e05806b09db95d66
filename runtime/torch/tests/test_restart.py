# SPDX-License-Identifier: Apache-2.0
"""torchrun starts a job again after a rank was killed, and the ranks meet again in the same store.

With TOMBOLO_DEEP=1 it does so 50 times.
"""

from __future__ import annotations

import os
import re
import sys
import time
import unittest

from ranks import free_port, oneccl_is_here, torchrun

RESTARTS = 50 if os.environ.get("TOMBOLO_DEEP") == "1" else 1
KILLED = """
import os, signal, torch, torch.distributed as dist, tombolo
from datetime import timedelta
dist.init_process_group("tombolo", timeout=timedelta(seconds=120))
dist.barrier()
print(f"process {os.getpid()}\\n", end="", flush=True)
attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
if attempt < int(os.environ["TORCHELASTIC_MAX_RESTARTS"]) and dist.get_rank() == 1 - attempt % 2:
    os.kill(os.getpid(), signal.SIGKILL)
sum = torch.ones(1)
dist.all_reduce(sum)
print(f"attempt {attempt}: {sum.item():.0f}\\n", end="", flush=True)
dist.destroy_process_group()
"""


def left_in_shared_memory(processes: set[str]) -> list[str]:
    """Names in /dev/shm that begin with one of these processes' numbers, as oneCCL's do, or with our own name."""
    return [name for name in os.listdir("/dev/shm") if re.split("[:-]", name)[0] in {"tombolo", *processes}]


class RestartTest(unittest.TestCase):
    def should_start_again(self, vendor: str, *rendezvous: str) -> None:
        before = left_in_shared_memory(set())
        status, output, errors = torchrun(
            "--nproc-per-node", "2", "--max-restarts", str(RESTARTS), "--monitor-interval", "0.2", *rendezvous,
            "--no-python", sys.executable, "-c", KILLED,
            variables={"TOMBOLO_VENDOR": vendor}, timeout=60 + 60 * RESTARTS,
        )  # fmt: skip
        self.assertEqual(0, status, errors[-4000:])
        self.assertEqual(2, output.split("\n").count(f"attempt {RESTARTS}: 2"), output)
        processes = set(re.findall(r"^process (\d+)$", output, re.MULTILINE))
        self.assertEqual(2 * (RESTARTS + 1), len(processes), output)
        left = [name for name in left_in_shared_memory(processes) if name not in before]
        end = time.monotonic() + 30
        while any(os.path.exists(f"/dev/shm/{name}") for name in left) and time.monotonic() < end:
            time.sleep(0.05)  # fixed time: between two looks; another job may just be meeting
        self.assertEqual([], [name for name in left if os.path.exists(f"/dev/shm/{name}")])

    def test_should_meet_again_after_a_restart_of_a_standalone_job(self) -> None:
        self.should_start_again("host", "--standalone")

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_meet_again_after_a_restart_of_a_static_job_over_oneccl(self) -> None:
        self.should_start_again("intel", "--master-addr", "127.0.0.1", "--master-port", str(free_port()))


if __name__ == "__main__":
    unittest.main()
