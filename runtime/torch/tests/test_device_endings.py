# SPDX-License-Identifier: Apache-2.0
"""How calls with tensors of devices end, and programs that have made some: in time, and with nothing held on a stream."""

from __future__ import annotations

import os
import signal
import time
import unittest
from pathlib import Path

import torch
import torch.distributed as dist

from devices import DEVICES, device_library, holds_streams, own_device, run_on, synchronize
from ranks import TIMEOUT
from test_endings import run_both
from test_failures import PROMPT, error_of, how_it_ends
from test_membership import meet

# After its rank and the place to meet: the tests' folder, and the library of each rank's device, "" for the host.
FORGETFUL = """
import sys, time
rank, place, tests, library = int(sys.argv[1]), *sys.argv[2:4], sys.argv[4 + int(sys.argv[1])]
sys.path.insert(0, tests)
import emulated_device
device = emulated_device.equip(library, rank)
import torch, torch.distributed as dist, tombolo
dist.init_process_group("tombolo", init_method="file://" + place, rank=rank, world_size=2)
more = dist.new_group()
tensor = torch.ones(1 << 20, device=device)
dist.broadcast(tensor, 0)
dist.all_reduce(tensor, group=more)
last = torch.full((1 << 20,), 3.0 if rank == 0 else 0.0, device=device)
if rank == 0:
    dist.broadcast(last, 0, async_op=True)  # and rank 0 ends
else:
    time.sleep(1)  # fixed time: the other's end waits
    dist.broadcast(last, 0)
print(tensor[0].item(), last[0].item())
"""


def with_a_peer_that_dies(rank: int, first: str) -> tuple[str, int, str, float]:
    """What rank 0 hears while its stream waits for rank 1, torch's names for it, and how many seconds that takes."""
    store = dist.distributed_c10d._get_default_store()
    {"barrier": dist.barrier, "sum": lambda: dist.all_reduce(torch.ones(3, device=own_device()))}[first]()
    if rank == 1:
        store.wait(["rank 0 has called"], TIMEOUT)
        os.kill(os.getpid(), signal.SIGKILL)
    work = dist.all_reduce(torch.ones(3, device=own_device()), async_op=True)
    if holds_streams():
        work.wait()  # has the stream wait
    store.set("rank 0 has called", "")
    started = time.monotonic()
    text = error_of(lambda: work.wait(TIMEOUT))
    synchronize()
    return text, *how_it_ends(work), time.monotonic() - started


def aborted(rank: int) -> tuple[str, bool, float]:
    """What each hears once rank 0 gives up what both wait in, one in a sum and one for a message; whether the Work has
    failed; and how many seconds that takes."""
    dist.barrier()
    tensor = torch.ones(3, device=own_device())
    work = dist.all_reduce(tensor, async_op=True) if rank == 0 else dist.irecv(tensor, 0)
    if holds_streams():
        work.wait()  # has the stream wait
    meet(dist.distributed_c10d._get_default_store(), "under way", 0, 1)
    started = time.monotonic()
    if rank == 0:
        dist.distributed_c10d._abort_process_group()
    text = error_of(lambda: work.wait(TIMEOUT))
    synchronize()
    return text, work.is_completed() and not work.is_success(), time.monotonic() - started


class DeviceEndingsTest(unittest.TestCase):
    maxDiff = None  # what the ranks have said is the only trace of them

    def test_should_fail_a_devices_call_when_a_peer_has_died(self) -> None:
        for other, first in ((DEVICES, "barrier"), (DEVICES, "sum"), ("host", "sum")):
            with self.subTest(other=other, first=first):
                text, how, error, seconds = run_on([DEVICES, other], with_a_peer_that_dies, first, dying=[1])[0]
                head = "^tombolo:all_reduce: rank 0: all_reduce of 3 f32 by sum "
                self.assertRegex(text, head + ".*rank 1 \\(pid [0-9]+ on host ")
                self.assertIn("is gone: its process has ended", text)
                self.assertEqual((2, "REMOTE_ERROR"), (how, error))  # WorkResult.COMM_ERROR
                self.assertLess(seconds, PROMPT)

    def test_should_end_what_is_under_way_on_devices_when_a_group_is_aborted(self) -> None:
        for (text, failed, seconds), operation in zip(run_on([DEVICES] * 2, aborted), ("all_reduce", "recv")):
            self.assertIn(f"tombolo:{operation}", text)
            self.assertIn("abort", text)
            self.assertTrue(failed)
            self.assertLess(seconds, PROMPT)

    @unittest.skipUnless(DEVICES.startswith("emu-"), "the program has an emulated device")
    def test_should_end_cleanly_though_nobody_destroyed_the_groups_of_devices(self) -> None:
        for other in (device_library(), ""):
            with self.subTest(device=bool(other)):
                tests = str(Path(__file__).parent)
                self.assertEqual([(0, "2.0 3.0\n", "")] * 2, run_both(FORGETFUL, tests, device_library(), other))


if __name__ == "__main__":
    unittest.main()
