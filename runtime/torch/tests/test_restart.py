# SPDX-License-Identifier: Apache-2.0
"""torchrun starts a job again after a rank was killed, and the ranks meet again in the same store.

With TOMBOLO_DEEP=1 it does so 50 times.
"""

from __future__ import annotations

import os
import sys
import unittest

from ranks import free_port, torchrun

RESTARTS = 50 if os.environ.get("TOMBOLO_DEEP") == "1" else 1
KILLED = """
import os, signal, torch, torch.distributed as dist, tombolo
from datetime import timedelta
dist.init_process_group("tombolo", timeout=timedelta(seconds=120))
dist.barrier()
attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
if attempt < int(os.environ["TORCHELASTIC_MAX_RESTARTS"]) and dist.get_rank() == 1 - attempt % 2:
    os.kill(os.getpid(), signal.SIGKILL)
sum = torch.ones(1)
dist.all_reduce(sum)
print(f"attempt {attempt}: {sum.item():.0f}\\n", end="", flush=True)
dist.destroy_process_group()
"""


class RestartTest(unittest.TestCase):
    def should_start_again(self, *rendezvous: str) -> None:
        status, output, errors = torchrun(
            "--nproc-per-node", "2", "--max-restarts", str(RESTARTS), "--monitor-interval", "0.2", *rendezvous,
            "--no-python", sys.executable, "-c", KILLED,
            timeout=60 + 60 * RESTARTS,
        )  # fmt: skip
        self.assertEqual(0, status, errors[-4000:])
        self.assertEqual([f"attempt {RESTARTS}: 2"] * 2, output.split("\n")[:2], output)

    def test_should_meet_again_after_a_restart_of_a_standalone_job(self) -> None:
        self.should_start_again("--standalone")

    def test_should_meet_again_after_a_restart_of_a_static_job(self) -> None:
        self.should_start_again("--master-addr", "127.0.0.1", "--master-port", str(free_port()))


if __name__ == "__main__":
    unittest.main()
