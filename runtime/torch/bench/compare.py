# SPDX-License-Identifier: Apache-2.0
"""Tombolo beside Gloo, in turns: torchrun --standalone --nproc-per-node 2 compare.py [SECONDS per row]

A turn is a batch of calls one after the other, and a barrier of Gloo's is before it. Prints the best and the median batch
of rank 0, in microseconds a call. What a process does for the first time (Java compiles what runs often) is not timed.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import torch
import torch.distributed as dist

import tombolo  # noqa: F401

SIZES = [8, 64 << 10, 1 << 20, 16 << 20]
BUDGET = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
BATCH_SECONDS = 0.005
MAX_CALLS = 100  # in a batch
WARM_UP_CALLS = 3000

Call = Callable[[dist.ProcessGroup], object]


def operations(size: int, ranks: int) -> dict[str, Call]:
    """Each moves `size` bytes per rank, f32 (8 bytes: at least one element for each rank)."""
    count = max(size // 4 // ranks, 1) * ranks
    whole, part = torch.zeros(count), torch.zeros(count // ranks)
    other = torch.zeros(count)
    return {
        "all_reduce": lambda group: dist.all_reduce(whole, group=group),
        "all_gather_into_tensor": lambda group: dist.all_gather_into_tensor(whole, part, group=group),
        "reduce_scatter_tensor": lambda group: dist.reduce_scatter_tensor(part, whole, group=group),
        "all_to_all_single": lambda group: dist.all_to_all_single(other, whole, group=group),
    }


def timed(call: Call, calls: int, group: dist.ProcessGroup, gate: dist.ProcessGroup) -> float:
    """Microseconds a call in a batch of `calls`."""
    dist.barrier(gate)
    start = time.perf_counter()
    for _ in range(calls):
        call(group)
    return (time.perf_counter() - start) * 1e6 / calls


def plan(call: Call, ours: dist.ProcessGroup, gloo: dist.ProcessGroup) -> tuple[int, int]:
    """Calls in a batch, and turns that fit the budget; rank 0's word."""
    took = max(timed(call, 5, ours, gloo), timed(call, 5, gloo, gloo)) / 1e6
    calls = max(1, min(MAX_CALLS, int(BATCH_SECONDS / took)))
    agreed = torch.tensor([calls, max(5, int(BUDGET / (2 * calls * took)))])
    dist.broadcast(agreed, 0, group=gloo)
    return int(agreed[0]), int(agreed[1])


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("tombolo")
    gloo = dist.new_group(backend="gloo")
    ours = dist.group.WORLD
    for call in operations(8, dist.get_world_size()).values():
        for group in (ours, gloo):
            timed(call, WARM_UP_CALLS, group, gloo)
    if dist.get_rank() == 0:
        print(f"{'operation':24} {'bytes':>9} {'ours best':>10} {'median':>10} {'Gloo best':>10} {'median':>10}  ratio of medians")
    for size in SIZES:
        for name, call in operations(size, dist.get_world_size()).items():
            calls, turns = plan(call, ours, gloo)
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


main()
