# SPDX-License-Identifier: Apache-2.0
"""torchstore's tensors in memory that clients on the storage volume's host share: a store's, in the volume's process.

A client copies what it puts straight to where it stays, and what it gets straight from there. Each tensor has a name of its
own in the store, beginning with the client's. The volume deletes it when it has no use for the tensor any more, or when
the client has died before the volume knew of it.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torchstore.transport.buffers import TransportCache

from tombolo import _memory
from tombolo.store import Store, StoreError, Volume

TIMEOUT_S = 120
SETTLE_S = 1  # after a client's end, until the store has seen that as well
MISSING = "TOMBOLO_USAGE"  # the status of a name that is there no more


@dataclass(frozen=True)
class Place:
    """Where a tensor lies: elements of some bytes with a name."""

    name: str
    stride: tuple[int, ...]
    offset: int
    passing: bool = False  # only until it has been got


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
        self._deleting = False  # whether what has been dropped by now is deleted soon
        self._numbers = itertools.count()

    async def admit(self, client: str, pid: int) -> tuple[str, str] | None:
        """Where this client finds the store, and its token; None if it is no process of here."""
        try:
            ending = os.pidfd_open(pid)
        except OSError:
            return None  # another container's
        loop = asyncio.get_running_loop()
        async with self._opening:
            if self._volume is None:
                await asyncio.to_thread(self._open)
                self._loop = loop
        loop.add_reader(ending, self._bury, ending, client)
        return self._volume.address, self._volume.token

    def _open(self) -> None:
        everything = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")  # what is not used takes none
        volume = Volume(token=secrets.token_hex(32), memory_bytes=everything)
        self._store = Store(volume.address, volume.token, TIMEOUT_S)
        self._volume = volume

    def keep(self, names: Sequence[str]) -> list[torch.Tensor]:
        """What a client has put under these names, as bytes. It stays for as long as one of its views is in use."""
        if not names:
            return []
        with self._turn, self._store.open(list(names)) as snapshot:
            found = {snapshot.address(name): name for name in names}
            sizes = [snapshot.spec(name).shape[0] for name in names]
            self._names.update(found)
        return [
            _memory.lent(address, size, partial(self._let_go, address)) for address, size in zip(found, sizes)
        ]

    def place(self, tensor: torch.Tensor, client: str) -> Place:
        """Where a client finds a tensor; what does not lie here is copied for it."""
        name = self._names.get(tensor.untyped_storage().data_ptr())
        if name is not None:
            return Place(name, tensor.stride(), tensor.storage_offset())
        name = f"{client}/passing/{next(self._numbers)}"
        self._store.put(name, as_bytes(tensor))
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
            known = set(self._names.values())
            left = [] if self._volume is None else self._store.keys(f"{client}/")
            unknown = [name for name in left if name not in known]
            if unknown:
                self._store.delete(*unknown)


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
        try:
            snapshot = self._store.open(names)
        except StoreError as error:
            if error.status == MISSING:
                raise Gone from error
            raise
        passing = [place.name for place, _ in targets if place.passing]
        if passing:
            self._store.delete(*passing)
        with snapshot:
            for place, target in targets:
                whole = snapshot.view(place.name).view(target.dtype)
                target.copy_(whole.as_strided(target.shape, place.stride, place.offset))
            snapshot.check()

    def withdraw(self, names: Iterable[str]) -> None:
        """Deletes what the volume has not been told of."""
        self._store.delete(*names)

    def leave(self) -> None:
        """Ends, after what is under way."""
        self._store.close()


def as_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes of a tensor, row-major, on its device: itself, if it is so already."""
    return tensor.detach().resolve_conj().resolve_neg().contiguous().view(-1).view(torch.uint8)
