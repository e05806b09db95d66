# SPDX-License-Identifier: Apache-2.0
"""What is put: tensors, parts of them, what a cast makes of them, and how C has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import byref, c_uint8, c_uint64, sizeof
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
    """A part as it will have been put: of a type, and divided by a scale, which is found out when something is made of it."""

    held: torch.Tensor
    start: tuple[int, ...]
    whole: tuple[int, ...]
    dtype: torch.dtype
    scale: Callable[[], float] | None = None

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
        scale = None if self.scale is None else self.scale()
        if self.held.device.type == "cpu":
            narrowed(self.held, scale, target)
            return None
        there = narrowed_there(self.held, scale, self.dtype)
        target.copy_(there)  # returns once the current stream, which has written `there`, has come so far
        return sums.of(there)


class OutgoingScale(Outgoing):
    """The scale of another one, beside it."""

    def is_made(self) -> bool:
        return False

    def _copied(self, target: torch.Tensor, sums: Sums) -> None:
        assert self.scale is not None
        target.fill_(self.scale())


def tensor_of(value: Bytes) -> torch.Tensor:
    """Bytes as a tensor has them, where they lie: what is put is only read. A copy of what is a view that has gaps or may
    not be written, as torch warns of that.

    A bytearray cannot be resized, nor a view be released, while the tensor lives: torch would not see to that, ctypes does.
    """
    view = memoryview(value)
    if view.nbytes == 0:
        return torch.empty(0, dtype=torch.uint8)
    if isinstance(value, bytes):
        return _memory.of(value)
    there = value if view.c_contiguous and not view.readonly else bytearray(value)
    return torch.frombuffer((c_uint8 * view.nbytes).from_buffer(there), dtype=torch.uint8)


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
            all_of[name + SCALE] = OutgoingScale(torch.empty((), dtype=torch.float32), (), (), torch.float32, scale)
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


def all_made(parts: Mapping[str, Outgoing]) -> bool:
    """Whether all bytes to be put lie somewhere already."""
    return all(part.is_made() for part in parts.values())


class Maker:
    """Makes what is put in host memory, one tensor at a time, when C has room for all of it."""

    def __init__(self, parts: Mapping[str, Outgoing], sums: Sums) -> None:
        self._parts = list(parts.values())
        self._sums = sums
        self._made: torch.Tensor | None = None  # C reads it
        self._error: BaseException | None = None

    def call(self, function: str, *arguments: Any) -> None:
        """Calls what takes a maker, and then a place for the version. What a tensor could not be made for is raised."""
        make = _volume.MAKE(self._make)
        maker = _volume.Maker(size=sizeof(_volume.Maker), make=make)
        try:
            _volume.call(function, *arguments[:-1], byref(maker), arguments[-1])
        except _volume.StoreError:
            if self._error is not None:
                raise self._error from None
            raise
        if self._error is not None:
            raise self._error  # such as KeyboardInterrupt, which is not to be lost, whatever C has made of it

    def _make(self, context: None, number: int, made: Any) -> int:
        self._made = None
        try:
            self._made, checksum = self._parts[number].made(self._sums)
        except BaseException as error:  # noqa: BLE001: raised when C has returned
            self._error = error
            return 1
        if isinstance(self._error, Exception):
            self._error = None  # the next try has gone well
        made[0].data = self._made.data_ptr()
        if checksum is not None:
            made[0].checksum, made[0].summed = checksum, 1
        return 0


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
