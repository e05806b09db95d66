# SPDX-License-Identifier: Apache-2.0
"""Every operation leaves what it should, beside Gloo and beside an oracle, over random calls."""

from __future__ import annotations

import os
import random
import unittest
from dataclasses import replace

import torch
import torch.distributed as dist

from calls import Call
from cases import draw, gloo_has
from ranks import run

CASES = int(os.environ.get("TOMBOLO_CASES", "200"))
SEED = int(os.environ.get("TOMBOLO_SEED", random.randrange(1 << 30)))


def differing(got: list[torch.Tensor], expected: list[torch.Tensor]) -> bool:
    if len(got) != len(expected):
        return True
    return any(g.shape != e.shape or not torch.equal(comparable(g), comparable(e)) for g, e in zip(got, expected))


def comparable(tensor: torch.Tensor) -> torch.Tensor:
    """On the CPU, in a type that torch can compare."""
    tensor = tensor.cpu()
    if tensor.dtype.is_complex:
        return tensor
    return tensor.to(torch.float64 if tensor.dtype.is_floating_point else torch.int64)


def of_gloo(call: Call) -> list[torch.Tensor] | None:
    """What Gloo leaves; None if it does not have this operation for this type, which it says before it starts."""
    try:
        return call.make()[0]
    except RuntimeError as error:
        if "Invalid scalar type" in str(error) or "gloo does not support" in str(error):  # the latter in torch 2.11
            return None
        raise


def make_random_calls(rank: int, seed: int, count: int) -> list[str]:
    size = dist.get_world_size()
    beside = dist.new_group(backend="gloo")
    part = list(range(size - 1)) if size > 2 else [0, 1]
    subgroup, subgroup_beside = dist.new_group(part), dist.new_group(part, backend="gloo")
    wrong = []
    for case in draw(seed, count, size):
        if case.subgroup and rank not in part:
            continue
        ours, gloo = (subgroup, subgroup_beside) if case.subgroup else (dist.group.WORLD, beside)
        members = len(part) if case.subgroup else size
        call = Call(case, seed, dist.get_rank(ours), members, ours)
        got, expected = call.make()
        for found, wanted in ((got, expected), call.only_read()):
            if differing(found, wanted):
                wrong.append(f"{case}: {found} is not {wanted}")
        if gloo_has(case):
            plain = replace(case, layout="plain") if case.layout in ("transposed", "strided") else case
            theirs = of_gloo(Call(plain, seed, dist.get_rank(gloo), members, gloo))
            if theirs is not None and differing(got, theirs):
                wrong.append(f"{case}: {got}, but with Gloo {theirs}")
    return wrong


class ValuesTest(unittest.TestCase):
    def should_agree(self, size: int, vendors: list[str]) -> None:
        print(f"seed {SEED}: TOMBOLO_SEED={SEED} repeats it", flush=True)
        answers = run(
            make_random_calls, size, SEED, CASES, variables=[{"TOMBOLO_VENDOR": v} for v in vendors], timeout=400
        )
        for rank, wrong in enumerate(answers):
            self.assertEqual([], wrong[:3], f"rank {rank}: {len(wrong)} of {CASES} calls, seed {SEED}")

    def test_should_agree_with_gloo_and_the_oracle_on_two_ranks(self) -> None:
        self.should_agree(2, ["host"] * 2)

    def test_should_agree_with_gloo_and_the_oracle_on_three_ranks(self) -> None:
        self.should_agree(3, ["host"] * 3)


if __name__ == "__main__":
    unittest.main()
