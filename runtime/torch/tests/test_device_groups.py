# SPDX-License-Identifier: Apache-2.0
"""Groups made of others, and the Works of calls, with tensors of devices: each call keeps the order of its stream."""

from __future__ import annotations

import tempfile
import unittest
from datetime import timedelta

import torch
import torch.distributed as dist

from devices import DEVICES, fill_late, holds_streams, own_device, run_on
from ranks import TIMEOUT
from test_failures import error_of, milliseconds_of, rank_0_alone

FIRST = 3  # calls of a group that may register memory, which waits for all work of the device


def late(rank: int) -> torch.Tensor:
    """What comes to the device after whatever is called at once."""
    tensor = torch.zeros(1 << 12, dtype=torch.uint8, device=own_device())
    fill_late(tensor, rank + 1)
    return tensor


def sum_of_what_comes_late(rank: int, group: dist.ProcessGroup | None = None) -> list[int]:
    for _ in range(FIRST):
        dist.all_reduce(torch.zeros(1 << 12, dtype=torch.uint8, device=own_device()), group=group)
    tensor = late(rank)
    dist.all_reduce(tensor, group=group)
    return tensor.cpu().unique().tolist()


def in_further_groups(rank: int) -> list[list[int]]:
    """Sums in a new group, in one that was split off it, and in the default one."""
    made = dist.new_group()
    part = dist.split_group(parent_pg=made, split_ranks=[[1, 0]])
    return [sum_of_what_comes_late(rank, group) for group in (made, part, None)]


def without_the_host(rank: int, place: str) -> list[int] | None:
    """torch has the new group serve tensors of the device that the old one was bound to, alone."""
    own = None if rank == 2 else torch.device(own_device(), torch.accelerator.current_device_index())
    dist.init_process_group("tombolo", init_method=place, rank=rank, world_size=3, timeout=TIMEOUT, device_id=own)
    dist.barrier()
    if rank == 2:
        return None
    dist.shrink_group([2])
    return sum_of_what_comes_late(rank)


def observed(rank: int) -> tuple[list[int], int, float]:
    """What a callback makes of a sum, how it ended, and in how many milliseconds."""
    work = dist.all_reduce(late(rank), async_op=True)
    doubled = work.get_future().then(lambda done: done.value()[0] * 2).wait()
    result = doubled.cpu().unique().tolist()
    work.wait(TIMEOUT)
    return result, int(work.get_future_result().wait()), work._get_duration()


def alone_with_a_timeout(rank: int) -> tuple[str, str, list[int]]:
    """What is said of a wait that is over, and then of the call; and what else is on the stream."""
    dist.set_timeout(timedelta(seconds=2))
    with rank_0_alone() as is_rank_0:
        if not is_rank_0:
            return "", "", []
        work = dist.all_reduce(torch.ones(3, device=own_device()), async_op=True)
        brief = error_of(lambda: work.wait(timeout=timedelta(milliseconds=100)))
        if holds_streams():
            work.wait()  # has the stream wait
        return brief, error_of(lambda: work.wait(timeout=TIMEOUT)), late(6).cpu().unique().tolist()


class DeviceGroupsTest(unittest.TestCase):
    def test_should_make_and_split_groups_of_devices(self) -> None:
        self.assertEqual([[[3]] * 3] * 2, run_on([DEVICES] * 2, in_further_groups))

    def test_should_make_and_split_groups_of_a_device_and_the_host(self) -> None:
        self.assertEqual([[[3]] * 3] * 2, run_on([DEVICES, "host"], in_further_groups))

    def test_should_shrink_a_group_to_its_devices(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            answers = run_on([DEVICES, DEVICES, "host"], without_the_host, f"file://{folder}/store", join=False)
        self.assertEqual([[3], [3], None], answers)

    def test_should_complete_futures_of_devices_in_the_order_of_streams(self) -> None:
        for result, how, milliseconds in run_on([DEVICES] * 2, observed):
            self.assertEqual(([6], 0), (result, how))  # WorkResult.SUCCESS
            self.assertTrue(0 < milliseconds < TIMEOUT.total_seconds() * 1000, milliseconds)

    @unittest.skipUnless(hasattr(dist, "set_timeout"), "torch before 2.15")
    def test_should_say_that_a_rank_did_not_come_to_a_device_in_time(self) -> None:
        brief, text, after = run_on([DEVICES, "host"], alone_with_a_timeout)[0]
        self.assertEqual(
            "tombolo:all_reduce: not done within the 100 ms of wait(); it goes on (TOMBOLO_IN_PROGRESS)",
            brief.partition("\n")[0],
        )
        self.assertTrue(2_000 <= milliseconds_of(text) < TIMEOUT.total_seconds() * 500, text)
        self.assertIn("no vote from rank 1", text)
        self.assertEqual([7], after)


if __name__ == "__main__":
    unittest.main()
