# SPDX-License-Identifier: Apache-2.0
"""Calls for the comparison with Gloo and with an oracle: one by each operator of each type, and random ones, the same on all
ranks from one seed."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import torch
import torch.distributed as dist

INTEGERS = [
    torch.int8, torch.uint8, torch.int16, torch.uint16, torch.int32, torch.uint32, torch.int64, torch.uint64,
]  # fmt: skip
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
SMALL_FLOATS = [torch.float8_e4m3fn, torch.float8_e5m2]
COMPLEX = [torch.complex32, torch.complex64, torch.complex128]
TYPES = [*INTEGERS, *FLOATS, *SMALL_FLOATS, *COMPLEX, torch.bool]

GLOO_TYPES = {
    torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
    torch.float64, torch.complex64, torch.complex128,
}  # fmt: skip

ARITHMETIC = ["SUM", "PRODUCT", "MIN", "MAX"]
SCALING = ["AVG", "PREMUL_SUM"]
FACTORS = [2, -3]  # of PREMUL_SUM
BITWISE = ["BAND", "BOR", "BXOR"]

COALESCED = ["all_gather_into_tensor_coalesced", "reduce_scatter_tensor_coalesced"]  # beside the oracle alone

LAYOUTS = ["plain", "plain", "transposed", "strided", "offset", "empty", "scalar"]

REDUCING = [
    "all_reduce", "reduce", "reduce_scatter", "reduce_scatter_tensor", "all_reduce_coalesced",
    "reduce_scatter_tensor_coalesced",
]  # fmt: skip
MOVING = [
    "broadcast", "all_gather", "all_gather_into_tensor", "all_gather_into_tensor_coalesced", "all_to_all_single",
    "all_to_all", "gather", "scatter", "send_recv", *(["gather_single"] if hasattr(dist, "gather_single") else []),
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One call; what is drawn but not used by its operation does no harm."""

    number: int
    operation: str
    dtype: torch.dtype
    op: str
    factor: float
    shape: tuple[int, ...]
    layout: str
    root: int
    uneven: bool
    asynchronous: bool
    subgroup: bool
    full_range: bool


def operators(dtype: torch.dtype) -> list[str]:
    """What has a meaning for elements of this type."""
    if dtype.is_complex:
        return ["SUM", *SCALING]
    if dtype.is_floating_point:
        return ARITHMETIC + SCALING
    if dtype == torch.bool:
        return ARITHMETIC + BITWISE
    return ARITHMETIC + SCALING + BITWISE


def factors(dtype: torch.dtype) -> list[float]:
    return [*FACTORS, 0.1] if dtype.is_floating_point or dtype.is_complex else FACTORS


def each_operator(first: int) -> list[Case]:
    """An all_reduce by each operator of each type, of small numbers, and of all that the type can hold."""
    cases = []
    for dtype in TYPES:
        for op in operators(dtype):
            for full_range, factor in ((False, 2), (True, factors(dtype)[-1])):
                case = Case(
                    first + len(cases), "all_reduce", dtype, op, factor, shape=(17, 5), layout="plain", root=0,
                    uneven=False, asynchronous=False, subgroup=False, full_range=full_range,
                )  # fmt: skip
                cases.append(case)
    return cases


def draw(seed: int, count: int, size: int, full_range: bool = False) -> list[Case]:
    """`count` cases for `size` ranks; with `full_range`, two thirds have all that their types can hold."""
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
                dice.choice(factors(dtype)) if full_range else 2,
                (dice.choice([1, 2, 3, 8, 17, 1000]), dice.choice([1, 2, 5, 64])),
                layout,
                dice.randrange(size),
                dice.random() < 0.5,
                dice.random() < 0.5,
                dice.random() < 0.3,
                full_range and dice.random() < 0.67,
            )
        )
    return cases


def values(case: Case, seed: int, rank: int, shape: tuple[int, ...], salt: int = 0) -> torch.Tensor:
    """What `rank` gives: anything, or small whole numbers, of which every type holds every sum and product of up to four."""
    generator = torch.Generator().manual_seed(hash((seed, case.number, rank, salt)) & 0x7FFFFFFF)
    if case.full_range and case.dtype != torch.bool:
        if case.dtype.is_complex:
            return torch.view_as_complex(anything(case.dtype.to_real(), (*shape, 2), generator))
        return anything(case.dtype, shape, generator)
    low = 0 if case.dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.bool) else -2
    whole = torch.randint(low, 2 if case.dtype == torch.bool else 3, shape, generator=generator)
    return whole.to(case.dtype)


def anything(dtype: torch.dtype, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    """A third is random bits, a third at the type's limits, and a third, of floats, such that sums must be rounded."""
    count = math.prod(shape)
    bits = torch.randint(0, 256, (count * dtype.itemsize,), dtype=torch.uint8, generator=generator).view(dtype)
    limits = limits_of(dtype)
    at_limits = limits.view(torch.uint8).view(len(limits), -1)[torch.randint(len(limits), (count,), generator=generator)]
    thirds = [bits, at_limits.reshape(-1).view(dtype)]
    if dtype.is_floating_point:
        scale = 2.0 ** torch.randint(-4, 4, (count,), generator=generator)
        thirds.append((torch.randn(count, generator=generator, dtype=torch.float64) * scale).to(dtype))
    chosen = torch.randint(len(thirds), (count,), generator=generator)
    bytes_of = torch.stack([third.view(torch.uint8).view(count, dtype.itemsize) for third in thirds])
    return bytes_of[chosen, torch.arange(count)].reshape(-1).view(dtype).reshape(shape)


def limits_of(dtype: torch.dtype) -> torch.Tensor:
    """Where what holds elsewhere may end."""
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        whole = [0, 1, 2, info.max, info.max - 1, info.max // 2, info.max // 2 + 1, info.min, info.min + 1]
        return torch.tensor([*whole, -1, info.min // 2] if info.min < 0 else whole, dtype=dtype)
    info = torch.finfo(dtype)
    subnormal = info.smallest_normal * info.eps
    finite = [0, 1, info.max, info.max / 2, info.smallest_normal, info.smallest_normal - subnormal, subnormal]
    special = [math.inf, math.nan] if dtype != torch.float8_e4m3fn else [math.nan]
    positive = torch.tensor([*finite, *special], dtype=torch.float64)
    return torch.cat([positive, -positive]).to(dtype)


def laid_out(plain: torch.Tensor, layout: str) -> torch.Tensor:
    """The same elements in memory of another layout."""
    if layout == "transposed" and plain.dim() == 2:
        return plain.t().clone(memory_format=torch.contiguous_format).t()  # not the same memory, though it be one column
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


def gloo_has(case: Case) -> bool:
    """Whether Gloo offers the call at all."""
    if case.dtype not in GLOO_TYPES:
        return False
    if case.operation in ("gather_single", *COALESCED) or (case.operation in ("all_gather", "all_to_all") and case.uneven):
        return False
    if case.operation in REDUCING and case.op in SCALING:
        return case.op == "AVG" and case.dtype.is_floating_point  # of integers it fails, and PREMUL_SUM it has not
    return not (case.operation in REDUCING and case.dtype.is_floating_point and case.op in BITWISE)


def reduce_op(case: Case) -> dist.ReduceOp.RedOpType | dist.ReduceOp:
    """Of a call. Every other factor is a tensor's."""
    if case.op != "PREMUL_SUM":
        return getattr(dist.ReduceOp, case.op)
    number = float(case.factor)
    return dist._make_nccl_premul_sum(torch.tensor(number, dtype=torch.float64) if case.number % 2 else number)
