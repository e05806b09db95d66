# SPDX-License-Identifier: Apache-2.0
"""Tensors as the store has them: its element types, and its memory as tensors of torch."""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

HUGE_PAGE = 2 << 20
LARGE_BYTES = 8 << 20
MADV_HUGEPAGE = 14

_libc = ctypes.CDLL(None)

# tombolo_type, by torch's name
TYPES = {
    torch.int8: 0,
    torch.uint8: 1,
    torch.int16: 2,
    torch.uint16: 3,
    torch.int32: 4,
    torch.uint32: 5,
    torch.int64: 6,
    torch.uint64: 7,
    torch.float16: 8,
    torch.bfloat16: 9,
    torch.float32: 10,
    torch.float64: 11,
    torch.bool: 12,
    torch.float8_e4m3fn: 13,
    torch.float8_e5m2: 14,
}
DTYPES = {code: dtype for dtype, code in TYPES.items()}


def type_code(name: str, dtype: torch.dtype) -> int:
    """The store's number of a type; TypeError if it has none."""
    if dtype not in TYPES:
        raise TypeError(f"'{name}' is {dtype}, which the store does not have; put a view of another type, and its name")
    return TYPES[dtype]


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether its bytes lie in host memory as the store keeps them: row-major, without gaps."""
    return tensor.device.type == "cpu" and tensor.is_contiguous() and not tensor.is_neg()


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself if it is plain, else a copy that is."""
    return tensor if is_plain(tensor) else tensor.cpu().resolve_neg().contiguous()


def fresh(shape: Sequence[int], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """A new tensor that will be written whole. Large ones ask the system for huge pages, as each page that is touched
    first costs about as much as filling it."""
    tensor = torch.empty(tuple(shape), dtype=dtype, device=device)
    size = tensor.numel() * tensor.element_size()
    if device.type == "cpu" and size >= LARGE_BYTES:
        begin = -(-tensor.data_ptr() // HUGE_PAGE) * HUGE_PAGE
        end = (tensor.data_ptr() + size) // HUGE_PAGE * HUGE_PAGE
        _libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(max(0, end - begin)), MADV_HUGEPAGE)  # advice: may fail
    return tensor


def at(address: int, dtype: torch.dtype, shape: Sequence[int]) -> torch.Tensor:
    """Memory at an address as a tensor, which must not be used once the memory is gone."""
    size = math.prod(shape) * dtype.itemsize
    if size == 0:
        return torch.empty(tuple(shape), dtype=dtype)
    memory = (ctypes.c_uint8 * size).from_address(address)
    return torch.frombuffer(memory, dtype=torch.uint8).view(dtype).view(tuple(shape))


def of(value: bytes) -> torch.Tensor:
    """Bytes, at least one, as a tensor that must not be written to: they stay for as long as it, or a view of it, is in
    use."""
    address = ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value
    memory: Any = (ctypes.c_uint8 * len(value)).from_address(address or 0)
    memory.kept = value  # torch keeps `memory`
    return torch.frombuffer(memory, dtype=torch.uint8)


def lent(address: int, size: int, given_back: Callable[[], None]) -> torch.Tensor:
    """Bytes at an address, at least one, as a tensor. `given_back` is called when neither it nor a view of it is in use
    any more, by whoever was the last."""
    memory = (ctypes.c_uint8 * size).from_address(address)
    weakref.finalize(memory, given_back).atexit = False
    return torch.frombuffer(memory, dtype=torch.uint8)
