# SPDX-License-Identifier: Apache-2.0
"""What is read: tensors as they were at one moment, and the connections that they are of."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import byref, c_int, c_int32, c_int64, c_uint64, c_void_p, sizeof, string_at
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

import torch

from tombolo import _memory, _volume
from tombolo._cast import SCALE
from tombolo._parts import Bytes, Part, Slices, Spec, box_of
from tombolo._volume import StoreError, call

if TYPE_CHECKING:
    from typing import Self

CALL_BYTES = 1 << 30  # so much, or less than one tensor more, is read in a call
BLOCK_BYTES = 64 << 20  # likewise, in blocks before it is copied to where it goes


class Connection:
    """What snapshots are of. Calls of several threads wait for one another; errors are StoreErrors."""

    def __init__(self, handle: c_uint64) -> None:
        self._handle = handle
        self._turn = threading.RLock()  # held while memory is used that closing unmaps

    def close(self) -> None:
        """Leaves, when the call that is on has ended. Harmless the second time. What makes a tensor that is put cannot close
        what it is put to: that is refused, and the connection is as before."""
        with self._turn:
            if self._handle:
                self._leave(self._handle)
                self._handle = c_uint64()

    def _leave(self, handle: c_uint64) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def milliseconds(timeout: float) -> int:
    """A connection's timeout, as C has it."""
    return max(1, int(timeout * 1000))


def connected(function: str, address: str, token: str | None, timeout: float, share_memory: bool) -> c_uint64:
    config = _volume.Config(
        size=sizeof(_volume.Config),
        flags=0 if share_memory else _volume.OVER_CONNECTION,
        address=address.encode(),
        token=None if token is None else token.encode(),
        timeout_ms=milliseconds(timeout),
    )
    handle = c_uint64()
    call(function, byref(config), byref(handle))
    return handle


