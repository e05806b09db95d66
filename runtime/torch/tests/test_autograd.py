# SPDX-License-Identifier: Apache-2.0
"""Gradients through collectives: torch.distributed.nn, beside the same sums in one process."""

from __future__ import annotations

import copy
import unittest
from collections.abc import Callable

import torch
import torch.distributed.nn.functional as differentiable
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from oracle import furthest
from ranks import run

RANKS = 2
COUNT = 4  # elements of each rank's input


def parts(tensor: Tensor) -> list[Tensor]:
    """One for each rank."""
    return list(tensor.chunk(RANKS))


def rooms() -> list[Tensor]:
    return parts(torch.empty(COUNT, dtype=torch.float64))


# What each makes of this rank's input; and, of all ranks' inputs, what each rank has then. Rank 0 is every root.
FUNCTIONS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[list[Tensor]], list[Tensor]]]] = {
    "all_reduce": (differentiable.all_reduce, lambda xs: [sum(xs)] * RANKS),
    "reduce": (lambda x: differentiable.reduce(x, 0), lambda xs: [sum(xs)]),
    "broadcast": (lambda x: differentiable.broadcast(x, 0), lambda xs: [xs[0]] * RANKS),
    "all_gather": (lambda x: torch.cat(differentiable.all_gather(x)), lambda xs: [torch.cat(xs)] * RANKS),
    "gather": (lambda x: torch.cat(differentiable.gather(x, 0)), lambda xs: [torch.cat(xs)]),
    "scatter": (lambda x: differentiable.scatter(parts(x), 0), lambda xs: parts(xs[0])),
    "reduce_scatter": (lambda x: differentiable.reduce_scatter(rooms()[0], parts(x)), lambda xs: parts(sum(xs))),
    "all_to_all": (
        lambda x: torch.cat(differentiable.all_to_all(rooms(), parts(x))),
        lambda xs: [torch.cat([parts(x)[rank] for x in xs]) for rank in range(RANKS)],
    ),
    "all_to_all_single": (
        lambda x: differentiable.all_to_all_single(torch.empty_like(x), x),
        lambda xs: [torch.cat([parts(x)[rank] for x in xs]) for rank in range(RANKS)],
    ),
}


def weighted(rank: int, result: Tensor) -> Tensor:
    """What a rank makes of its result."""
    weights = torch.arange(1.0, result.numel() + 1, dtype=torch.float64) * (rank + 1)
    return (weights * result.sin()).sum()


def inputs() -> list[Tensor]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(COUNT, dtype=torch.float64, generator=generator).requires_grad_() for _ in range(RANKS)]


def differentiated(rank: int) -> list[str]:
    """Whose result or gradient is wrong."""
    wrong = []
    for name, (function, of_all) in FUNCTIONS.items():
        alone, own = inputs(), inputs()[rank]
        expected = of_all(alone)
        sum(weighted(r, result) for r, result in enumerate(expected)).backward()
        result = function(own)
        counts = rank < len(expected)
        (weighted(rank, result) if counts else 0 * result.sum()).backward()
        gradient = alone[rank].grad if alone[rank].grad is not None else torch.zeros(COUNT, dtype=torch.float64)
        if counts and not torch.equal(result, expected[rank]):
            wrong.append(f"{name}: {result} is not {expected[rank]}")
        if not torch.allclose(own.grad, gradient):
            wrong.append(f"{name}: the gradient {own.grad} is not {gradient}")
    return wrong


def trained_alone(rank: int) -> float:
    """How far DDP with one rank ends from the same training without it."""
    torch.manual_seed(4)
    plain = nn.Linear(2, 2)
    wrapped = DistributedDataParallel(copy.deepcopy(plain))
    batch = torch.randn(30, 2)
    for model in (plain, wrapped):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
        for _ in range(10):
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
    return furthest(wrapped.parameters(), plain.parameters())


class AutogradTest(unittest.TestCase):
    def test_should_carry_gradients_through_collectives(self) -> None:
        self.assertEqual([[]] * RANKS, run(differentiated, RANKS))

    def test_should_train_alone_as_without(self) -> None:
        self.assertEqual([0.0], run(trained_alone, 1))


if __name__ == "__main__":
    unittest.main()
