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
import weakref
from collections.abc import Mapping, Sequence
from ctypes import byref, c_int, c_int64, c_uint64, create_string_buffer, sizeof
from types import TracebackType
from typing import Any

import torch

from tombolo import _volume
from tombolo._cast import Cast
from tombolo._parts import (
    Bytes,
    Maker,
    Outgoing,
    Part,
    Slices,
    Spec,
    Writers,
    all_made,
    described,
    described_parts,
    fill,
    outgoing,
    plain_tensor,
)
from tombolo._snapshot import Connection, Snapshot, connected, milliseconds
from tombolo._sums import Sums
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
    With 2 replicas, rank 4 of 6 shows the same as rank 1, down to the bytes: readers then get new versions from one of
    them when the other has died.

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
        replicas: int = 1,
    ) -> None:
        """Serves at "HOST:PORT"; port 0 is any free one. Without a token, the token is TOMBOLO_TOKEN's, or a new one.
        Memory is taken when it is first written, and without a limit there is none but the host's."""
        everything = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self._volume = Volume(listen, token, everything if memory_bytes is None else memory_bytes)
        self._name = _volume.name(name)
        self._run, self._count, self._rank, self._replicas = _volume.name(run), count, rank, replicas
        self.address, self.token = self._volume.address, self._volume.token
        self._registered: weakref.finalize[..., None] | None = None  # which has their memory

    def show(
        self,
        version: int,
        tensors: Mapping[str, torch.Tensor | Part | Bytes],
        timeout: float = 60.0,
        cast: Cast | None = None,
    ) -> None:
        """Copies tensors, DTensors, Parts and bytes beside the version that can be read, and then shows them in its
        place, at once. Readers see a version, higher than the one before, once all holders show it. Waits `timeout`
        seconds for readers that still need the memory. With `cast`, what is copied is narrower."""
        parts = outgoing({name: Part.of(value) for name, value in tensors.items()}, cast)
        rooms = described_parts(parts)
        holder = self._holder(timeout)
        put = c_uint64()
        handle = self._volume._handle
        call("tombolo_server_hold", handle, self._name, byref(holder), version, rooms, len(parts), byref(put))
        fill(put, parts, [room.held.data for room in rooms], Sums())
        call("tombolo_put_commit", put, None)

    def register(self, version: int, tensors: Mapping[str, torch.Tensor | Part | Bytes]) -> None:
        """Shows tensors, DTensors and Parts of host memory, strided or not, where they lie: they are not copied, and
        readers get them over the connection, on this host too. They must neither be written to nor lose their memory
        until `withdraw` or `close` has returned; after that another version can be shown."""
        parts = outgoing({name: Part.of(value) for name, value in tensors.items()}, None)
        lying = {name: part.held for name, part in parts.items()}
        for name, tensor in lying.items():
            if tensor.device.type != "cpu" or tensor.is_neg():
                raise TypeError(f"'{name}' has to be computed or copied from {tensor.device} first: show it")
        strides = _volume.number_lists([tensor.stride() for tensor in lying.values()])
        described = described_parts(parts, lying)
        holder = self._holder(0)
        handle = self._volume._handle
        registered = weakref.finalize(self, _withdraw, handle, self._name, list(lying.values()))
        try:
            call(
                "tombolo_server_register", handle, self._name, byref(holder), version, described, strides, len(parts)
            )
        except StoreError:
            registered.detach()
            raise
        self._registered = registered

    def withdraw(self) -> None:
        """Shows nothing more, and takes from readers what they were shown, at once: their snapshots are void."""
        registered = self._registered
        call("tombolo_server_withdraw", self._volume._handle, self._name)
        if registered is not None:
            registered.detach()

    def close(self) -> None:
        """Ends its readers' connections, and forgets what it has. Harmless the second time."""
        registered = self._registered
        self._volume.close()
        if registered is not None:
            registered.detach()

    def _holder(self, timeout: float) -> _volume.HolderOf:
        return _volume.HolderOf(
            size=sizeof(_volume.HolderOf),
            holder=self._rank,
            holders=self._count,
            replicas=self._replicas,
            run=self._run,
            patience_ms=int(timeout * 1000),
        )

    def __enter__(self) -> Holder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _withdraw(server: c_uint64, name: bytes, kept: list[torch.Tensor]) -> None:
    """Withdraws what was registered by a holder that nobody has any more, or at the interpreter's end: its server goes on,
    and would read memory that is gone. `kept` goes afterwards."""
    try:
        call("tombolo_server_withdraw", server, name)
    except StoreError as error:
        if error.status not in ("TOMBOLO_USAGE", "TOMBOLO_FORKED"):  # it has been stopped, or is the parent process's
            raise


