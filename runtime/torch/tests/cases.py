# SPDX-License-Identifier: Apache-2.0
"""Random calls for the comparison with Gloo and with an oracle: the same on all ranks, from one seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch
import torch.distributed as dist

INTEGERS = [
    torch.int8, torch.uint8, torch.int16, torch.uint16, torch.int32, torch.uint32, torch.int64, torch.uint64,
]  # fmt: skip
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
SMALL_FLOATS = [torch.float8_e4m3fn, torch.float8_e5m2]
COMPLEX = [torch.complex64, torch.complex128]
TYPES = [*INTEGERS, *FLOATS, *SMALL_FLOATS, *COMPLEX, torch.bool]

GLOO_TYPES = {
    torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
    torch.float64, torch.complex64, torch.complex128,
}  # fmt: skip

ARITHMETIC = ["SUM", "PRODUCT", "MIN", "MAX"]
SCALING = ["AVG", "PREMUL_SUM"]
FACTOR = 2  # of PREMUL_SUM
BITWISE = ["BAND", "BOR", "BXOR"]

LAYOUTS = ["plain", "plain", "transposed", "strided", "offset", "empty", "scalar"]

REDUCING = ["all_reduce", "reduce", "reduce_scatter", "reduce_scatter_tensor", "all_reduce_coalesced"]
MOVING = [
    "broadcast", "all_gather", "all_gather_into_tensor", "all_to_all_single", "all_to_all", "gather", "scatter",
    "send_recv",
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One call; what is drawn but not used by its operation does no harm."""

    number: int
    operation: str
    dtype: torch.dtype
    op: str
    shape: tuple[int, ...]
    layout: str
    root: int
    uneven: bool
    asynchronous: bool
    subgroup: bool


def operators(dtype: torch.dtype) -> list[str]:
    """What has a meaning for elements of this type."""
    if dtype.is_complex:
        return ["SUM", *SCALING]
    if dtype.is_floating_point:
        return ARITHMETIC + SCALING
    if dtype == torch.bool:
        return ARITHMETIC + BITWISE
    return ARITHMETIC + SCALING + BITWISE


def draw(seed: int, count: int, size: int) -> list[Case]:
    """`count` cases for `size` ranks."""
    dice = random.Random(seed)
    cases = []
    for number in range(count):
        dtype = dice.choice(TYPES)
        layout = dice.choice(LAYOUTS)
        cases.append(
            Case(
                number,
                dice.choice(REDUCING + MOVING),
                dtype,
                dice.choice(operators(dtype)),
                (dice.choice([1, 2, 3, 8, 17, 1000]), dice.choice([1, 2, 5, 64])),
                layout,
                dice.randrange(size),
                dice.random() < 0.5,
                dice.random() < 0.5,
                dice.random() < 0.3,
            )
        )
    return cases


def values(case: Case, seed: int, rank: int, shape: tuple[int, ...], salt: int = 0) -> torch.Tensor:
    """What `rank` gives: small whole numbers, so that every type holds every sum and product of up to four exactly."""
    generator = torch.Generator().manual_seed(hash((seed, case.number, rank, salt)) & 0x7FFFFFFF)
    low = 0 if case.dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.bool) else -2
    whole = torch.randint(low, 2 if case.dtype == torch.bool else 3, shape, generator=generator)
    return whole.to(case.dtype)


def laid_out(plain: torch.Tensor, layout: str) -> torch.Tensor:
    """The same elements in memory of another layout."""
    if layout == "transposed" and plain.dim() == 2:
        return plain.t().contiguous().t()
    if layout == "strided" and plain.dim() >= 1:
        wide = torch.empty((*plain.shape[:-1], plain.shape[-1] * 2), dtype=plain.dtype, device=plain.device)
        wide[..., ::2] = plain
        return wide[..., ::2]
    if layout == "offset":
        room = torch.empty(plain.numel() + 1, dtype=plain.dtype, device=plain.device)
        view = room[1:].view(plain.shape)
        view.copy_(plain)
        return view
    return plain.clone()


def shape_of(case: Case) -> tuple[int, ...]:
    """Of one rank's tensor."""
    if case.layout == "empty":
        return (0, case.shape[1])
    if case.layout == "scalar" and case.operation in ("all_reduce", "reduce", "broadcast", "send_recv"):
        return ()
    return case.shape


def combined(op: str, parts: list[torch.Tensor]) -> torch.Tensor:
    """The oracle: all parts combined in a type that holds every step, and rounded once."""
    dtype = parts[0].dtype
    wide = torch.complex128 if dtype.is_complex else torch.float64 if dtype.is_floating_point else torch.int64
    wide_parts = [part.to(wide) for part in parts]
    if op == "AVG":
        whole = sum(wide_parts)
        if dtype.is_complex:  # each part rounded once, which a division of complex numbers does not do
            return torch.view_as_complex(torch.view_as_real(whole) / len(parts)).to(dtype)
        exact = dtype.is_floating_point
        return (whole / len(parts) if exact else torch.div(whole, len(parts), rounding_mode="trunc")).to(dtype)
    if op == "PREMUL_SUM":
        return (FACTOR * sum(wide_parts)).to(dtype)
    result = wide_parts[0]
    for other in wide_parts[1:]:
        result = {
            "SUM": lambda a, b: a + b,
            "PRODUCT": lambda a, b: a * b,
            "MIN": torch.minimum,
            "MAX": torch.maximum,
            "BAND": torch.bitwise_and,
            "BOR": torch.bitwise_or,
            "BXOR": torch.bitwise_xor,
        }[op](result, other)
    return result.to(dtype)


def gloo_has(case: Case) -> bool:
    """Whether Gloo offers the call at all."""
    if case.dtype not in GLOO_TYPES:
        return False
    if case.operation in ("all_gather", "all_to_all") and case.uneven:
        return False
    if case.operation in REDUCING and case.op in SCALING:
        return False  # it has no PREMUL_SUM, and AVG of some types alone
    return not (case.operation in REDUCING and case.dtype.is_floating_point and case.op in BITWISE)


def reduce_op(op: str) -> dist.ReduceOp.RedOpType | dist.ReduceOp:
    return dist._make_nccl_premul_sum(float(FACTOR)) if op == "PREMUL_SUM" else getattr(dist.ReduceOp, op)
