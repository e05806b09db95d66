# SPDX-License-Identifier: Apache-2.0
"""torchstore's tensors in memory that clients on the storage volume's host share: a store's, in the volume's process.

A client copies what it puts straight to where it stays, and what it gets straight from there; one on another host does so
over a connection. Each tensor has a name of its own in the store, beginning with the client's, and lies there as bytes, in its
shape. The volume deletes it when it has no use for the tensor any more, or when the client has died before the volume knew of
it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import itertools
import math
import os
import secrets
import socket
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torchstore.transport.buffers import TransportCache

from tombolo import _memory
from tombolo._parts import Slices
from tombolo.store import Snapshot, Store, StoreError, Volume

TIMEOUT_S = 120
CONNECT_S = 5  # until another host answers: what is between may swallow packets
FAR = "far/"  # begins the names of clients of other hosts, whose ends the volume does not see
PASSING = "/passing/"  # is in the names of what has been copied for one client
GRACE_S = 2 * TIMEOUT_S  # from when a far client has put something until it has told the volume of it, or one gets its copies
SETTLE_S = 1  # after a client's end, until the store has seen that as well
MISSING = "TOMBOLO_USAGE"  # the status of a name that is there no more


@dataclass(frozen=True)
class Place:
    """Where a tensor lies: elements of some bytes with a name."""

    name: str
    stride: tuple[int, ...]
    offset: int
    passing: bool = False  # only until it has been got


def passing(places: Iterable[Place | None]) -> list[str]:
    """The names of what has been copied for one client."""
    return [place.name for place in places if place is not None and place.passing]


class Gone(Exception):
    """What a volume had when it was asked has been replaced since; it has something newer."""


class Shelf(TransportCache):
    """The volume's side."""

    def __init__(self) -> None:
        self._opening = asyncio.Lock()
        self._turn = threading.Lock()  # whether a name is known is asked and told in turn
        self._volume: Volume | None = None
        self._ending = False
        self._names: dict[int, str] = {}  # of what is in use, by address
        self._dropped: list[str] = []
        self._suspects: set[str] | None = None  # of what may be forgotten, and was unknown the last time; None: nobody looks
        self._deleting = False  # whether what has been dropped by now is deleted soon
        self._numbers = itertools.count()
        self._is_reached = False  # by other hosts

    async def admit(self, client: str, pid: int) -> tuple[str, str] | None:
        """Where this client finds the store, and its token; None if it is no process of here."""
        try:
            ending = os.pidfd_open(pid)
        except OSError:
            return None  # another container's
        volume = await self._opened()
        self._loop.add_reader(ending, self._bury, ending, client)
        return volume.address, volume.token

    async def admit_far(self) -> tuple[str, str] | None:
        """Likewise where a client of another host finds it; None if that cannot reach this one."""
        volume = await self._opened()
        if not self._is_reached:
            return None
        self._look()
        return volume.address, volume.token

    async def _opened(self) -> Volume:
        async with self._opening:
            if self._volume is None:
                self._loop = asyncio.get_running_loop()
                await asyncio.to_thread(self._open)
            assert self._volume is not None
            return self._volume

    def _open(self) -> None:
        everything = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")  # what is not used takes none
        serve = partial(Volume, token=secrets.token_hex(32), memory_bytes=everything)
        address = own_address()
        volume = None
        if address is not None:
            with contextlib.suppress(StoreError):  # the name's address is not this host's own
                volume = serve(f"{address}:0")
        self._is_reached = volume is not None
        volume = volume or serve()
        self._store = Store(volume.address, volume.token, TIMEOUT_S)
        self._volume = volume

    def keep(self, names: Sequence[str]) -> list[torch.Tensor]:
        """What a client has put under these names, as bytes. It stays for as long as one of its views is in use."""
        if not names:
            return []
        with self._turn, self._store.open(list(names)) as snapshot:
            found = {snapshot.address(name): name for name in names}
            sizes = [math.prod(snapshot.spec(name).shape) for name in names]
            self._names.update(found)
        return [
            _memory.lent(address, size, partial(self._let_go, address)) for address, size in zip(found, sizes)
        ]

    def places(self, tensors: Sequence[torch.Tensor | None], client: str) -> list[Place | None]:
        """Where a client finds tensors; what does not lie here is copied for it."""
        places: list[Place | None] = []
        try:
            for tensor in tensors:
                places.append(None if tensor is None else self._place(tensor, client))
        except BaseException:
            copied = passing(places)
            if copied:
                with contextlib.suppress(StoreError):  # what has failed first is told
                    self._store.delete(*copied)
            raise
        return places

    def _place(self, tensor: torch.Tensor, client: str) -> Place:
        name = self._names.get(tensor.untyped_storage().data_ptr())
        if name is not None:
            return Place(name, tensor.stride(), tensor.storage_offset())
        name = f"{client}{PASSING}{next(self._numbers)}"
        self._store.put(name, as_bytes(tensor))
        self._loop.call_soon_threadsafe(self._look)
        return Place(name, tensor.contiguous().stride(), 0, passing=True)

    def delete(self, keys: set[str]) -> None:
        """Nothing: what lies here goes with the volume's tensors."""

    def clear(self) -> None:
        """Ends the store, once no tensor that lies in it is in use."""
        self._ending = True
        self._close_unused()

    def _let_go(self, address: int) -> None:
        """Called where the last view of a tensor ends, which may be anywhere, also in the middle of another such call."""
        self._dropped.append(self._names.pop(address))
        self._loop.call_soon_threadsafe(self._delete_soon)

    def _delete_soon(self) -> None:
        if not self._deleting:
            self._deleting = True
            self._loop.run_in_executor(None, self._delete_dropped)

    def _delete_dropped(self) -> None:
        names = []
        with self._turn:
            self._deleting = False  # first: what is dropped from now on may come too late for this time
            while self._dropped:
                names.append(self._dropped.pop())  # one by one from the same list: others add to it meanwhile
            if names and self._volume is not None:
                self._store.delete(*names)
        self._close_unused()

    def _close_unused(self) -> None:
        with self._turn:
            if self._ending and not self._names and self._volume is not None:
                self._store.close()
                self._volume.close()
                self._volume = None

    def _bury(self, ending: int, client: str) -> None:
        """A client has died: what it has put, and nobody knows of, goes too."""
        self._loop.remove_reader(ending)
        os.close(ending)
        self._loop.call_later(SETTLE_S, self._loop.run_in_executor, None, self._delete_unknown, client)

    def _delete_unknown(self, client: str) -> None:
        with self._turn:
            unknown = self._unknown(f"{client}/")
            if unknown:
                self._store.delete(*unknown)

    def _unknown(self, prefix: str) -> set[str]:
        """What has been put under such names, and the volume has not been told of, or needs no more."""
        known = set(self._names.values())
        return set() if self._volume is None else set(self._store.keys(prefix)) - known

    def _look(self) -> None:
        """From now on, from time to time, for what is forgotten."""
        if self._suspects is None:
            self._suspects = set()
            self._look_later()

    def _look_later(self) -> None:
        self._loop.call_later(GRACE_S, self._loop.run_in_executor, None, self._delete_forgotten)

    def _delete_forgotten(self) -> None:
        """What far clients have put, and what was copied for one client, that was unknown the last time, too: they have died,
        or given up."""
        with self._turn:
            if self._volume is None or self._suspects is None:
                self._suspects = None
                return
            self._loop.call_soon_threadsafe(self._look_later)  # first: this time may fail
            unknown = {name for name in self._unknown("") if name.startswith(FAR) or PASSING in name}
            forgotten = unknown & self._suspects
            if forgotten:
                self._store.delete(*forgotten)
            self._suspects = unknown - forgotten


