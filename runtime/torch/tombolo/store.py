# SPDX-License-Identifier: Apache-2.0
"""Tensors in the memory of a volume, between jobs and vendors: docs/store.md.

    volume = tombolo.store.Volume("127.0.0.1:7777")             # or, beside the jobs: tombolo store serve
    with tombolo.store.Store("127.0.0.1:7777") as store:       # the token is in TOMBOLO_TOKEN
        version = store.put_state_dict("policy", model.state_dict())

    with store.open_state_dict("policy", newer_than=7, timeout=60) as policy:
        policy.load(model.state_dict())                         # in place, also into DTensors
        rows = policy.get("w", (slice(0, 32),))

Without a volume in between, from a trainer's memory to a generator's:

    holder = tombolo.store.Holder("policy", run="run 1")        # in the trainer
    holder.show(step, model.state_dict())

    holders = tombolo.store.Holders([address], token)           # in the generator
    with holders.open_state_dict("policy", newer_than=7, timeout=60) as policy:
        policy.load(model.state_dict())

No process group is needed, and none is made. Importing it costs nothing; the first Store starts the Java virtual machine.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Mapping, Sequence
from ctypes import byref, c_int, c_int32, c_int64, c_uint64, c_void_p, create_string_buffer, sizeof
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

import torch

from tombolo import _memory, _volume
from tombolo._cast import SCALE, Cast, scaled
from tombolo._volume import StoreError, StoreTimeoutError, call

__all__ = [
    "Cast",
    "Holder",
    "Holders",
    "Part",
    "Snapshot",
    "Spec",
    "Store",
    "StoreError",
    "StoreTimeoutError",
    "Volume",
    "Writers",
]

if TYPE_CHECKING:
    from typing import Self

Slices = Sequence[slice]


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
        """What this rank has of a DTensor; all of any other tensor."""
        if isinstance(value, Part):
            return value
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


class Volume:
    """A volume in this process: it holds tensors for whoever knows its token, until it is closed or the process ends.
    `tombolo store serve` is one in a process of its own."""

    def __init__(
        self, listen: str = "127.0.0.1:0", token: str | None = None, memory_bytes: int = 1 << 30, keep: int = 2
    ) -> None:
        """Serves at "HOST:PORT"; port 0 is any free one. Without a token, the token is TOMBOLO_TOKEN's, or a new one.
        Memory is taken when it is first written. `keep` versions of each state dict are kept."""
        self.token = token or os.environ.get("TOMBOLO_TOKEN") or secrets.token_hex(32)
        config = _volume.ServerConfig(
            size=sizeof(_volume.ServerConfig),
            kept_versions=keep,
            memory_bytes=memory_bytes,
            listen=listen.encode(),
            token=self.token.encode(),
        )
        self._handle = c_uint64()
        call("tombolo_server_start", byref(config), byref(self._handle))
        text = create_string_buffer(512)
        call("tombolo_server_address", self._handle, text, len(text), None)
        self.address = text.value.decode()

    def close(self) -> None:
        """Ends its clients' connections, and forgets all tensors. Harmless the second time."""
        handle, self._handle = self._handle, c_uint64()
        if handle:
            call("tombolo_server_stop", handle)

    def __enter__(self) -> Volume:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Holder:
    """A state dict, or parts of it, in this process's memory, from where readers fetch it in one hop. Several processes
    hold one together: all name the same run and count, and each its own rank. A run has another name after each start.

    While a version can be read, the next is written beside it: memory for two is needed, of `memory_bytes` in all."""

    def __init__(
        self,
        name: str,
        run: str,
        count: int = 1,
        rank: int = 0,
        listen: str = "127.0.0.1:0",
        token: str | None = None,
        memory_bytes: int | None = None,
    ) -> None:
        """Serves at "HOST:PORT"; port 0 is any free one. Without a token, the token is TOMBOLO_TOKEN's, or a new one.
        Memory is taken when it is first written, and without a limit there is none but the host's."""
        everything = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self._volume = Volume(listen, token, everything if memory_bytes is None else memory_bytes)
        self._name = _volume.name(name)
        self._run, self._count, self._rank = _volume.name(run), count, rank
        self.address, self.token = self._volume.address, self._volume.token

    def show(
        self,
        version: int,
        tensors: Mapping[str, torch.Tensor | Part],
        timeout: float = 60.0,
        cast: Cast | None = None,
    ) -> None:
        """Copies tensors, DTensors and Parts beside the version that can be read, and then shows them in its place, at
        once. Readers see a version, higher than the one before, once all holders show it. Waits `timeout` seconds for
        readers that still need the memory. With `cast`, what is copied is narrower."""
        parts, dtypes = _narrowed({name: Part.of(value) for name, value in tensors.items()}, cast)
        values = {name: _whole(name, part.held) for name, part in parts.items()}
        described = _described_parts(parts, values, dtypes)
        holder = _volume.HolderOf(
            size=sizeof(_volume.HolderOf),
            holder=self._rank,
            holders=self._count,
            run=self._run,
            patience_ms=int(timeout * 1000),
        )
        put = c_uint64()
        handle = self._volume._handle
        call("tombolo_server_hold", handle, self._name, byref(holder), version, described, len(parts), byref(put))
        try:
            for room, (name, value) in zip(described, values.items()):
                _memory.at(room.held.data or 0, dtypes[name], value.shape).copy_(value)
        except BaseException:
            call("tombolo_put_abort", put)
            raise
        call("tombolo_put_commit", put, None)

    def withdraw(self) -> None:
        """Shows nothing more, and takes from readers what they were shown, at once: their snapshots are void."""
        call("tombolo_server_withdraw", self._volume._handle, self._name)

    def close(self) -> None:
        """Ends its readers' connections, and forgets what it has. Harmless the second time."""
        self._volume.close()

    def __enter__(self) -> Holder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Connection:
    """What snapshots are of. Calls of several threads wait for one another; errors are StoreErrors."""

    def __init__(self, handle: c_uint64) -> None:
        self._handle = handle
        self._turn = threading.RLock()  # held while memory is used that closing unmaps

    def close(self) -> None:
        """Leaves, when the call that is on has ended. Harmless the second time."""
        with self._turn:
            handle, self._handle = self._handle, c_uint64()
            if handle:
                self._leave(handle)

    def _leave(self, handle: c_uint64) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _connect(function: str, address: str, token: str | None, timeout: float, share_memory: bool) -> c_uint64:
    config = _volume.Config(
        size=sizeof(_volume.Config),
        flags=0 if share_memory else _volume.OVER_CONNECTION,
        address=address.encode(),
        token=None if token is None else token.encode(),
        timeout_ms=max(1, int(timeout * 1000)),
    )
    handle = c_uint64()
    call(function, byref(config), byref(handle))
    return handle


