# SPDX-License-Identifier: Apache-2.0
"""Tensors of more bytes than 32 bits count, with TOMBOLO_DEEP=1 (12 GB of memory, minutes); else the same with less."""

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


def pattern(start: int, count: int = COUNT) -> torch.Tensor:
    period = (torch.arange(PERIOD) + start).remainder(PERIOD).to(torch.uint8)
    return period.repeat(count // PERIOD + 1)[:count]


def all_reduce(rank: int) -> bool:
    tensor = pattern(rank)
    dist.all_reduce(tensor, op=dist.ReduceOp.MAX)
    return torch.equal(tensor, torch.maximum(pattern(0), pattern(1)))


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
    dist.reduce_scatter_tensor(part, pattern(rank, 2 * half), op=dist.ReduceOp.MAX)
    return torch.equal(part, torch.maximum(pattern(rank * half, half), pattern(rank * half + 1, half)))


def all_to_all(rank: int) -> bool:
    """Rank 0 gives nearly all to rank 1."""
    less, more = 7, COUNT - 7
    outputs = torch.zeros(2 * (more if rank else less), dtype=torch.uint8)
    size = outputs.numel() // 2
    dist.all_to_all_single(outputs, pattern(rank), [size, size], [less, more])
    expected = [pattern(source + (less if rank else 0), size) for source in range(2)]
    return torch.equal(outputs[:size], expected[0]) and torch.equal(outputs[size:], expected[1])


def message(rank: int) -> bool:
    if rank == 0:
        dist.send(pattern(5), 1)
        return True
    tensor = torch.zeros(COUNT, dtype=torch.uint8)
    dist.recv(tensor, 0)
    return torch.equal(tensor, pattern(5))


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


if __name__ == "__main__":
    unittest.main()