class Reach:
    """A client's side."""

    def __init__(self, client: str, store: Store) -> None:
        self.key = client
        self._store = store
        self._numbers = itertools.count()

    @staticmethod
    def of(client: str, address: str, token: str) -> Reach | None:
        """A client of the shelf at an address; None if its memory cannot be shared from here."""
        try:
            store = Store(address, token, TIMEOUT_S)
        except StoreError:
            return None  # in another network namespace
        if store.shares_memory:
            return Reach(client, store)
        store.close()
        return None

    @staticmethod
    def across(client: str, address: str, token: str) -> Reach | None:
        """A client of the shelf of another host; None if it does not answer."""
        host, port = address.rsplit(":", 1)
        try:
            socket.create_connection((host, int(port)), CONNECT_S).close()
            return Reach(client, Store(address, token, TIMEOUT_S))
        except (OSError, StoreError):
            return None

    def names(self, tensors: Iterable[torch.Tensor | None]) -> list[str | None]:
        """New names, for those that are tensors and have elements."""
        return [None if each is None or each.numel() == 0 else f"{self.key}/{next(self._numbers)}" for each in tensors]

    def put(self, tensors: dict[str, torch.Tensor]) -> None:
        """Copies tensors to the shelf: all of them, or none."""
        if tensors:
            self._store.put_batch({name: as_bytes(tensor) for name, tensor in tensors.items()})

    def get(self, targets: Sequence[tuple[Place, torch.Tensor]]) -> None:
        """Copies what lies at places into tensors; Gone if it is there no more."""
        names = list(dict.fromkeys(place.name for place, _ in targets))
        if not names:
            return
        copied = passing(place for place, _ in targets)
        try:
            snapshot = self._store.open(names)
        except StoreError as error:
            self._delete(copied)  # who asks again gets others
            if error.status != MISSING:
                raise
            raise Gone from error
        with snapshot:
            self._delete(copied)  # they stay until the snapshot is closed
            if not self._store.shares_memory:
                fetch(snapshot, targets)
                return
            with self._store._turn:  # so that nobody who leaves meanwhile unmaps what is copied
                for place, target in targets:
                    target.copy_(view_of(snapshot.view(place.name), place, target))
                snapshot.check()

    def withdraw(self, names: Iterable[str]) -> None:
        """Deletes what the volume has not been told of, or has copied for this client alone."""
        self._delete(list(names))

    def _delete(self, names: Sequence[str]) -> None:
        """If the store cannot be reached any more, or has been left, the volume does so later: what was copied for one client
        or put from another host once it looks for what is forgotten, what was put from here when this process has died."""
        if names:
            with contextlib.suppress(StoreError):
                self._store.delete(*names)

    def leave(self) -> None:
        """Ends, after what is under way."""
        self._store.close()


