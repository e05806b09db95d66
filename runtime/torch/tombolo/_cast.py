# SPDX-License-Identifier: Apache-2.0
"""Tensors made narrower on their way, where they are: by torch on a device, as all of Tombolo does it on the host, and
straight into the memory that is read from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial

import torch

from tombolo import _memory, _volume

SCALE = ".scale"
NARROW = (torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)


@dataclass(frozen=True)
class Cast:
    """How wider floating-point tensors are narrowed before they move; all others stay as they are. Values round to the
    nearest, halves to even, as by torch's `to`: what is too large becomes infinity, or in e4m3, which has none, NaN (on a
    device what torch's version has it).

    With `scaled`, each is divided by a scale first, so that its largest finite magnitude becomes the largest number of
    `dtype`; the scale is stored beside it, as an f32 named NAME.scale. `scales` gives those that are known already, which
    is a must for tensors that this process has only a part of: the same in all of them."""

    dtype: torch.dtype
    scaled: bool = False
    scales: Mapping[str, float] = field(default_factory=dict)

    def applies_to(self, value: torch.Tensor) -> bool:
        """Whether it makes the tensor narrower."""
        return value.dtype.is_floating_point and value.dtype.itemsize > self.dtype.itemsize

    def scale_of(self, name: str, value: torch.Tensor, is_whole: bool) -> Callable[[], float] | None:
        """What a tensor is divided by; None if by nothing. To find it reads all of the tensor, where that is, when it is
        first asked for."""
        if name in self.scales:
            known = self.scales[name]
            return lambda: known
        if not self.scaled:
            return None
        if not is_whole:
            raise ValueError(f"'{name}' is a part of a tensor, whose scale must be in `scales`: the same for all its parts")
        return cache(partial(_found_scale, value, self.dtype))


def _found_scale(value: torch.Tensor, dtype: torch.dtype) -> float:
    magnitudes = value.detach().abs()
    largest = magnitudes.where(magnitudes.isfinite(), 0).max().item() if value.numel() else 0.0
    scale = largest / torch.finfo(dtype).max
    return scale if scale >= torch.finfo(torch.float32).tiny and math.isfinite(scale) else 1.0


def narrowed(value: torch.Tensor, scale: float | None, target: torch.Tensor) -> None:
    """Copies a tensor of host memory, divided by its scale, into another there, row-major and perhaps of a narrower type."""
    narrows = value.is_floating_point() and target.dtype in NARROW and value.dtype != target.dtype
    if narrows and _memory.is_plain(value) and value.numel():
        source = (_memory.TYPES[value.dtype], value.data_ptr(), value.numel())
        _volume.call("tombolo_narrow", *source, 1.0 if scale is None else scale, _memory.TYPES[target.dtype], target.data_ptr())
    else:
        target.copy_(_divided(value, scale))


def narrowed_there(value: torch.Tensor, scale: float | None, dtype: torch.dtype) -> torch.Tensor:
    """The same on its own device, row-major: what then moves is narrow, and has the bytes that it will have."""
    return _divided(value, scale).to(dtype).resolve_neg().contiguous()


def _divided(value: torch.Tensor, scale: float | None) -> torch.Tensor:
    """On its device."""
    if scale is None:
        return value
    wide = torch.float64 if value.dtype == torch.float64 else torch.float32
    return value.to(wide) / torch.tensor(scale, dtype=torch.float32)
