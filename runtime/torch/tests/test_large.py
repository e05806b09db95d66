# SPDX-License-Identifier: Apache-2.0
"""Tensors of more bytes than 32 bits count, with TOMBOLO_DEEP=1 (12 GB of memory, minutes; ONECCL_GB between ranks of oneCCL,
if they are free); else the same with less."""

from __future__ import annotations

import os
import unittest

import torch
import torch.distributed as dist

from ranks import oneccl_is_here, run

DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
COUNT = (1 << 31) + 1 if DEEP else (1 << 20) + 1
PERIOD = 251  # a prime: what is moved by a power of two is not where it was
SECONDS = 3600 if DEEP else 240
ONECCL_GB = 18  # of memory, deep: oneCCL has blocks of its own beside the tensors


def pattern(*starts: int, count: int = COUNT) -> torch.Tensor:
    """What has this period from `start` on; of several the greatest, without any of them as a whole."""
    periods = torch.stack([(torch.arange(PERIOD) + start).remainder(PERIOD) for start in starts])
    return periods.amax(0).to(torch.uint8).repeat(count // PERIOD + 1)[:count]


def all_reduce(rank: int) -> bool:
    tensor = pattern(rank)
    dist.all_reduce(tensor, op=dist.ReduceOp.MAX)
    return torch.equal(tensor, pattern(0, 1))


def broadcast(rank: int) -> bool:
    tensor = pattern(3) if rank == 1 else torch.zeros(COUNT, dtype=torch.uint8)
    dist.broadcast(tensor, src=1)
    return torch.equal(tensor, pattern(3))


def all_gather(rank: int) -> bool:
    whole = torch.zeros(2 * COUNT, dtype=torch.uint8)
    dist.all_gather_into_tensor(whole, pattern(rank))
    return torch.equal(whole[:COUNT], pattern(0)) and torch.equal(whole[COUNT:], pattern(1))


def reduce_scatter(rank: int) -> bool:
    """The parts together have COUNT elements and one more."""
    half = COUNT // 2 + 1
    part = torch.zeros(half, dtype=torch.uint8)
    dist.reduce_scatter_tensor(part, pattern(rank, count=2 * half), op=dist.ReduceOp.MAX)
    return torch.equal(part, pattern(rank * half, rank * half + 1, count=half))


def all_to_all(rank: int) -> bool:
    """Rank 0 gives nearly all to rank 1."""
    less, more = 7, COUNT - 7
    outputs = torch.zeros(2 * (more if rank else less), dtype=torch.uint8)
    size = outputs.numel() // 2
    dist.all_to_all_single(outputs, pattern(rank), [size, size], [less, more])
    start = less if rank else 0
    parts = outputs.split(size)
    return all(torch.equal(part, pattern(source + start, count=size)) for source, part in enumerate(parts))


def message(rank: int) -> bool:
    if rank == 0:
        dist.send(pattern(5), 1)
        return True
    tensor = torch.zeros(COUNT, dtype=torch.uint8)
    dist.recv(tensor, 0)
    return torch.equal(tensor, pattern(5))


def available_gb() -> float:
    with open("/proc/meminfo") as lines:
        sizes = dict(line.split(":") for line in lines)
    return int(sizes["MemAvailable"].split()[0]) * 1024 / 1e9


OPERATIONS = [all_reduce, broadcast, all_gather, reduce_scatter, all_to_all, message]


def wrong(rank: int) -> list[str]:
    return [operation.__name__ for operation in OPERATIONS if not operation(rank)]


class LargeTest(unittest.TestCase):
    def test_should_be_right_for_large_tensors(self) -> None:
        self.assertEqual([[]] * 2, run(wrong, 2, timeout=SECONDS))

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_be_right_for_large_tensors_over_two_vendors(self) -> None:
        vendors = [{"TOMBOLO_VENDOR": "intel"}, {"TOMBOLO_VENDOR": "host"}]
        self.assertEqual([[]] * 2, run(wrong, 2, variables=vendors, timeout=SECONDS))

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_be_right_for_large_tensors_between_ranks_of_oneccl(self) -> None:
        if DEEP and available_gb() < ONECCL_GB:
            self.skipTest(f"less than {ONECCL_GB} GB of memory are free")
        self.assertEqual([[]] * 2, run(wrong, 2, variables=[{"TOMBOLO_VENDOR": "intel"}] * 2, timeout=SECONDS))


if __name__ == "__main__":
    unittest.main()
