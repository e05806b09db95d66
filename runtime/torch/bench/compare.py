# SPDX-License-Identifier: Apache-2.0
"""Tombolo beside Gloo, in turns: torchrun --standalone --nproc-per-node 2 compare.py [SECONDS per row] [--async]

A turn is a batch of calls one after the other, and a barrier of Gloo's is before it. Prints the best and the median batch
of rank 0, in microseconds a call. What a process does for the first time (Java compiles what runs often) is not timed.
With --async a batch's calls are all begun before the first is waited for.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
import torch.distributed as dist

import tombolo  # noqa: F401

SIZES = [8, 64 << 10, 1 << 20, 16 << 20]
BATCH_SECONDS = 0.02
MAX_CALLS = 100  # in a batch
WARM_UP_CALLS = 3000

Call = Callable[[dist.ProcessGroup], object]  # gives a Work, if it is async


def operations(size: int, ranks: int, async_op: bool) -> dict[str, Call]:
    """Each moves `size` bytes per rank, f32 (8 bytes: at least one element for each rank)."""
    count = max(size // 4 // ranks, 1) * ranks
    whole, part = torch.zeros(count), torch.zeros(count // ranks)
    other = torch.zeros(count)
    return {
        "all_reduce": lambda group: dist.all_reduce(whole, group=group, async_op=async_op),
        "all_gather_into_tensor": lambda group: dist.all_gather_into_tensor(whole, part, group=group, async_op=async_op),
        "reduce_scatter_tensor": lambda group: dist.reduce_scatter_tensor(part, whole, group=group, async_op=async_op),
        "all_to_all_single": lambda group: dist.all_to_all_single(other, whole, group=group, async_op=async_op),
    }


def timed(call: Call, calls: int, group: dist.ProcessGroup, gate: dist.ProcessGroup) -> float:
    """Microseconds a call in a batch of `calls`."""
    dist.barrier(gate)
    start = time.perf_counter()
    for work in [call(group) for _ in range(calls)]:
        if work is not None:
            work.wait()
    return (time.perf_counter() - start) * 1e6 / calls


def plan(
    call: Call, budget: float, ours: dist.ProcessGroup, other: dist.ProcessGroup, gloo: dist.ProcessGroup
) -> tuple[int, int]:
    """Calls in a batch, and turns that fit the budget; rank 0's word."""
    took = max(timed(call, 5, ours, gloo), timed(call, 5, other, gloo)) / 1e6
    calls = max(1, min(MAX_CALLS, int(BATCH_SECONDS / took)))
    agreed = torch.tensor([calls, max(5, int(budget / (2 * calls * took)))])
    dist.broadcast(agreed, 0, group=gloo)
    return int(agreed[0]), int(agreed[1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float, nargs="?", default=1.0, help="for each row")
    parser.add_argument("--async", action="store_true", dest="async_op")
    given = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("tombolo")
    gloo = dist.new_group(backend="gloo")
    ours = dist.group.WORLD
    for call in operations(8, dist.get_world_size(), given.async_op).values():
        for group in (ours, gloo):
            timed(call, WARM_UP_CALLS, group, gloo)
    if dist.get_rank() == 0:
        print(f"{'operation':24} {'bytes':>9} {'ours best':>10} {'median':>10} {'Gloo best':>10} {'median':>10}  ratio of medians")
    for size in SIZES:
        for name, call in operations(size, dist.get_world_size(), given.async_op).items():
            calls, turns = plan(call, given.seconds, ours, gloo, gloo)
            times: dict[str, list[float]] = {"ours": [], "gloo": []}
            for _ in range(turns):
                for who, group in (("ours", ours), ("gloo", gloo)):
                    times[who].append(timed(call, calls, group, gloo))
            if dist.get_rank() == 0:
                a, b = times["ours"], times["gloo"]
                print(
                    f"{name:24} {size:9} {min(a):10.1f} {statistics.median(a):10.1f} {min(b):10.1f} "
                    f"{statistics.median(b):10.1f}  {statistics.median(b) / statistics.median(a):.2f}",
                    flush=True,
                )
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