class Holders(Connection):
    """A reader's connections to all Holders of a state dict. If one of them dies, calls that need it fail, and name it."""

    def __init__(
        self, addresses: Sequence[str], token: str | None = None, timeout: float = 30.0, share_memory: bool = True
    ) -> None:
        """Connects to each "HOST:PORT", in any order; else as Store does."""
        super().__init__(_connect("tombolo_holders_open", ",".join(addresses), token, timeout, share_memory))
        sharing = c_int()
        call("tombolo_holders_sharing", self._handle, byref(sharing))
        self.sharing = sharing.value  # how many share memory with this process

    def open_state_dict(self, name: str, newer_than: int = 0, timeout: float = 30.0) -> Snapshot:
        """The newest version that all holders show, once it is newer than that; StoreTimeoutError if it is not so in
        `timeout` seconds."""
        handle = c_uint64()
        with self._turn:
            patience_ms = int(timeout * 1000)
            call(
                "tombolo_holders_await", self._handle, _volume.name(name), newer_than, patience_ms, byref(handle)
            )
            return Snapshot(self, handle)

    def _leave(self, handle: c_uint64) -> None:
        call("tombolo_holders_close", handle)


class Store(Connection):
    """A connection to a volume. Calls of several threads wait for one another; errors are StoreErrors."""

    def __init__(
        self, address: str, token: str | None = None, timeout: float = 30.0, share_memory: bool = True
    ) -> None:
        """Connects to the volume at "HOST:PORT"; without a token, with TOMBOLO_TOKEN's. A call fails when nothing has
        moved for `timeout` seconds. Memory is shared where it can be, unless share_memory is False."""
        super().__init__(_connect("tombolo_volume_open", address, token, timeout, share_memory))
        shared = c_int()
        call("tombolo_volume_is_shared", self._handle, byref(shared))
        self.shares_memory = bool(shared)

    def put(self, name: str, tensor: torch.Tensor) -> None:
        """Puts a tensor under a name of its own, instead of what was there."""
        self.put_batch({name: tensor})

    def put_batch(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Puts tensors under names of their own: all at once, or none."""
        self._put(None, tensors)

    def put_state_dict(
        self,
        name: str,
        tensors: Mapping[str, torch.Tensor | Part],
        writers: Writers | None = None,
        cast: Cast | None = None,
    ) -> int:
        """Adds a version to a state dict, visible at once and as a whole; its number.

        With `writers`, several processes do so together, each with the tensors and DTensors that it has; the call
        returns when all have written theirs. What several have is written once. With `cast`, tensors are narrowed
        before they move."""
        if writers is not None:
            return self._put_parts(name, tensors, writers, cast)
        return self._put(name, tensors, cast)

    def get(self, name: str, part: Slices | None = None, into: torch.Tensor | None = None) -> torch.Tensor:
        """A tensor, or a part of it: a new one, or `into`, which has its type and shape."""
        with self.open([name]) as snapshot:
            return snapshot.get(name, part, into)

    def open(self, names: Sequence[str]) -> Snapshot:
        """Several tensors as they are now; they stay so until the snapshot is closed."""
        handle = c_uint64()
        with self._turn:
            call("tombolo_volume_open_tensors", self._handle, _volume.names(names), len(names), byref(handle))
            return Snapshot(self, handle)

    def open_state_dict(self, name: str, newer_than: int | None = None, timeout: float = 30.0) -> Snapshot:
        """The newest version of a state dict. With `newer_than`, waits until there is one after that, and raises
        StoreTimeoutError if none comes in `timeout` seconds."""
        patience_ms = -1 if newer_than is None else int(timeout * 1000)
        handle = c_uint64()
        with self._turn:
            call(
                "tombolo_volume_open_version",
                self._handle,
                _volume.name(name),
                newer_than or 0,
                patience_ms,
                byref(handle),
            )
            return Snapshot(self, handle)

    def delete(self, *names: str) -> int:
        """Forgets tensors; how many there were."""
        deleted = c_int64()
        with self._turn:
            call("tombolo_volume_delete", self._handle, _volume.names(names), len(names), byref(deleted))
        return deleted.value

    def drop_state_dict(self, name: str) -> int:
        """Forgets a state dict; how many versions it had."""
        versions = c_int64()
        with self._turn:
            call("tombolo_volume_drop", self._handle, _volume.name(name), byref(versions))
        return versions.value

    def exists(self, name: str) -> bool:
        """Whether there is a tensor of this name."""
        return name in self.keys(name)

    def keys(self, prefix: str = "") -> list[str]:
        """The tensors whose names begin so, in order."""
        with self._turn:
            return _volume.listed("tombolo_volume_keys", self._handle, _volume.name(prefix))

    def state_dicts(self, prefix: str = "") -> list[str]:
        """The state dicts whose names begin so, in order."""
        with self._turn:
            return _volume.listed("tombolo_volume_state_dicts", self._handle, _volume.name(prefix))

    def _leave(self, handle: c_uint64) -> None:
        call("tombolo_volume_close", handle)

    def _put(self, state_dict: str | None, tensors: Mapping[str, Any], cast: Cast | None = None) -> int:
        wholes = {name: Part.of(_whole(name, value)) for name, value in tensors.items()}
        parts, dtypes = _narrowed(wholes, cast)
        values = {name: part.held for name, part in parts.items()}
        dict_name = None if state_dict is None else _volume.name(state_dict)
        version = c_int64()
        with self._turn:
            if self.shares_memory and not all(
                _memory.is_plain(value) and value.dtype == dtypes[name] for name, value in values.items()
            ):
                self._fill(dict_name, values, dtypes, version)
            else:
                values = {name: _memory.plain(value.to(dtypes[name])) for name, value in values.items()}
                described = _described(values, dtypes)
                call("tombolo_volume_put", self._handle, dict_name, described, len(values), byref(version))
        return version.value

    def _fill(
        self,
        dict_name: bytes | None,
        values: Mapping[str, torch.Tensor],
        dtypes: Mapping[str, torch.dtype],
        version: c_int64,
    ) -> None:
        """Copies once, as torch does: from a device, from what is strided, or from what is wider."""
        described = _described(values, dtypes)
        put = c_uint64()
        call("tombolo_volume_begin", self._handle, dict_name, described, len(values), byref(put))
        try:
            for room, (name, value) in zip(described, values.items()):
                _memory.at(room.data or 0, dtypes[name], value.shape).copy_(value)
        except BaseException:
            call("tombolo_put_abort", put)
            raise
        call("tombolo_put_commit", put, byref(version))

    def _put_parts(self, name: str, tensors: Mapping[str, Any], writers: Writers, cast: Cast | None) -> int:
        parts, dtypes = _narrowed({each: Part.of(value) for each, value in tensors.items()}, cast)
        held = {each: _memory.plain(_whole(each, part.held).to(dtypes[each])) for each, part in parts.items()}
        described = _described_parts(parts, held, dtypes)
        writer = _volume.Writer(
            size=sizeof(_volume.Writer),
            writer=writers.rank,
            writers=writers.count,
            round=_volume.name(writers.round),
            patience_ms=int(writers.patience * 1000),
        )
        version = c_int64()
        with self._turn:
            call(
                "tombolo_volume_put_part",
                self._handle,
                _volume.name(name),
                byref(writer),
                described,
                len(parts),
                byref(version),
            )
        return version.value


class Snapshot:
    """Tensors as they were at one moment. They stay so, whatever is put or deleted, until it is closed.

    It is void at once when who has the tensors withdraws them or dies: every call fails then, and so does one that is
    on, at its end."""

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
            box = _box(name, spec, part)
            shape = tuple(each.stop - each.start for each in box)
            target = torch.empty(shape, dtype=spec.dtype) if into is None else into.detach()
            if target.dtype != spec.dtype or tuple(target.shape) != shape:
                raise ValueError(
                    f"that of '{name}' is {spec.dtype} of shape {shape}; `into` is {target.dtype} of {tuple(target.shape)}"
                )
            if address:
                target.copy_(_memory.at(address, spec.dtype, spec.shape)[tuple(box)])
                self.check()
            else:
                self._read(name, box, target)
            return target if into is None else into

    def widened(self, name: str, part: Slices | None = None, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """A tensor, or a part of it, that was narrowed by a Cast: of a wider type again, and multiplied by its scale."""
        wide = self.get(name, part).to(dtype)
        return wide * self.get(name + SCALE).item() if name + SCALE in self._numbers else wide

    def load(self, tensors: Mapping[str, torch.Tensor | Part]) -> None:
        """Copies into all of `tensors`, in place; of DTensors, what this rank has of them."""
        for name, value in tensors.items():
            wanted = Part.of(value)
            whole = self.spec(name).shape
            if whole != wanted.whole:
                raise ValueError(f"'{name}' is of shape {whole}, and what is given for it is of {wanted.whole}")
            self.get(name, wanted.slices(), wanted.held)

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Copies of all of them."""
        return {name: self.get(name) for name in self._numbers}

    def check(self) -> None:
        """Fails if the snapshot is void: then what was read of views until now may be anything."""
        with self._store._turn:
            call("tombolo_snapshot_check", self._handle)

    def verify(self, name: str) -> None:
        """Compares what lies in the volume now with the checksum of what was put."""
        with self._store._turn:
            call("tombolo_snapshot_verify", self._handle, self._number(name))

    def close(self) -> None:
        """Gives the tensors up; harmless the second time, and after the store was closed."""
        with self._store._turn:
            handle, self._handle = self._handle, c_uint64()
            if handle and self._store._handle:
                call("tombolo_snapshot_close", handle)

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

    def _read(self, name: str, box: Slices, target: torch.Tensor) -> None:
        direct = _memory.is_plain(target)
        landed = target if direct else torch.empty(target.shape, dtype=target.dtype)
        call(
            "tombolo_snapshot_read",
            self._handle,
            self._number(name),
            _volume.numbers(each.start for each in box),
            _volume.numbers(each.stop for each in box),
            landed.data_ptr(),
        )
        if not direct:
            target.copy_(landed)


def _whole(name: str, value: Any) -> torch.Tensor:
    """What can be put as it is."""
    if isinstance(value, Part) or hasattr(value, "to_local"):
        raise TypeError(f"'{name}' is a part of a tensor; put_state_dict with `writers` puts those")
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"'{name}' is a {type(value).__name__}; the store has tensors")
    return value.detach()


