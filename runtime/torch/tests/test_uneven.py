# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors that differ in size: an operation takes them, or refuses them on the one rank that has them."""

from __future__ import annotations

import unittest

import torch
import torch.distributed as dist

from calls import Call
from cases import Case
from ranks import mixed, run
from test_values import differing

TAKEN = ["all_gather", "reduce_scatter", "all_to_all", "all_to_all_single"]


def call_with_uneven_parts(rank: int) -> list[str]:
    """What is not as it should be."""
    wrong = []
    for number, operation in enumerate(TAKEN):
        case = Case(
            number, operation, torch.int32, "SUM", factor=2, shape=(3, 2), layout="plain", root=0, uneven=True,
            asynchronous=False, subgroup=False, full_range=False,
        )  # fmt: skip
        got, expected = Call(case, 1, rank, dist.get_world_size(), dist.group.WORLD).make()
        if differing(got, expected):
            wrong.append(f"{operation}: {got} is not {expected}")
    return wrong


def refused_at_the_root(rank: int) -> list[str]:
    """The errors, of each rank as the root of its own calls, which nobody else makes."""
    uneven = [torch.ones(2), torch.ones(3)]
    errors = []
    for call, arguments in ((dist.gather, (torch.ones(2), uneven, rank)), (dist.scatter, (torch.ones(2), uneven, rank))):
        try:
            call(*arguments)
            errors.append("")
        except ValueError as error:
            errors.append(str(error).partition("\n")[0])
    tensor = torch.ones(1)
    dist.all_reduce(tensor)  # the group has not failed
    return [*errors, str(tensor.item())]


class UnevenTest(unittest.TestCase):
    def test_should_take_lists_of_uneven_tensors(self) -> None:
        self.assertEqual([[]] * 3, run(call_with_uneven_parts, 3, variables=mixed(3)))

    def test_should_refuse_lists_of_uneven_tensors_where_one_rank_has_them(self) -> None:
        refused = [
            "gather: a tensor of 2 elements does not fit one of 3",
            "scatter: a tensor of 3 elements does not fit one of 2",
        ]
        self.assertEqual([[*refused, "2.0"]] * 2, run(refused_at_the_root, 2))


if __name__ == "__main__":
    unittest.main()
