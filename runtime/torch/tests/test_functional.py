# SPDX-License-Identifier: Apache-2.0
"""Functional collectives, eagerly and compiled; TOMBOLO_DEEP=1 has inductor compile them, too."""

from __future__ import annotations

import unittest
from collections.abc import Callable

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional

from ranks import COMPILE_SECONDS, compilers, mixed, preload, run

preload("torch._dynamo")

# What each of two ranks gets from functional_collectives and more_functional_collectives.
FIRST, SECOND, SUM = [0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 5.0, 7.0]
RESULTS = [[SUM, FIRST + SECOND, SUM[:2]], [SUM, FIRST + SECOND, SUM[2:]]]
COALESCED = [SECOND, [2.0, 4.0, 6.0, 8.0], FIRST + SECOND]
MORE_RESULTS = [
    [FIRST, SECOND, [0.0, 1.0, 2.0], *COALESCED, [1.0, 3.0]],
    [FIRST, FIRST, [1.0, 2.0, 3.0, 3.0, 4.0], *COALESCED, [5.0, 7.0]],
]


def each_way(step: Callable[[torch.Tensor], tuple[torch.Tensor, ...]], x: torch.Tensor) -> list[list[float]]:
    """What a step makes: the same eagerly and by each compiler."""
    eager = [part.tolist() for part in step(x)]
    for compiler in compilers() if x.is_cpu else ["aot_eager"]:
        compiled = [part.tolist() for part in torch.compile(step, backend=compiler, fullgraph=True)(x)]
        assert eager == compiled, (compiler, eager, compiled)
    return eager


def functional_collectives(rank: int, device: str = "cpu") -> list[list[float]]:
    group = dist.group.WORLD

    def step(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return (
            functional.all_reduce(x, "sum", group),
            functional.all_gather_tensor(x, 0, group),
            functional.reduce_scatter_tensor(x, "sum", 0, group),
        )

    return each_way(step, (torch.arange(4.0) + rank).to(device))


def more_functional_collectives(rank: int, device: str = "cpu") -> list[list[float]]:
    group = dist.group.WORLD
    sent, received = ([1, 3], [1, 2]) if rank == 0 else ([2, 2], [3, 2])

    def step(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            functional.broadcast(x, 0, group),
            functional.permute_tensor(x, [1, 0], group),
            functional.all_to_all_single(x, received, sent, group),
            *functional.all_reduce_coalesced([x, 2 * x], "max", group),
            *functional.all_gather_into_tensor_coalesced([x], group),
            *functional.reduce_scatter_tensor_coalesced([x], "sum", [0], group),
        )

    return each_way(step, (torch.arange(4.0) + rank).to(device))


class FunctionalTest(unittest.TestCase):
    def test_should_serve_functional_collectives_under_torch_compile(self) -> None:
        self.assertEqual(RESULTS, run(functional_collectives, 2, variables=mixed(2), timeout=COMPILE_SECONDS))

    def test_should_serve_all_functional_collectives_that_move_or_are_coalesced(self) -> None:
        self.assertEqual(MORE_RESULTS, run(more_functional_collectives, 2, timeout=COMPILE_SECONDS))


if __name__ == "__main__":
    unittest.main()