def _narrowed(
    parts: Mapping[str, Part], cast: Cast | None
) -> tuple[dict[str, Part], dict[str, torch.dtype]]:
    """What is to be copied, with scales beside it, and the types that it is to have."""
    made: dict[str, Part] = {}
    dtypes: dict[str, torch.dtype] = {}
    for name, part in parts.items():
        held = _whole(name, part.held)
        made[name], dtypes[name] = part, held.dtype
        if cast is not None and cast.applies_to(held):
            scale = cast.scale_of(name, held, tuple(held.shape) == part.whole)
            made[name], dtypes[name] = Part(scaled(held, scale), part.start, part.whole), cast.dtype
            if scale is not None:
                if name + SCALE in parts:
                    raise ValueError(f"the scale of '{name}' would be '{name}{SCALE}', and there is a tensor of that name")
                made[name + SCALE] = Part(torch.tensor(scale, dtype=torch.float32), (), ())
                dtypes[name + SCALE] = torch.float32
    return made, dtypes


def _described(values: Mapping[str, torch.Tensor], dtypes: Mapping[str, torch.dtype]) -> Any:
    """As C has them, of these types; the tensors must live as long."""
    return (_volume.Tensor * max(1, len(values)))(
        *(
            _volume.Tensor(
                _volume.name(name),
                value.data_ptr() if value.device.type == "cpu" else None,
                _volume.numbers(value.shape),
                _memory.type_code(name, dtypes[name]),
                value.dim(),
            )
            for name, value in values.items()
        )
    )


def _described_parts(
    parts: Mapping[str, Part], held: Mapping[str, torch.Tensor], dtypes: Mapping[str, torch.dtype]
) -> Any:
    """Likewise, where each begins in its whole."""
    return (_volume.Part * max(1, len(parts)))(
        *(
            _volume.Part(tensor, _volume.numbers(part.start), _volume.numbers(part.whole))
            for tensor, part in zip(_described(held, dtypes), parts.values())
        )
    )


def _box(name: str, spec: Spec, part: Slices | None) -> list[slice]:
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
