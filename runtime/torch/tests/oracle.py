# SPDX-License-Identifier: Apache-2.0
"""What ranks' elements combine to: integers wrap, floats are rounded after each step, in the order of docs/algorithms.md.
Written with numpy, and for 8-bit floats with a table of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch

EIGHT_BITS = (torch.float8_e4m3fn, torch.float8_e5m2)
NARROW = (torch.float16, torch.bfloat16, *EIGHT_BITS)  # computed in f32, and rounded to these


@dataclass(frozen=True)
class Order:
    """How ranks combine: each cluster of them by itself, in this order, then the clusters."""

    clusters: Sequence[Sequence[int]]
    flushing: bool = False  # whether, inside clusters, bf16 that would be subnormal becomes zero
    truncating: bool = False  # whether, inside clusters, bf16 is not rounded, but cut off


def furthest(ours: Iterable[torch.Tensor], theirs: Iterable[torch.Tensor]) -> float:
    """The greatest distance of two elements; NaN if one is, which Python's max would lose."""
    return torch.stack([(a - b).detach().abs().max() for a, b in zip(ours, theirs, strict=True)]).max().item()


def combined(op: str, factor: float, parts: list[torch.Tensor], order: Order | None = None) -> torch.Tensor:
    """What `parts`, one of each rank, come to; by default rank by rank."""
    dtype = parts[0].dtype
    if dtype.is_complex:
        reals = combined(op, factor, [torch.view_as_real(part) for part in parts], order)
        return torch.view_as_complex(reals.clone(memory_format=torch.contiguous_format))
    given = [wide(part) for part in parts]
    with np.errstate(all="ignore"):
        if op == "PREMUL_SUM":
            given = [rounded(part * scalar(factor, part.dtype), dtype) for part in given]
        whole = None
        for cluster in order.clusters if order else [range(len(parts))]:
            of_cluster = given[cluster[0]]
            for rank in cluster[1:]:
                of_cluster = step(op, of_cluster, given[rank])
                if order and dtype == torch.bfloat16:
                    of_cluster = flushed(of_cluster) if order.flushing else of_cluster
                    of_cluster = truncated(of_cluster) if order.truncating else of_cluster
                of_cluster = rounded(of_cluster, dtype)
            whole = of_cluster if whole is None else rounded(step(op, whole, of_cluster), dtype)
        if op == "AVG":
            whole = rounded(quotient(whole, len(parts)), dtype)
    return narrow(whole, dtype)


def step(op: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype == bool:
        return {
            "SUM": np.logical_or, "MAX": np.logical_or, "BOR": np.logical_or, "PRODUCT": np.logical_and,
            "MIN": np.logical_and, "BAND": np.logical_and, "BXOR": np.logical_xor,
        }[op](a, b)  # fmt: skip
    if op in ("MIN", "MAX") and a.dtype.kind == "f":
        return extreme(op, a, b)
    return {
        "SUM": np.add, "AVG": np.add, "PREMUL_SUM": np.add, "PRODUCT": np.multiply, "MIN": np.minimum, "MAX": np.maximum,
        "BAND": np.bitwise_and, "BOR": np.bitwise_or, "BXOR": np.bitwise_xor,
    }[op](a, b)  # fmt: skip


def extreme(op: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """NaN if either is; and -0 is less than 0."""
    first = np.signbit(a) if op == "MIN" else ~np.signbit(a)
    equal = np.where(first, a, b)
    least = np.minimum(a, b) if op == "MIN" else np.maximum(a, b)
    return np.where(a == b, equal, least)


def flushed(exact: np.ndarray) -> np.ndarray:
    return np.where(np.abs(exact) < np.finfo(np.float32).smallest_normal, np.copysign(np.float32(0), exact), exact)


def truncated(exact: np.ndarray) -> np.ndarray:
    """To bf16, towards 0; a NaN stays one."""
    cut = (exact.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(exact), exact, cut)


def quotient(whole: np.ndarray, ranks: int) -> np.ndarray:
    """Of integers, truncated."""
    if whole.dtype.kind == "f":
        return whole / whole.dtype.type(ranks)
    by = whole.dtype.type(ranks)
    return whole // by + ((whole < 0) & (whole % by != 0)).astype(whole.dtype)


def scalar(factor: float, dtype: np.dtype) -> np.generic:
    return dtype.type(factor) if dtype.kind == "f" else np.array(int(factor), np.int64).astype(dtype)[()]


def wide(part: torch.Tensor) -> np.ndarray:
    """What its elements are computed in."""
    return (part.to(torch.float32) if part.dtype in NARROW else part).numpy()


def rounded(exact: np.ndarray, dtype: torch.dtype) -> np.ndarray:
    """As it is between two steps."""
    return wide(narrow(exact, dtype)) if dtype in NARROW else exact


def narrow(exact: np.ndarray, dtype: torch.dtype) -> torch.Tensor:
    if dtype in EIGHT_BITS:
        return small_float(exact, dtype)
    return torch.from_numpy(np.asarray(exact)).to(dtype)


@cache
def small_floats(dtype: torch.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Those that are finite and not negative, ascending; and what lies halfway to the next one, the last to what would come."""
    values = torch.arange(128, dtype=torch.uint8).view(dtype).to(torch.float64).numpy()
    finite = values[np.isfinite(values)]
    step_above = finite[-1] - finite[-2]
    return finite, (finite + np.append(finite[1:], finite[-1] + step_above)) / 2


def small_float(exact: np.ndarray, dtype: torch.dtype) -> torch.Tensor:
    """The nearest, the even one of two; what is too large is infinity, or NaN where there is none."""
    finite, halfway = small_floats(dtype)
    magnitude = np.abs(exact).astype(np.float64)
    above, tie = np.searchsorted(halfway, magnitude, "left"), np.searchsorted(halfway, magnitude, "right")
    code = np.where((above != tie) & (above % 2 == 1), tie, above)  # a tie goes up from an odd one
    code = np.minimum(code, len(finite))  # e5m2: infinity comes after the last; e4m3: NaN does
    code = np.where(np.isnan(exact), 0x7F, code).astype(np.uint8)
    return torch.from_numpy(np.asarray(code | np.where(np.signbit(exact), 0x80, 0).astype(np.uint8))).view(dtype)