def own_address() -> str | None:
    """By which other hosts reach this one, if its name says so."""
    with contextlib.suppress(OSError):
        address = socket.gethostbyname(socket.gethostname())
        if not ipaddress.ip_address(address).is_loopback:
            return address
    return None


def as_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes of a tensor, row-major, on its device: itself, if it is so already. Their shape is the tensor's, the last
    dimension in bytes."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    shape = tuple(plain.shape) or (1,)
    # flat in between: of a dimension of 1 the stride may be any, also that of the last, whose bytes are to lie side by side
    return plain.view(-1).view(torch.uint8).view(*shape[:-1], shape[-1] * plain.itemsize)


def view_of(whole: torch.Tensor, place: Place, target: torch.Tensor) -> torch.Tensor:
    """What lies at a place among the bytes of its tensor, as it is copied to `target`."""
    return whole.view(-1).view(target.dtype).as_strided(target.shape, place.stride, place.offset)


def fetch(snapshot: Snapshot, targets: Sequence[tuple[Place, torch.Tensor]]) -> None:
    """Copies what lies at places into tensors over the connection, in one call."""
    parts: list[tuple[str, Slices, torch.Tensor]] = []
    later: list[tuple[torch.Tensor, torch.Tensor]] = []  # what has landed, and where it goes
    for place, target in targets:
        whole = snapshot.spec(place.name).shape
        part = part_of(whole, place, target)
        if part is None:
            landed = torch.empty(whole, dtype=torch.uint8)
            parts.append((place.name, (), landed))
            later.append((view_of(landed, place, target), target))
        elif _memory.is_plain(target) and not target.is_conj():
            parts.append((place.name, part, as_bytes(target)))
        else:
            landed = torch.empty(target.shape, dtype=target.dtype)
            parts.append((place.name, part, as_bytes(landed)))
            later.append((landed, target))
    snapshot.load_parts(parts)
    for source, target in later:
        target.copy_(source)


def part_of(whole: Sequence[int], place: Place, target: torch.Tensor) -> Slices | None:
    """Which part of bytes of this shape lies at a place; None if that is no part of them, but a view of another kind."""
    size = target.dtype.itemsize
    shape, stride = (tuple(target.shape), place.stride) if target.dim() else ((1,), (1,))
    if len(shape) != len(whole):
        return None
    lengths = [*whole[:-1], whole[-1] // size]
    begins = []
    left = place.offset
    for dim, length in enumerate(shape):
        step = math.prod(lengths[dim + 1 :])
        begin, left = divmod(left, step)
        if begin + length > lengths[dim] or (length > 1 and stride[dim] != step):
            return None
        begins.append(begin)
    box = [slice(begin, begin + length) for begin, length in zip(begins, shape)]
    box[-1] = slice(begins[-1] * size, (begins[-1] + shape[-1]) * size)
    return box
