# SPDX-License-Identifier: Apache-2.0
"""Groups whose ranks become fewer, on purpose or by a death, or more."""

from __future__ import annotations

import os
import signal
import time
import unittest

import torch
import torch.distributed as dist

from ranks import TIMEOUT, mixed, run


def meet(store: dist.Store, place: str, *ranks: int) -> None:
    """Returns once these have come. That a call has returned here says nothing of the others, and the news of an abort or
    of a death overtakes what they still wait for."""
    store.set(f"{place}, rank {dist.get_rank()}", "")
    store.wait([f"{place}, rank {rank}" for rank in ranks])


def sum_of(value: float) -> float:
    tensor = torch.tensor([value])
    dist.all_reduce(tensor)
    return tensor.item()


def without_rank_1(rank: int) -> tuple[int, int, float] | None:
    """Who this is now, among how many, and what they have together."""
    dist.barrier()
    if rank == 1:
        return None
    dist.shrink_group([1])
    return dist.get_rank(), dist.get_world_size(), sum_of(10.0**rank)


def after_deaths(rank: int) -> list[float]:
    """First rank 3 dies, then rank 1; who is left goes on, under new numbers."""
    store = dist.distributed_c10d._get_default_store()
    sums = [sum_of(10.0**rank)]
    for dying in (3, 1):
        meet(store, f"before {dying} dies", *range(dist.get_world_size()))
        if rank == dying:
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            sum_of(10.0**rank)
            raise AssertionError("a rank is dead, and the others have a sum")
        except dist.DistBackendError:
            dist.shrink_group([dying], shrink_flags=dist.distributed_c10d.SHRINK_ABORT)
        sums.append(sum_of(10.0**rank))
    return [*sums, dist.get_rank()]


def without_a_stuck_rank(rank: int) -> tuple[float, bool, float] | None:
    """How long it takes to shrink without rank 1, which lives and does not call; whether the operation that waits for it
    has failed then; and what the others have together."""
    dist.barrier()
    store = dist.distributed_c10d._get_default_store()
    if rank == 1:
        store.wait(["rank 0 is done", "rank 2 is done"])
        return None
    work = dist.all_reduce(torch.ones(1), async_op=True)
    meet(store, "under way", 0, 2)
    started = time.monotonic()
    dist.shrink_group([1], shrink_flags=dist.distributed_c10d.SHRINK_ABORT)
    seconds = time.monotonic() - started
    answer = seconds, work.is_completed() and not work.is_success(), sum_of(10.0**rank)
    store.set(f"rank {rank} is done", "")
    return answer


def with_a_newcomer(rank: int) -> float:
    """Ranks 0 and 1 are a group that becomes one of three with rank 2, which was by itself."""
    pair = dist.new_group([0, 1], use_local_synchronization=True) if rank < 2 else None
    single = dist.new_group([2], use_local_synchronization=True) if rank == 2 else None
    store = dist.distributed_c10d._get_default_store()
    group = (pair or single).merge_remote_group(dist.PrefixStore("all of them", store), 3)
    tensor = torch.tensor([10.0**rank])
    group.allreduce([tensor]).wait()
    return tensor.item()


class MembershipTest(unittest.TestCase):
    def test_should_shrink_a_group(self) -> None:
        self.assertEqual([(0, 2, 101.0), None, (1, 2, 101.0)], run(without_rank_1, 3, variables=mixed(3)))

    def test_should_go_on_without_ranks_that_died(self) -> None:
        answers = run(after_deaths, 4, dying=[1, 3], variables=mixed(4))
        self.assertEqual([[1111.0, 111.0, 101.0, 0], [1111.0, 111.0, 101.0, 1]], [answers[0], answers[2]])

    def test_should_end_what_is_under_way_when_it_shrinks(self) -> None:
        for seconds, failed, total in run(without_a_stuck_rank, 3, variables=mixed(3))[::2]:
            self.assertLess(seconds, TIMEOUT.total_seconds() / 2)
            self.assertTrue(failed)
            self.assertEqual(101.0, total)

    def test_should_merge_groups(self) -> None:
        self.assertEqual([111.0] * 3, run(with_a_newcomer, 3, variables=mixed(3)))


if __name__ == "__main__":
    unittest.main()
