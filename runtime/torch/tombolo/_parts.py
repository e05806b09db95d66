# SPDX-License-Identifier: Apache-2.0
"""What is put: tensors, parts of them, what a cast makes of them, and how C has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_uint64
from dataclasses import dataclass
from typing import Any

import torch

from tombolo import _memory, _volume
from tombolo._cast import SCALE, Cast, narrowed, narrowed_there
from tombolo._sums import Sums

Slices = Sequence[slice]
Bytes = bytes | bytearray | memoryview


@dataclass(frozen=True)
class Spec:
    """What a tensor is, without its bytes."""

    dtype: torch.dtype
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Writers:
    """Who writes a version together: all name the same round and count, and each its own rank.

    A round has a name of its own for each version, and for each new try. `patience` is how many seconds a writer waits
    for the others to come, and once more for them to finish."""

    round: str
    count: int
    rank: int
    patience: float = 60.0


@dataclass(frozen=True)
class Part:
    """What one of several writers has of a tensor: `held` begins at `start` of a whole of that shape."""

    held: torch.Tensor
    start: tuple[int, ...]
    whole: tuple[int, ...]

    @staticmethod
    def of(value: Any) -> Part:
        """What this rank has of a DTensor; all of any other tensor, or of bytes."""
        if isinstance(value, Part):
            return value
        if isinstance(value, Bytes):
            value = tensor_of(value)
        if not hasattr(value, "to_local"):
            return Part(value, (0,) * value.dim(), tuple(value.shape))
        chunks = value.__create_chunk_list__()
        if len(chunks) > 1:
            raise TypeError(f"this rank has {len(chunks)} separate parts of a tensor; put them as tensors of their own")
        local = value.to_local()
        if not chunks or local.numel() == 0:
            return Part(local.reshape((0,) * value.dim()), (0,) * value.dim(), tuple(value.shape))
        return Part(local, tuple(chunks[0].offsets), tuple(value.shape))

    def slices(self) -> Slices:
        """Where it lies in the whole."""
        return [slice(begin, begin + length) for begin, length in zip(self.start, self.held.shape)]


@dataclass(frozen=True)
class Outgoing:
    """A part as it will have been put: of a type, and divided by a scale."""

    held: torch.Tensor
    start: tuple[int, ...]
    whole: tuple[int, ...]
    dtype: torch.dtype
    scale: float | None = None

    def is_made(self) -> bool:
        """Whether the bytes to be put lie somewhere already."""
        return self.held.dtype == self.dtype and self.scale is None and _memory.is_plain(self.held)

    def made(self, sums: Sums) -> tuple[torch.Tensor, int | None]:
        """What is to be put, in host memory; and its checksum, if its device has computed it."""
        if self.is_made():
            return self.held, None
        made = torch.empty(self.held.shape, dtype=self.dtype)
        return made, self._copied(made, sums)

    def write(self, address: int, sums: Sums) -> int | None:
        """Copies it to where it belongs, once: from a device, from what is strided, or from what is wider. Its checksum, if
        its device has computed it."""
        return self._copied(_memory.at(address, self.dtype, self.held.shape), sums)

    def _copied(self, target: torch.Tensor, sums: Sums) -> int | None:
        if self.held.device.type == "cpu":
            narrowed(self.held, self.scale, target)
            return None
        there = narrowed_there(self.held, self.scale, self.dtype)
        target.copy_(there)  # returns once the current stream, which has written `there`, has come so far
        return sums.of(there)


def tensor_of(value: Bytes) -> torch.Tensor:
    """Bytes as a tensor has them: a copy, as torch wants memory that may be written."""
    copy = bytearray(value)
    return torch.frombuffer(copy, dtype=torch.uint8) if copy else torch.empty(0, dtype=torch.uint8)


def plain_tensor(name: str, value: Any) -> torch.Tensor:
    """What can be put as it is."""
    if isinstance(value, Bytes):
        return tensor_of(value)
    if isinstance(value, Part) or hasattr(value, "to_local"):
        raise TypeError(f"'{name}' is a part of a tensor; put_state_dict with `writers` puts those")
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"'{name}' is a {type(value).__name__}; the store has tensors and bytes")
    return value.detach()


def outgoing(parts: Mapping[str, Part], cast: Cast | None) -> dict[str, Outgoing]:
    """What is to be put, with scales beside it."""
    all_of: dict[str, Outgoing] = {}
    for name, part in parts.items():
        held = plain_tensor(name, part.held)
        if cast is None or not cast.applies_to(held):
            all_of[name] = Outgoing(held, part.start, part.whole, held.dtype)
            continue
        scale = cast.scale_of(name, held, tuple(held.shape) == part.whole)
        all_of[name] = Outgoing(held, part.start, part.whole, cast.dtype, scale)
        if scale is not None:
            if name + SCALE in parts:
                raise ValueError(f"the scale of '{name}' would be '{name}{SCALE}', and there is a tensor of that name")
            all_of[name + SCALE] = Outgoing(torch.tensor(scale, dtype=torch.float32), (), (), torch.float32)
    return all_of


def fill(put: c_uint64, parts: Mapping[str, Outgoing], addresses: Iterable[int | None], sums: Sums) -> None:
    """Copies each once, straight to where it stays in a put, and tells the put what checksums devices have computed. Gives
    the put up if that fails."""
    try:
        for (name, part), address in zip(parts.items(), addresses):
            checksum = part.write(address or 0, sums)
            if checksum is not None:
                _volume.call("tombolo_put_checksum", put, _volume.name(name), checksum)
    except BaseException:
        _volume.call("tombolo_put_abort", put)
        raise


def summed(parts: Mapping[str, Outgoing], sums: Sums) -> tuple[dict[str, torch.Tensor], Any]:
    """What is to be put, in host memory, and the checksums that devices have computed, as C has them."""
    made = {name: part.made(sums) for name, part in parts.items()}
    checksums = _volume.checksums([checksum for _, checksum in made.values()])
    return {name: tensor for name, (tensor, _) in made.items()}, checksums


def described(parts: Mapping[str, Outgoing], made: Mapping[str, torch.Tensor] | None = None) -> Any:
    """Tensors as C has them; what was made of them must live as long. Without it they are yet to be written."""
    return (_volume.Tensor * max(1, len(parts)))(*_tensors(parts, made))


def described_parts(parts: Mapping[str, Outgoing], made: Mapping[str, torch.Tensor] | None = None) -> Any:
    """Likewise, where each begins in its whole."""
    return (_volume.Part * max(1, len(parts)))(
        *(
            _volume.Part(tensor, _volume.numbers(part.start), _volume.numbers(part.whole))
            for tensor, part in zip(_tensors(parts, made), parts.values())
        )
    )


def _tensors(parts: Mapping[str, Outgoing], made: Mapping[str, torch.Tensor] | None) -> list[_volume.Tensor]:
    return [
        _volume.Tensor(
            _volume.name(name),
            None if made is None else made[name].data_ptr(),
            _volume.numbers(part.held.shape),
            _memory.type_code(name, part.dtype),
            part.held.dim(),
        )
        for name, part in parts.items()
    ]


def box_of(name: str, spec: Spec, part: Slices | None) -> list[slice]:
    """A part with all its ends; dimensions that are not said are whole."""
    said = list(part or ())
    if len(said) > len(spec.shape) or any(each.step not in (None, 1) for each in said):
        raise ValueError(f"'{name}' is of shape {spec.shape}; a part has a slice without a step for each dimension")
    said += [slice(None)] * (len(spec.shape) - len(said))
    box = []
    for each, length in zip(said, spec.shape):
        begin, end, _ = each.indices(length)
        if (each.stop or 0) > length or (each.start or 0) > length:
            raise ValueError(f"'{name}' is of shape {spec.shape}, and {part} is not inside")
        box.append(slice(begin, max(begin, end)))
    return box