class Holders(Connection):
    """A reader's connections to all Holders of a state dict. If one of them dies, calls that need it fail, and name it;
    a snapshot goes on with what others have, too. New versions come without it only from its replicas."""

    def __init__(
        self, addresses: Sequence[str], token: str | None = None, timeout: float = 30.0, share_memory: bool = True
    ) -> None:
        """Connects to each "HOST:PORT", in any order; of replicas, one is enough. Else as Store does."""
        super().__init__(connected("tombolo_holders_open", ",".join(addresses), token, timeout, share_memory))
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
        moved for `timeout` seconds, or when a device takes longer for a checksum. Memory is shared where it can be, unless
        share_memory is False."""
        super().__init__(connected("tombolo_volume_open", address, token, timeout, share_memory))
        self._timeout_ms = milliseconds(timeout)
        shared = c_int()
        call("tombolo_volume_is_shared", self._handle, byref(shared))
        self.shares_memory = bool(shared)

    def put(self, name: str, value: torch.Tensor | Bytes) -> None:
        """Puts a tensor, or bytes, under a name of its own, instead of what was there."""
        self.put_batch({name: value})

    def put_batch(self, tensors: Mapping[str, torch.Tensor | Bytes]) -> None:
        """Puts tensors and bytes under names of their own: all at once, or none."""
        self._put(None, tensors)

    def put_state_dict(
        self,
        name: str,
        tensors: Mapping[str, torch.Tensor | Part | Bytes],
        writers: Writers | None = None,
        cast: Cast | None = None,
    ) -> int:
        """Adds a version to a state dict, visible at once and as a whole; its number.

        With `writers`, several processes do so together, each with the tensors and DTensors that it has; the call
        returns when all have written theirs. What several have is written once. What one has to copy from a device or
        narrow it makes while the others wait for it to finish, so their patience has to last for that, too. With `cast`,
        tensors are narrowed before they move."""
        if writers is not None:
            return self._put_parts(name, tensors, writers, cast)
        return self._put(name, tensors, cast)

    def get(self, name: str, part: Slices | None = None, into: torch.Tensor | None = None) -> torch.Tensor:
        """A tensor, or a part of it: a new one, or `into`, which has its type and shape."""
        with self.open([name]) as snapshot:
            return snapshot.get(name, part, into)

    def get_bytes(self, name: str) -> bytes:
        """What was put as bytes; of any other tensor its bytes, row-major."""
        with self.open([name]) as snapshot:
            return snapshot.get_bytes(name)

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

    def open_kept(self, name: str, version: int) -> Snapshot:
        """A version of a state dict, of those that are kept."""
        handle = c_uint64()
        with self._turn:
            call("tombolo_volume_open_kept", self._handle, _volume.name(name), version, byref(handle))
            return Snapshot(self, handle)

    def versions(self, name: str) -> range:
        """The versions of a state dict that are kept; none if there is no such state dict."""
        oldest, newest = c_int64(), c_int64()
        with self._turn:
            call("tombolo_volume_kept_versions", self._handle, _volume.name(name), byref(oldest), byref(newest))
        return range(oldest.value, newest.value + 1) if newest.value else range(0)

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
        found = c_int()
        with self._turn:
            call("tombolo_volume_exists", self._handle, _volume.name(name), byref(found))
        return bool(found.value)

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
        parts = outgoing({name: Part.of(plain_tensor(name, value)) for name, value in tensors.items()}, cast)
        dict_name = None if state_dict is None else _volume.name(state_dict)
        version = c_int64()
        with self._turn:
            if all_made(parts):
                lying = described(parts, {name: part.held for name, part in parts.items()})
                call("tombolo_volume_put", self._handle, dict_name, lying, len(parts), byref(version))
            elif self.shares_memory:
                self._fill(dict_name, parts, version)
            else:
                maker = Maker(parts, Sums(self._timeout_ms))
                maker.call(
                    "tombolo_volume_put_made", self._handle, dict_name, described(parts), len(parts), byref(version)
                )
        return version.value

    def _fill(self, dict_name: bytes | None, parts: Mapping[str, Outgoing], version: c_int64) -> None:
        """Copies each once, straight to where it stays."""
        rooms = described(parts)
        put = c_uint64()
        call("tombolo_volume_begin", self._handle, dict_name, rooms, len(parts), byref(put))
        fill(put, parts, [room.data for room in rooms], Sums(self._timeout_ms))
        call("tombolo_put_commit", put, byref(version))

    def _put_parts(self, name: str, tensors: Mapping[str, Any], writers: Writers, cast: Cast | None) -> int:
        parts = outgoing({each: Part.of(value) for each, value in tensors.items()}, cast)
        writer = _volume.Writer(
            size=sizeof(_volume.Writer),
            writer=writers.rank,
            writers=writers.count,
            round=_volume.name(writers.round),
            patience_ms=int(writers.patience * 1000),
        )
        version = c_int64()
        with self._turn:
            named = (self._handle, _volume.name(name), byref(writer))
            if all_made(parts):
                lying = described_parts(parts, {each: part.held for each, part in parts.items()})
                call("tombolo_volume_put_part", *named, lying, len(parts), byref(version))
            else:
                maker = Maker(parts, Sums(self._timeout_ms))
                maker.call("tombolo_volume_put_part_made", *named, described_parts(parts), len(parts), byref(version))
        return version.value
