# SPDX-License-Identifier: Apache-2.0
"""What torchstore's clients and volumes are connected by: a group of both, or a client's reach to the volume's memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import torch
from torch.distributed import TCPStore
from torchstore.transport.buffers import TransportCache

from tombolo import _backend, _vendor
from tombolo._beside import end_of
from tombolo._shelf import Reach

TIMEOUT = timedelta(seconds=120)  # of a meeting, and of each tensor
TAGS = range(64)  # of requests under way in one group; more wait
LOOK_S = 1  # between looks at a group of a volume


class Group:
    """A group of a client and a volume."""

    def __init__(self, store: TCPStore, rank: int, key: str) -> None:
        from tombolo import _C

        vendor, device = _vendor.choose()
        self.key = key
        self._peer = 1 - rank
        self._group = _C.join(store, rank, 2, TIMEOUT, f"torchstore {key}", vendor, device)
        self._store = store  # the client's is where they meet
        self._tags = asyncio.Queue[int]()
        for tag in TAGS:
            self._tags.put_nowait(tag)
        _backend.keep(self._group)

    async def take_tag(self) -> int:
        """A tag that no other request of this connection has, so that none gets another's tensors."""
        return await self._tags.get()

    def give_back(self, tag: int) -> None:
        self._tags.put_nowait(tag)

    def send(self, tensors: list[torch.Tensor], tag: int) -> Iterator[Any]:
        """Begins to send those that have elements, one after the other: one that cannot be sent ends this by an error."""
        return (self._group.send([each.detach()], self._peer, tag) for each in tensors if each.numel())

    def receive(self, tensors: list[torch.Tensor], tag: int) -> list[Any]:
        """Begins to receive into those that have elements."""
        return [self._group.recv([each.detach()], self._peer, tag) for each in tensors if each.numel()]

    def has_failed(self) -> bool:
        """Also if the other has left it, or died. Not to be asked of one that was left here."""
        return bool(self._group.get_error().name != "SUCCESS")

    def leave(self) -> None:
        """Gives up what is under way, and with it the group."""
        self._group.abort()
        self._group.shutdown()


class Connections(TransportCache):
    """What this process is connected to: a client by volumes, a volume by the connections' keys."""

    def __init__(self) -> None:
        self._known: dict[str, Group | Reach] = {}
        self._leaving: dict[Group | Reach, asyncio.Future[None]] = {}
        self._watching: set[asyncio.Task[None]] = set()
        self.meeting: dict[str, asyncio.Lock] = {}  # one handshake with a volume at a time

    def find(self, name: str) -> Group | Reach | None:
        return self._known.get(name)

    def add(self, name: str, connection: Group | Reach) -> None:
        self._known[name] = connection

    async def left(self, name: str, connection: Group | Reach) -> None:
        """Has left a connection that has failed; the next request makes a new one. All its requests that have tensors under
        way wait for that, also those that are cancelled: until then it may read and write them."""
        if self._known.get(name) is connection:
            del self._known[name]
            alone = ThreadPoolExecutor(1)  # all of the loop's threads may be waiting for what this ends
            leaving = asyncio.get_running_loop().run_in_executor(alone, connection.leave)
            alone.shutdown(wait=False)
            self._leaving[connection] = leaving
            leaving.add_done_callback(lambda _: self._leaving.pop(connection))
        if connection in self._leaving:
            await end_of(self._leaving[connection])

    def watch(self, name: str, group: Group) -> None:
        """Leaves a group soon after it has failed. A volume, which is only asked, would else keep it, with all that was to be
        sent there, once its client has left it or died."""
        watching = asyncio.create_task(self._leave_failed(name, group))
        self._watching.add(watching)  # the loop itself would forget it
        watching.add_done_callback(self._watching.discard)

    async def _leave_failed(self, name: str, group: Group) -> None:
        while self._known.get(name) is group:
            if group.has_failed():
                await self.left(name, group)
            else:
                await asyncio.sleep(LOOK_S)  # not a thread that waits: it would be one of the loop's few

    def clear(self) -> None:
        while self._known:
            self._known.popitem()[1].leave()
