# SPDX-License-Identifier: Apache-2.0
"""tombolo_volume.h in Python: its structures, its functions, and its errors as exceptions."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from functools import lru_cache
from pathlib import Path
from typing import Any

OVER_CONNECTION = 1
HOST_ORDER = 4
MAX_DIMENSIONS = 64
MAX_READS = 1 << 16  # of one call
DEADLINE = 6  # of tombolo_status
PEER_FAILED = "TOMBOLO_PEER_FAILED"  # its name


class StoreError(RuntimeError):
    """A call of the store failed; `status` is the name of its tombolo_status, such as "TOMBOLO_RESOURCE"."""

    def __init__(self, status: str, text: str) -> None:
        super().__init__(text)
        self.status = status


class StoreTimeoutError(StoreError, TimeoutError):
    """What was waited for did not come in time."""


class Config(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("address", c_char_p),
        ("token", c_char_p),
        ("timeout_ms", c_int64),
    ]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("data", c_void_p),
        ("shape", POINTER(c_int64)),
        ("type", c_int),
        ("dimensions", c_int32),
    ]


class Part(ctypes.Structure):
    _fields_ = [("held", Tensor), ("start", POINTER(c_int64)), ("whole", POINTER(c_int64))]


class Read(ctypes.Structure):
    _fields_ = [
        ("number", c_int32),
        ("reserved", c_int32),
        ("from_", POINTER(c_int64)),
        ("to", POINTER(c_int64)),
        ("target", c_void_p),
    ]


class DeviceMemory(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("vendor", c_char_p),
        ("data", c_void_p),
        ("bytes", c_uint64),
        ("stream", c_void_p),
        ("timeout_ms", c_int64),
        ("device", c_int32),
        ("reserved", c_int32),
    ]


class Made(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("checksum", c_uint32), ("summed", c_int32)]


MAKE = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, POINTER(Made))


class Maker(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("context", c_void_p), ("make", MAKE)]


class Writer(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("writer", c_int32),
        ("writers", c_int32),
        ("reserved", c_int32),
        ("round", c_char_p),
        ("patience_ms", c_int64),
    ]


class HolderOf(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("holder", c_int32),
        ("holders", c_int32),
        ("replicas", c_int32),
        ("run", c_char_p),
        ("patience_ms", c_int64),
    ]


class ServerConfig(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kept_versions", c_int32),
        ("memory_bytes", c_uint64),
        ("listen", c_char_p),
        ("token", c_char_p),
    ]


FUNCTIONS: dict[str, list[Any]] = {
    "tombolo_server_start": [POINTER(ServerConfig), POINTER(c_uint64)],
    "tombolo_server_address": [c_uint64, c_char_p, c_size_t, POINTER(c_size_t)],
    "tombolo_server_stop": [c_uint64],
    "tombolo_server_hold": [
        c_uint64,
        c_char_p,
        POINTER(HolderOf),
        c_int64,
        POINTER(Part),
        c_uint64,
        POINTER(c_uint64),
    ],
    "tombolo_server_register": [
        c_uint64,
        c_char_p,
        POINTER(HolderOf),
        c_int64,
        POINTER(Part),
        POINTER(POINTER(c_int64)),
        c_uint64,
    ],
    "tombolo_server_withdraw": [c_uint64, c_char_p],
    "tombolo_holders_open": [POINTER(Config), POINTER(c_uint64)],
    "tombolo_holders_close": [c_uint64],
    "tombolo_holders_sharing": [c_uint64, POINTER(c_int)],
    "tombolo_holders_await": [c_uint64, c_char_p, c_int64, c_int64, POINTER(c_uint64)],
    "tombolo_volume_open": [POINTER(Config), POINTER(c_uint64)],
    "tombolo_volume_close": [c_uint64],
    "tombolo_volume_is_shared": [c_uint64, POINTER(c_int)],
    "tombolo_volume_put": [c_uint64, c_char_p, POINTER(Tensor), c_uint64, POINTER(c_int64)],
    "tombolo_volume_put_made": [c_uint64, c_char_p, POINTER(Tensor), c_uint64, POINTER(Maker), POINTER(c_int64)],
    "tombolo_volume_put_part": [c_uint64, c_char_p, POINTER(Writer), POINTER(Part), c_uint64, POINTER(c_int64)],
    "tombolo_volume_put_part_made": [
        c_uint64,
        c_char_p,
        POINTER(Writer),
        POINTER(Part),
        c_uint64,
        POINTER(Maker),
        POINTER(c_int64),
    ],
    "tombolo_device_checksum": [POINTER(DeviceMemory), POINTER(c_uint32)],
    "tombolo_volume_begin": [c_uint64, c_char_p, POINTER(Tensor), c_uint64, POINTER(c_uint64)],
    "tombolo_put_checksum": [c_uint64, c_char_p, c_uint32],
    "tombolo_put_commit": [c_uint64, POINTER(c_int64)],
    "tombolo_put_abort": [c_uint64],
    "tombolo_volume_delete": [c_uint64, POINTER(c_char_p), c_uint64, POINTER(c_int64)],
    "tombolo_volume_drop": [c_uint64, c_char_p, POINTER(c_int64)],
    "tombolo_volume_exists": [c_uint64, c_char_p, POINTER(c_int)],
    "tombolo_volume_keys": [c_uint64, c_char_p, c_char_p, c_size_t, POINTER(c_size_t)],
    "tombolo_volume_state_dicts": [c_uint64, c_char_p, c_char_p, c_size_t, POINTER(c_size_t)],
    "tombolo_volume_open_tensors": [c_uint64, POINTER(c_char_p), c_uint64, POINTER(c_uint64)],
    "tombolo_volume_open_version": [c_uint64, c_char_p, c_int64, c_int64, POINTER(c_uint64)],
    "tombolo_volume_open_kept": [c_uint64, c_char_p, c_int64, POINTER(c_uint64)],
    "tombolo_volume_kept_versions": [c_uint64, c_char_p, POINTER(c_int64), POINTER(c_int64)],
    "tombolo_snapshot_close": [c_uint64],
    "tombolo_snapshot_version": [c_uint64, POINTER(c_int64)],
    "tombolo_snapshot_names": [c_uint64, c_char_p, c_size_t, POINTER(c_size_t)],
    "tombolo_snapshot_tensor": [
        c_uint64,
        c_int32,
        POINTER(c_int),
        POINTER(c_int32),
        POINTER(c_int64),
        POINTER(c_void_p),
    ],
    "tombolo_snapshot_read_all": [c_uint64, POINTER(Read), c_uint64],
    "tombolo_snapshot_verify": [c_uint64, c_int32],
    "tombolo_snapshot_check": [c_uint64],
    "tombolo_narrow": [c_int, c_void_p, c_uint64, c_float, c_int, c_void_p],
}


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(Path(__file__).parent / "libtombolo.so"))
    for name, arguments in FUNCTIONS.items():
        getattr(library, name).argtypes = arguments
    for name in ("tombolo_last_error", "tombolo_status_name"):
        getattr(library, name).restype = c_char_p
    return library


def call(name: str, *arguments: Any) -> None:
    """Calls a function, without the interpreter's lock; raises StoreError if it fails."""
    library = _library()
    status = getattr(library, name)(*arguments)
    if status != 0:
        text = library.tombolo_last_error().decode(errors="replace")
        kind = StoreTimeoutError if status == DEADLINE else StoreError
        raise kind(library.tombolo_status_name(status).decode(), text)


def numbers(values: Iterable[int]) -> Any:
    """An array of int64_t, which is not NULL."""
    listed = list(values)
    return (c_int64 * max(1, len(listed)))(*listed)


def number_lists(all_of: Sequence[Iterable[int]]) -> Any:
    """An array of arrays of int64_t."""
    return (POINTER(c_int64) * max(1, len(all_of)))(*(numbers(values) for values in all_of))


def names(texts: Sequence[str]) -> Any:
    """An array of strings."""
    return (c_char_p * max(1, len(texts)))(*(name(text) for text in texts))


def name(text: str) -> bytes:
    """A name as C has it."""
    if "\0" in text:
        raise ValueError(f"a name has no character 0, and {text!r} has one")
    return text.encode()


def listed(function: str, *arguments: Any) -> list[str]:
    """What a function lists that writes names, each with an ending 0. Others may put more meanwhile."""
    needed = c_size_t(1 << 12)
    while True:
        room = ctypes.create_string_buffer(needed.value)
        call(function, *arguments, room, len(room), byref(needed))
        if needed.value <= len(room):
            text = room.raw[: needed.value - 1]
            return [each.decode() for each in text.split(b"\0")[:-1]]
