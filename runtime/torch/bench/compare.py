# SPDX-License-Identifier: Apache-2.0
"""Tombolo beside Gloo, call by call in turns: torchrun --standalone --nproc-per-node 2 compare.py [SECONDS per size]

Prints the best and the median time of a call on rank 0, in microseconds. A barrier of Gloo's is before each call.
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


def operations(size: int, ranks: int) -> dict[str, Callable[[dist.ProcessGroup], None]]:
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


def timed(call: Callable[[dist.ProcessGroup], None], group: dist.ProcessGroup, gate: dist.ProcessGroup) -> float:
    dist.barrier(gate)
    start = time.perf_counter()
    call(group)
    return (time.perf_counter() - start) * 1e6


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("tombolo")
    gloo = dist.new_group(backend="gloo")
    ours = dist.group.WORLD
    if dist.get_rank() == 0:
        print(f"{'operation':24} {'bytes':>9} {'ours best':>10} {'median':>10} {'Gloo best':>10} {'median':>10}  ratio of medians")
    for size in SIZES:
        for name, call in operations(size, dist.get_world_size()).items():
            times: dict[str, list[float]] = {"ours": [], "gloo": []}
            for turn in range(rounds(call, ours, gloo)):
                for who, group in (("ours", ours), ("gloo", gloo)):
                    took = timed(call, group, gloo)
                    if turn >= 3:
                        times[who].append(took)
            if dist.get_rank() == 0:
                a, b = times["ours"], times["gloo"]
                print(
                    f"{name:24} {size:9} {min(a):10.1f} {statistics.median(a):10.1f} {min(b):10.1f} "
                    f"{statistics.median(b):10.1f}  {statistics.median(b) / statistics.median(a):.2f}",
                    flush=True,
                )
    dist.destroy_process_group()


def rounds(call: Callable[[dist.ProcessGroup], None], ours: dist.ProcessGroup, gloo: dist.ProcessGroup) -> int:
    """How many turns fit the budget; rank 0's word."""
    took = timed(call, ours, gloo) + timed(call, gloo, gloo)
    took = timed(call, ours, gloo) + timed(call, gloo, gloo)
    agreed = torch.tensor([max(8, min(2000, int(BUDGET * 1e6 / took)))])
    dist.broadcast(agreed, 0, group=gloo)
    return int(agreed.item())


main()
