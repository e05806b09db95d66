# SPDX-License-Identifier: Apache-2.0
"""Flight recorders, torch's and ours: what they have of a job's operations, and what torchfrtrace and ./tombolo trace say."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _dump_fr_trace_file, _dump_fr_trace_json

from ranks import run

LAUNCHER = Path(__file__).parents[3] / "tombolo"
TORCHFRTRACE = "from torch.distributed.flight_recorder.fr_trace import main; main()"


def states() -> dict[str, int]:
    """How many operations the recorder has of each state."""
    found: dict[str, int] = {}
    for entry in json.loads(_dump_fr_trace_json(True, False, "tombolo"))["entries"]:
        found[entry["state"]] = found.get(entry["state"], 0) + 1
    return found


def said_by(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def some_of_each_kind(rank: int) -> dict[str, int]:
    dist.all_reduce(torch.ones(4))
    works = [dist.all_reduce(torch.ones(4), async_op=True) for _ in range(3)]
    dropped = [dist.broadcast(torch.ones(4), 0, async_op=True) for _ in range(3)]
    for work in works:
        work.wait()
    dropped.clear()
    with dist._coalescing_manager(async_ops=True) as several:
        for _ in range(2):
            dist.all_reduce(torch.ones(4))
    several.wait()
    dist.barrier()  # a later call takes note of what nobody waited for
    return states()


def different_calls(rank: int, folder: str) -> None:
    dist.all_reduce(torch.ones(4))
    try:
        if rank == 0:
            dist.all_reduce(torch.ones(8))
        else:
            dist.broadcast(torch.ones(8), 0)
    except dist.DistBackendError:
        dist.distributed_c10d._abort_process_group()
        return
    raise AssertionError("no error")


def a_rank_that_stays_away(rank: int, folder: str) -> None:
    dist.all_reduce(torch.ones(4))
    dist.set_timeout(timedelta(seconds=3))
    if rank == 1:
        _dump_fr_trace_file(1, backend="tombolo")  # as an operator asks for it
        while not Path(folder, "rank_0").exists():
            time.sleep(0.01)  # fixed time: between two looks
        dist.distributed_c10d._abort_process_group()
        return
    try:
        dist.all_reduce(torch.ones(8), async_op=True).wait()
    except dist.DistBackendError:
        return
    raise AssertionError("no error")


class RecorderTest(unittest.TestCase):
    def analyses(self, worker: Callable[..., None]) -> tuple[str, str]:
        """What torch's program and ours say of what a failed job of two ranks has left."""
        with tempfile.TemporaryDirectory() as folder:
            torchs, ours = Path(folder, "torch"), Path(folder, "tombolo")
            torchs.mkdir()
            recording = {"TORCH_FR_DUMP_TEMP_FILE": f"{torchs}/rank_", "TOMBOLO_RECORDER": str(ours)}
            run(worker, 2, str(torchs), variables=[recording] * 2)
            self.assertEqual(["rank_0", "rank_1"], sorted(path.name for path in torchs.iterdir()))
            return (
                said_by(sys.executable, "-c", TORCHFRTRACE, str(torchs)).stderr,  # its log
                said_by(str(LAUNCHER), "trace", str(ours)).stdout,
            )

    def test_should_know_which_operations_have_ended(self) -> None:
        for found in run(some_of_each_kind, 2):
            self.assertEqual(["completed"], list(found), found)

    def test_should_name_calls_that_differ(self) -> None:
        torchs, ours = self.analyses(different_calls)
        self.assertIn("Error type: COLLECTIVE_TYPE_MISMATCH", torchs)
        self.assertIn("'all_reduce' does not match found collective type: 'broadcast'", torchs)
        self.assertIn("operation #2 is not the same everywhere", ours)

    def test_should_name_who_did_not_come(self) -> None:
        torchs, ours = self.analyses(a_rank_that_stays_away)
        self.assertIn("Not all ranks joining collective, sequence number: 2", torchs)
        self.assertIn("missing ranks: {1}", torchs)
        self.assertIn("rank 1 never entered all_reduce of 8 f32 by sum (#2, 32 bytes), which rank 0 did", ours)


if __name__ == "__main__":
    unittest.main()