class Snapshot:
    """Tensors as they were at one moment. They stay so, whatever is put or deleted, until it is closed.

    It is void at once when who has the tensors withdraws them or dies: every call fails then, and so does one that is
    on, at its end. Of several Holders, one that dies is not missed where others have what it had."""

    def __init__(self, store: Connection, handle: c_uint64) -> None:
        self._store = store
        self._handle = handle
        version = c_int64()
        call("tombolo_snapshot_version", handle, byref(version))
        self.version = version.value  # of the state dict; 0 if the tensors have names of their own
        self._numbers = {name: i for i, name in enumerate(_volume.listed("tombolo_snapshot_names", handle))}

    @property
    def names(self) -> list[str]:
        """What its tensors are called, in the order they were put or asked for."""
        return list(self._numbers)

    def spec(self, name: str) -> Spec:
        """What a tensor is."""
        return self._look(name)[0]

    def address(self, name: str) -> int:
        """Where this process can read a tensor, row-major, until the snapshot is closed; 0 if memory is not shared. What
        was read there is good if `check` does not fail afterwards."""
        return self._look(name)[1]

    def view(self, name: str) -> torch.Tensor:
        """A tensor as it lies in the volume's memory, which this process shares: not to be written, and not to be used
        once the snapshot is closed. What was read of it is good if `check` does not fail afterwards."""
        spec, address = self._look(name)
        if address == 0 and 0 not in spec.shape:
            raise ValueError(f"'{name}' has no view, as the volume's memory is not shared with this process; get it")
        return _memory.at(address, spec.dtype, spec.shape)

    def get(self, name: str, part: Slices | None = None, into: torch.Tensor | None = None) -> torch.Tensor:
        """A tensor, or a part of it: a new one, or `into`, on any device, which has its type and shape."""
        with self._store._turn:
            spec, address = self._look(name)
            box = box_of(name, spec, part)
            shape = tuple(each.stop - each.start for each in box)
            target = torch.empty(shape, dtype=spec.dtype) if into is None else into.detach()
            self._load([lambda: _Wanted(name, spec, address, box, target)])
            return target if into is None else into

    def get_bytes(self, name: str) -> bytes:
        """What was put as bytes; of any other tensor its bytes, row-major."""
        got = self.get(name)
        return string_at(got.data_ptr(), got.nbytes) if got.nbytes else b""

    def widened(self, name: str, part: Slices | None = None, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """A tensor, or a part of it, that was narrowed by a Cast: of a wider type again, and multiplied by its scale."""
        wide = self.get(name, part).to(dtype)
        return wide * self.get(name + SCALE).item() if name + SCALE in self._numbers else wide

    def load(self, tensors: Mapping[str, torch.Tensor | Part]) -> None:
        """Copies into all of `tensors`, in place; of DTensors, what this rank has of them. Over a connection this is faster
        than to get one after the other."""
        self._load(partial(self._wanted, name, value) for name, value in tensors.items())

    def load_parts(self, parts: Sequence[tuple[str, Slices, torch.Tensor]]) -> None:
        """Copies parts of tensors into others, as `load` does. For each there is a name, a part as `get` takes it, and where
        to."""
        self._load(partial(self._wanted_part, *each) for each in parts)

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Copies of all of them."""
        specs = {name: self.spec(name) for name in self._numbers}
        copies = {name: torch.empty(spec.shape, dtype=spec.dtype) for name, spec in specs.items()}
        self.load(copies)
        return copies

    def check(self) -> None:
        """Fails if the snapshot is void: then what was read of views until now may be anything."""
        with self._store._turn:
            call("tombolo_snapshot_check", self._handle)

    def verify(self, name: str) -> None:
        """Compares what lies in the volume now with the checksum of what was put."""
        with self._store._turn:
            call("tombolo_snapshot_verify", self._handle, self._number(name))

    def close(self) -> None:
        """Gives the tensors up; harmless the second time, and after the store was closed. If it fails, it can be tried
        again."""
        with self._store._turn:
            handle, self._handle = self._handle, c_uint64()
            if handle and self._store._handle:
                try:
                    call("tombolo_snapshot_close", handle)
                except StoreError:
                    self._handle = handle  # which is open still
                    raise

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _number(self, name: str) -> int:
        if name not in self._numbers:
            raise KeyError(f"no tensor of this snapshot is called '{name}'")
        return self._numbers[name]

    def _look(self, name: str) -> tuple[Spec, int]:
        """What a tensor is, and where it can be read; 0 if nowhere."""
        kind, dimensions, address = c_int(), c_int32(), c_void_p()
        shape = _volume.numbers([0] * _volume.MAX_DIMENSIONS)
        with self._store._turn:
            call(
                "tombolo_snapshot_tensor",
                self._handle,
                self._number(name),
                byref(kind),
                byref(dimensions),
                shape,
                byref(address),
            )
        return Spec(_memory.DTYPES[kind.value], tuple(shape[: dimensions.value])), address.value or 0

    def _wanted(self, name: str, value: torch.Tensor | Part) -> _Wanted:
        """What is to be loaded into `value`."""
        if isinstance(value, Bytes):
            raise TypeError(f"'{name}' is {type(value).__name__}, which is not loaded in place; get_bytes copies it")
        wanted = Part.of(value)
        spec, address = self._look(name)
        if spec.shape != wanted.whole:
            raise ValueError(f"'{name}' is of shape {spec.shape}, and what is given for it is of {wanted.whole}")
        return _Wanted(name, spec, address, box_of(name, spec, wanted.slices()), wanted.held.detach())

    def _wanted_part(self, name: str, part: Slices, target: torch.Tensor) -> _Wanted:
        spec, address = self._look(name)
        return _Wanted(name, spec, address, box_of(name, spec, part), target.detach())

    def _load(self, looks: Iterable[Callable[[], _Wanted]]) -> None:
        """Copies what lies in shared memory, and reads the rest: much in one call, but not all, so that other threads have
        their turns and interrupts are heard."""
        reads = _Reads()
        for look in looks:
            with self._store._turn:  # so that nobody unmaps what there is an address of
                wanted = look()
                wanted.check()
                if wanted.address and self._copied(wanted):
                    continue
                reads.add(self._number(wanted.name), wanted)
                if reads.is_full():
                    reads.run(self._handle)
                    reads = _Reads()
        with self._store._turn:
            reads.run(self._handle)

    def _copied(self, wanted: _Wanted) -> bool:
        """Copies from shared memory; False if who has it has died, and others may be asked."""
        whole = _memory.at(wanted.address, wanted.spec.dtype, wanted.spec.shape)
        wanted.target.copy_(whole[tuple(wanted.box)])
        try:
            self.check()
        except StoreError as error:
            if error.status != _volume.PEER_FAILED:
                raise
            return False
        return True


@dataclass(frozen=True)
class _Wanted:
    """A part of a tensor, where it lies if that can be read, and where it is to go."""

    name: str
    spec: Spec
    address: int
    box: Slices
    target: torch.Tensor

    def check(self) -> None:
        """Refuses a target of another type or shape."""
        shape = tuple(each.stop - each.start for each in self.box)
        target = self.target
        if target.dtype != self.spec.dtype or tuple(target.shape) != shape:
            raise ValueError(
                f"that of '{self.name}' is {self.spec.dtype} of shape {shape}; `into` is {target.dtype} of "
                f"{tuple(target.shape)}"
            )


class _Reads:
    """Parts to be read in one call. What is not plain host memory is read to a block first."""

    def __init__(self) -> None:
        self._reads: list[_volume.Read] = []
        self._landings: list[tuple[torch.Tensor, torch.Tensor]] = []  # what each is read to, and where it goes
        self._bytes = self._block_bytes = 0

    def add(self, number: int, wanted: _Wanted) -> None:
        landing = wanted.target
        if not _memory.is_plain(landing):
            landing = torch.empty(landing.shape, dtype=landing.dtype)
            self._block_bytes += landing.nbytes
        self._bytes += landing.nbytes
        begins = _volume.numbers(each.start for each in wanted.box)
        ends = _volume.numbers(each.stop for each in wanted.box)
        self._reads.append(_volume.Read(number, 0, begins, ends, landing.data_ptr()))
        self._landings.append((landing, wanted.target))

    def is_full(self) -> bool:
        many = self._bytes >= CALL_BYTES or len(self._reads) == _volume.MAX_READS
        return many or self._block_bytes >= BLOCK_BYTES

    def run(self, handle: c_uint64) -> None:
        count = len(self._reads)
        if count > 0:
            call("tombolo_snapshot_read_all", handle, (_volume.Read * count)(*self._reads), count)
        for landing, target in self._landings:
            if landing is not target:
                target.copy_(landing)
