# SPDX-License-Identifier: Apache-2.0
"""Every operation leaves what it should, beside Gloo and beside an oracle: an all_reduce by each operator of each type, and
random calls."""

from __future__ import annotations

import os
import random
import unittest
from collections import Counter
from dataclasses import replace
from enum import Enum, auto

import torch
import torch.distributed as dist

from calls import Call
from cases import FLOATS, REDUCING, Case, draw, each_operator, gloo_has
from oracle import Order
from ranks import oneccl_is_here, run

CASES = int(os.environ.get("TOMBOLO_CASES", "200"))
SEED = int(os.environ.get("TOMBOLO_SEED", random.randrange(1 << 30)))
CERTAIN_BESIDE_GLOO = 92  # of those that are not drawn, also with three ranks, of which Gloo adds floats in another order


class Likeness(Enum):
    """When elements are the same."""

    BITS = auto()  # what has been moved
    NUMBERS = auto()  # any NaN is like any other
    EXTREMES = auto()  # of a vendor's library: it may take a number for more than a NaN, and -0 for as much as 0


def differing(got: list[torch.Tensor], expected: list[torch.Tensor], likeness: Likeness = Likeness.NUMBERS) -> bool:
    return len(got) != len(expected) or not all(same(g, e, likeness) for g, e in zip(got, expected))


def same(got: torch.Tensor, expected: torch.Tensor, likeness: Likeness) -> bool:
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return False
    if got.dtype.is_complex:
        return same(torch.view_as_real(got), torch.view_as_real(expected), likeness)
    got, expected = (tensor.cpu().clone(memory_format=torch.contiguous_format).view(-1) for tensor in (got, expected))
    bytes_of = [tensor.view(torch.uint8).view(-1, tensor.dtype.itemsize) for tensor in (got, expected)]
    equal = (bytes_of[0] == bytes_of[1]).all(1)
    if got.dtype.is_floating_point and likeness != Likeness.BITS:
        got, expected = got.to(torch.float64), expected.to(torch.float64)
        equal |= expected.isnan() & got.isnan()
        if likeness == Likeness.EXTREMES:
            equal |= expected.isnan() | (got == expected)
    return bool(equal.all())


def likeness_of(case: Case, vendors: list[str]) -> Likeness:
    if case.operation not in REDUCING:
        return Likeness.BITS
    return Likeness.EXTREMES if case.op in ("MIN", "MAX") and set(vendors) != {"host"} else Likeness.NUMBERS


def orders_of(vendors: list[str]) -> list[Order]:
    """By clusters; where a library lacks what a call needs, it is rank by rank. oneCCL's bf16 is the processor's where that has
    it (AVX-512 BF16 has no subnormals), and is cut off where there is no AVX-512."""
    clusters = [[rank for rank, each in enumerate(vendors) if each == vendor] for vendor in dict.fromkeys(vendors)]
    return [Order(clusters), Order(clusters, flushing=True), Order(clusters, truncating=True)]


def of_gloo(call: Call) -> list[torch.Tensor] | None:
    """What Gloo leaves; None if it does not have this operation for this type, which it says before it starts."""
    try:
        return call.make()[0]
    except RuntimeError as error:
        if "Invalid scalar type" in str(error) or "gloo does not support" in str(error):  # the latter in torch 2.11
            return None
        raise


def is_as_gloos(case: Case, members: int, vendors: list[str]) -> bool:
    """Of floats, Gloo adds those of more than two ranks in another order, and makes something else of a NaN; of bf16 it has
    subnormals, which oneCCL may lack."""
    if not gloo_has(case):
        return False
    if case.full_range and case.operation in REDUCING and case.dtype == torch.bfloat16 and "intel" in vendors:
        return False
    is_exact = case.operation not in REDUCING or not (case.dtype.is_floating_point or case.dtype.is_complex)
    return not case.full_range or is_exact or (members == 2 and case.op in ("SUM", "PRODUCT", "AVG"))


def make_calls(rank: int, seed: int, count: int, vendors: list[str]) -> tuple[list[str], Counter[str]]:
    """What is wrong, and how many calls Gloo has made, too, by their operators; those that only move, by their names."""
    size = dist.get_world_size()
    beside = dist.new_group(backend="gloo")
    part = list(range(size - 1)) if size > 2 else [0, 1]
    subgroup, subgroup_beside = dist.new_group(part), dist.new_group(part, backend="gloo")
    wrong: list[str] = []
    beside_gloo: Counter[str] = Counter()
    for case in [*each_operator(count), *draw(seed, count, size, full_range=True)]:
        if case.subgroup and rank not in part:
            continue
        ours, gloo = (subgroup, subgroup_beside) if case.subgroup else (dist.group.WORLD, beside)
        members = len(part) if case.subgroup else size
        likeness = likeness_of(case, vendors)
        call = Call(case, seed, dist.get_rank(ours), members, ours, orders=orders_of(vendors[:members]))
        got, expected = call.make()
        if differing(*call.only_read(), Likeness.BITS):
            wrong.append(f"{case}: {call.only_read()[0]} was {call.only_read()[1]}")
        if all(differing(got, each, likeness) for each in (expected, *call.combinations)):
            wrong.append(f"{case}: {got} is not {expected}")
        if is_as_gloos(case, members, vendors):
            plain = replace(case, layout="plain") if case.layout in ("transposed", "strided") else case
            theirs = of_gloo(Call(plain, seed, dist.get_rank(gloo), members, gloo))
            beside_gloo[case.op if case.operation in REDUCING else case.operation] += theirs is not None
            if theirs is not None and differing(got, theirs, likeness):
                wrong.append(f"{case}: {got}, but with Gloo {theirs}")
    return wrong, beside_gloo


class ValuesTest(unittest.TestCase):
    def should_agree(self, vendors: list[str], **everywhere: str) -> None:
        print(f"seed {SEED}: TOMBOLO_SEED={SEED} repeats it", flush=True)
        variables = [{"TOMBOLO_VENDOR": vendor, **everywhere} for vendor in vendors]
        answers = run(make_calls, len(vendors), SEED, CASES, vendors, variables=variables, timeout=400)
        for rank, (wrong, beside_gloo) in enumerate(answers):
            self.assertEqual([], wrong[:3], f"rank {rank}: {len(wrong)} calls of {CASES} and the certain ones, seed {SEED}")
            self.assertGreaterEqual(beside_gloo.total(), CERTAIN_BESIDE_GLOO + CASES // 10, f"rank {rank}, seed {SEED}")
            self.assertGreaterEqual(beside_gloo["AVG"], len(FLOATS), f"rank {rank}, seed {SEED}")

    def test_should_agree_with_gloo_and_the_oracle_on_two_ranks(self) -> None:
        self.should_agree(["host"] * 2)

    def test_should_agree_with_gloo_and_the_oracle_on_three_ranks(self) -> None:
        self.should_agree(["host"] * 3)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_agree_with_gloo_and_the_oracle_over_oneccl(self) -> None:
        self.should_agree(["intel"] * 2)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_agree_with_gloo_and_the_oracle_inside_oneccl(self) -> None:
        self.should_agree(["intel"] * 2, TOMBOLO_KEEP_CALLERS="1")

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_agree_with_gloo_and_the_oracle_over_two_vendors(self) -> None:
        self.should_agree(["intel", "host", "intel"])


if __name__ == "__main__":
    unittest.main()
