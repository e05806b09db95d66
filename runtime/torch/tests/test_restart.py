# SPDX-License-Identifier: Apache-2.0
"""torchrun starts a job again after a rank was killed, the ranks meet again in the same store, and nothing piles up: not in
torchrun, not in the ranks of later attempts, not in shared memory.

With TOMBOLO_DEEP=1 it does so 50 times.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import unittest
from pathlib import Path

from held import Bounds, held, more, too_much
from ranks import free_port, oneccl_is_here, torchrun

RESTARTS = 50 if os.environ.get("TOMBOLO_DEEP") == "1" else 1
MIDDLE = RESTARTS // 2  # the attempt beside which the last one is looked at: what comes once only has come by then
# Deep, what each restart leaves in torchrun, or for the ranks of the next attempt, is there 25 times more: 2.7 MB of each would
# be seen. Java has threads of its own that come and go, and of libraries' files more or less is in memory.
BOUNDS = Bounds(counted=8, resident=64 << 20, shared=32 << 20)
# What torchrun and its ranks have is said while all ranks are there, and what made Java compile is not any more.
KILLED = """
import json, os, signal, sys, time, torch, torch.distributed as dist, tombolo
from datetime import timedelta
sys.path.append(sys.argv[1])
from held import held, threads
dist.init_process_group("tombolo", timeout=timedelta(seconds=120))
while "tombolo-warm-up" in threads():
    time.sleep(0.01)  # fixed time: between two looks
dist.barrier()
rank, attempt = dist.get_rank(), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
has = {f"rank {rank}": held()} | ({"torchrun": held(os.getppid())} if rank == 0 else {})
print(json.dumps({"process": os.getpid(), "attempt": attempt, "has": has}) + "\\n", end="", flush=True)
dist.barrier()
if attempt < int(os.environ["TORCHELASTIC_MAX_RESTARTS"]) and rank == 1 - attempt % 2:
    os.kill(os.getpid(), signal.SIGKILL)
sum = torch.ones(1)
dist.all_reduce(sum)
print(f"attempt {attempt}: {sum.item():.0f}\\n", end="", flush=True)
dist.destroy_process_group()
"""


def left_in_shared_memory(processes: set[str]) -> list[str]:
    """Names in /dev/shm that begin with one of these processes' numbers, as oneCCL's do, or with our own name."""
    return [name for name in os.listdir("/dev/shm") if re.split("[:-]", name)[0] in {"tombolo", *processes}]


def figures(said: list[dict]) -> dict[str, dict[int, dict[str, int]]]:
    """What torchrun and each rank had, by attempts."""
    found: dict[str, dict[int, dict[str, int]]] = {}
    for line in said:
        for who, has in line["has"].items():
            found.setdefault(who, {})[line["attempt"]] = has
    return found


class RestartTest(unittest.TestCase):
    def should_start_again(self, vendor: str, *rendezvous: str) -> None:
        before = left_in_shared_memory(set())
        status, output, errors = torchrun(
            "--nproc-per-node", "2", "--max-restarts", str(RESTARTS), "--monitor-interval", "0.2", *rendezvous,
            "--no-python", sys.executable, "-c", KILLED, str(Path(__file__).parent),
            # without class data, as the first attempt may have none, and the next what was made of it
            variables={"TOMBOLO_VENDOR": vendor, "TOMBOLO_CLASS_DATA": "off"}, timeout=60 + 60 * RESTARTS,
        )  # fmt: skip
        self.assertEqual(0, status, errors[-4000:])
        self.assertEqual(2, output.split("\n").count(f"attempt {RESTARTS}: 2"), output)
        said = [json.loads(line) for line in output.split("\n") if line.startswith("{")]
        self.assertEqual(2 * (RESTARTS + 1), len(said), output)
        processes = {str(line["process"]) for line in said}  # fewer where Linux has given a number twice
        left = [name for name in left_in_shared_memory(processes) if name not in before]
        end = time.monotonic() + 30
        while any(os.path.exists(f"/dev/shm/{name}") for name in left) and time.monotonic() < end:
            time.sleep(0.05)  # fixed time: between two looks; another job may just be meeting
        self.assertEqual([], [name for name in left if os.path.exists(f"/dev/shm/{name}")])
        self.should_have_piled_up_nothing(figures(said))

    def should_have_piled_up_nothing(self, had: dict[str, dict[int, dict[str, int]]]) -> None:
        self.assertEqual({"torchrun", "rank 0", "rank 1"}, set(had))
        for who, attempts in had.items():
            for attempt in sorted({0, MIDDLE, RESTARTS}):
                print(f"{who} after {attempt} restarts: {attempts[attempt]}")
        for who, attempts in had.items():
            self.assertEqual({}, too_much(more(attempts[MIDDLE], attempts[RESTARTS]), BOUNDS), who)

    def test_should_meet_again_after_a_restart_of_a_standalone_job(self) -> None:
        self.should_start_again("host", "--standalone")

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_meet_again_after_a_restart_of_a_static_job_over_oneccl(self) -> None:
        self.should_start_again("intel", "--master-addr", "127.0.0.1", "--master-port", str(free_port()))


class HeldTest(unittest.TestCase):
    def test_should_see_files_that_stay_open(self) -> None:
        before = held()
        files = [open(os.devnull) for _ in range(100)]
        growth = more(before, held(os.getpid()))
        for file in files:
            file.close()
        self.assertGreater(too_much(growth, BOUNDS)["descriptors"], 50)  # others in this process may have closed some

    def test_should_tell_what_is_above_its_bound(self) -> None:
        before = held()
        now = {**before, "bytes": before["bytes"] + BOUNDS.resident + 1, "threads": before["threads"] + BOUNDS.counted}
        self.assertEqual({"bytes": BOUNDS.resident + 1}, too_much(more(before, now), BOUNDS))


if __name__ == "__main__":
    unittest.main()
