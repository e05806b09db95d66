# SPDX-License-Identifier: Apache-2.0
"""torchstore over Tombolo: importing this makes torchstore use it wherever it would use Gloo.

    import tombolo.torchstore

A storage volume without an accelerator has its tensors in memory that clients on its host share, who copy straight there
and back; those on other hosts that have neither an accelerator nor an RDMA device put and get over a connection. Else a client
and a volume are a group of two ranks, of the vendors that they have, and tensors go by the fastest fabric, from device to
device where both have one. A put goes to memory of its own, so that a reader has the tensor as it was before, or after.
"""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import torch
import torchstore.client as client  # "as": its package may be under way itself
import torchstore.transport as transport
from torch.distributed import TCPStore
from torchstore.transport import Request, TransportType, get_available_transport
from torchstore.transport.buffers import TransportBuffer, TransportContext
from torchstore.utils import get_local_hostname

from tombolo import _memory
from tombolo._beside import accelerator, beside, ended, to_its_end
from tombolo._connections import TIMEOUT, Connections, Group
from tombolo._shelf import FAR, Gone, Place, Reach, Shelf, passing
from tombolo.store import StoreError

__all__ = ["TomboloTransportBuffer", "register"]

PATIENCE = 2 * TIMEOUT  # of who waits for tensors: an operation's own end says more
RECOVERABLE = ("TOMBOLO_USAGE", "TOMBOLO_RESOURCE")  # after which a store can be used as before
CLIENT, VOLUME = 0, 1  # their ranks
RDMA_DEVICES = "/sys/class/infiniband"
MAX_TRIES = 100  # of a get whose tensors are replaced each time before they can be read


class TomboloTransportBuffer(TransportBuffer):
    """What a client sends along with a request, and a volume back. Tensors of a request are under way while it is."""

    supports_inplace_resharding = True
    supports_batch_puts = True
    supports_batch_gets = True

    def __init__(self, storage_volume_ref: Any) -> None:
        super().__init__(storage_volume_ref)
        self.key = ""  # of the connection, on the volume
        self.address = ("", 0)  # where they meet first
        self.pid = 0  # of a client that asks whether they share memory
        self.far = False  # a client of another host asks for a connection to where tensors are
        self.tag = 0
        self.kinds: list[tuple[torch.Size, torch.dtype, str] | None] = []  # None: an object
        self.objects: list[Any] = []
        self.failure: Exception | None = None  # of a volume that may have begun to send
        self.on_shelf = False
        self.names: list[str | None] = []  # of what has been put to shared memory; None: an object, or empty
        self.places: list[Place | None] = []  # of what can be got from there, likewise
        self._connection: Group | Reach | None = None
        self._work: list[Any] = []
        self._done = True

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name[0] != "_" and name != "storage_volume_ref"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(None)  # type: ignore[misc]
        self.__dict__.update(state)

    # ---- on the client

    async def put_to_storage_volume(self, requests: list[Request]) -> None:
        await self._connected(partial(super().put_to_storage_volume, requests))

    async def get_from_storage_volume(self, requests: list[Request]) -> list[Any]:
        get = partial(super().get_from_storage_volume, requests)
        for _ in range(MAX_TRIES):
            try:
                return await self._connected(get)
            except Gone:
                continue
        raise RuntimeError(
            f"{[request.key for request in requests]} were replaced {MAX_TRIES} times before they could be read"
        )

    async def _connected(self, request: Callable[[], Awaitable[Any]]) -> Any:
        """Makes a request on the connection to the volume, with a tag of its own; after a failure the connection is
        left, as the volume may be waiting for what never comes."""
        volume_id = self.storage_volume_ref.volume_id
        connections = self.storage_volume_ref.transport_context.get(Connections)
        async with connections.meeting.setdefault(volume_id, asyncio.Lock()):
            connection = connections.find(volume_id)
            if connection is None:
                connection = await self._meet()
                connections.add(volume_id, connection)
        self._connection = connection
        self.key = connection.key
        self.on_shelf = isinstance(connection, Reach)
        if isinstance(connection, Reach):
            return await self._reached(connection, request)
        self.tag = await connection.take_tag()
        if connections.find(volume_id) is not connection:  # it was left while this waited
            connection.give_back(self.tag)
            return await self._connected(request)
        try:
            return await request()
        except BaseException as error:
            # who is cancelled while the volume is asked is still sent tensors, which another with the same tag would get
            if self._work or isinstance(error, asyncio.CancelledError):
                await connections.left(volume_id, connection)
            raise
        finally:
            connection.give_back(self.tag)

    async def _reached(self, reach: Reach, request: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await request()
        except BaseException as error:
            failure = error.__cause__ if isinstance(error, asyncio.CancelledError) else error
            if isinstance(failure, StoreError) and failure.status not in RECOVERABLE:
                connections = self.storage_volume_ref.transport_context.get(Connections)
                await connections.left(self.storage_volume_ref.volume_id, reach)
            raise

    async def _meet(self) -> Group | Reach:
        """The first request to a volume: it shares its memory, or gives another host a connection to it, or both join a group
        of two, by a store of this process."""
        key = uuid.uuid4().hex
        near = self.storage_volume_ref.volume_hostname == get_local_hostname()
        if near:
            self.key, self.pid = key, os.getpid()
            shelf = await self.storage_volume_ref.volume.handshake.call_one(self, [])
            self.pid = 0
            reach = await asyncio.to_thread(Reach.of, key, *shelf) if shelf else None
            if reach is not None:
                return reach
        elif accelerator() is None and not _has_rdma():
            self.far = True
            shelf = await self.storage_volume_ref.volume.handshake.call_one(self, [])
            self.far = False
            reach = await asyncio.to_thread(Reach.across, FAR + key, *shelf) if shelf else None
            if reach is not None:
                return reach
        host = "127.0.0.1" if near else socket.getfqdn()
        store = TCPStore(host, 0, 2, is_master=True, wait_for_workers=False, timeout=TIMEOUT)
        self.key, self.address = key, (host, store.port)
        joining = asyncio.create_task(beside(Group, store, CLIENT, key))
        await self.storage_volume_ref.volume.handshake.call_one(self, [])
        return await joining

    async def _pre_put_hook(self, requests: list[Request]) -> None:
        assert self._connection is not None
        tensors = [request.tensor_val for request in requests if not request.is_object]
        assert all(tensor is not None for tensor in tensors), "a put has tensors or objects"
        self.kinds = [
            None if request.is_object else (tensor.shape, tensor.dtype, tensor.device.type)
            for request in requests
            for tensor in [request.tensor_val]
        ]
        if isinstance(self._connection, Reach):
            await self._put_on_shelf(self._connection, requests)
        else:
            for work in self._connection.send(tensors, self.tag):
                self._work.append(work)  # each at once: of those before one that cannot be sent, too

    async def _put_on_shelf(self, reach: Reach, requests: list[Request]) -> None:
        values = [None if request.is_object else request.tensor_val for request in requests]
        self.names = reach.names(values)
        named = {name: value for name, value in zip(self.names, values) if name}
        try:
            await to_its_end(reach.put, named)
        except BaseException:
            _withdraw(reach, named)
            raise

    async def _post_request_success(self) -> None:
        await ended(self._work, PATIENCE)
        self._work = []

    async def _handle_storage_volume_response(self, requests: list[Request], transport_buffer: Any) -> list[Any]:
        assert self._connection is not None
        if isinstance(self._connection, Reach):
            return await self._get_from_shelf(self._connection, requests, transport_buffer)
        self._work = [None]  # the volume's tensors are under way
        if transport_buffer.failure is not None:
            raise transport_buffer.failure
        results = _targets(requests, transport_buffer)
        tensors = [each for each, kind in zip(results, transport_buffer.kinds) if kind]
        self._work = self._connection.receive(tensors, self.tag)
        return results

    async def _get_from_shelf(self, reach: Reach, requests: list[Request], answer: Any) -> list[Any]:
        try:
            results = _targets(requests, answer)
        except BaseException:
            _withdraw(reach, passing(answer.places))
            raise
        await to_its_end(reach.get, [(place, result) for place, result in zip(answer.places, results) if place])
        return results

    async def drop(self) -> None:
        self.objects = []

    # ---- on the volume

    async def recv_handshake(self, ctx: TransportContext, entries: list[tuple[Request, Any]]) -> list[Any]:
        if self.pid or self.far:
            if accelerator():
                return []
            admitting = ctx.get(Shelf).admit_far() if self.far else ctx.get(Shelf).admit(self.key, self.pid)
            return [*(await admitting or ())]
        host, port = self.address
        join = partial(TCPStore, host, port, 2, is_master=False, timeout=TIMEOUT)
        store = await asyncio.to_thread(join)
        group = await beside(Group, store, VOLUME, self.key)
        ctx.get(Connections).add(self.key, group)
        ctx.get(Connections).watch(self.key, group)
        return []

    async def handle_put_request(self, ctx: TransportContext, entries: list[tuple[Request, Any]]) -> list[Any]:
        if self.on_shelf:
            return await self._keep(ctx.get(Shelf), [request for request, _ in entries])
        results = [
            request.objects if kind is None else _memory.fresh(kind[0], kind[1], _home(kind[2]))
            for (request, _), kind in zip(entries, self.kinds, strict=True)
        ]
        tensors = [result for result, kind in zip(results, self.kinds) if kind]
        if any(each.numel() for each in tensors):  # else it needs no group
            await ended(self._here(ctx).receive(tensors, self.tag), PATIENCE)
        return results

    async def handle_get_request(self, ctx: TransportContext, entries: list[tuple[Request, Any]]) -> None:
        self.kinds, self.objects, tensors = [], [], []
        for _, data in entries:
            if isinstance(data, torch.Tensor):
                self.kinds.append((data.shape, data.dtype, data.device.type))
                tensors.append(data)
            else:
                self.kinds.append(None)
                self.objects.append(data)
        if self.on_shelf:
            lying = [data if isinstance(data, torch.Tensor) and data.numel() else None for _, data in entries]
            self.places = await asyncio.to_thread(ctx.get(Shelf).places, lying, self.key)
            return
        # They are received once the client has this answer. What is under way keeps the tensors alive. If not all can be
        # sent the answer says so, and the client leaves the connection: one that has no answer would not.
        try:
            list(self._here(ctx).send(tensors, self.tag))
        except Exception as error:
            self.failure = error

    async def _keep(self, shelf: Shelf, requests: list[Request]) -> list[Any]:
        kept = iter(await asyncio.to_thread(shelf.keep, [name for name in self.names if name]))
        results: list[Any] = []
        for request, kind, name in zip(requests, self.kinds, self.names, strict=True):
            if kind is None:
                results.append(request.objects)
            else:
                held = next(kept) if name else torch.empty(0, dtype=torch.uint8)
                results.append(held.view(kind[1]).view(kind[0]))
        return results

    def _here(self, ctx: TransportContext) -> Group:
        connection = ctx.get(Connections).find(self.key)
        if not isinstance(connection, Group):
            raise RuntimeError(f"the volume has left connection {self.key}; make the request again")
        return connection


def _targets(requests: list[Request], answer: Any) -> list[Any]:
    """What a get gives: the objects that a volume has answered, and where its tensors go."""
    objects = iter(answer.objects)
    results: list[Any] = []
    for request, kind in zip(requests, answer.kinds, strict=True):
        if kind is None:
            results.append(next(objects))
            continue
        shape, dtype, _ = kind
        target = request.tensor_val
        if target is None:
            target = _memory.fresh(shape, dtype, torch.device("cpu"))
        elif target.shape != shape or target.dtype != dtype:
            raise ValueError(
                f"'{request.key}' is {dtype} of {tuple(shape)}, not {target.dtype} of {tuple(target.shape)}"
            )
        results.append(target)
    return results


def _withdraw(reach: Reach, names: Iterable[str]) -> None:
    """Has a thread do so, for which nobody waits."""
    asyncio.get_running_loop().run_in_executor(None, reach.withdraw, names)


def _home(device_type: str) -> torch.device:
    """Where a volume keeps what a client had on a device of this type: on its own accelerator, if it has one."""
    return torch.device("cpu") if device_type == "cpu" else accelerator() or torch.device("cpu")


def _has_rdma() -> bool:
    """Whether this host has a device whose fabric may be faster than a connection."""
    return os.path.isdir(RDMA_DEVICES) and bool(os.listdir(RDMA_DEVICES))


_others = transport.create_transport_buffer


def _create(storage_volume_ref: Any) -> TransportBuffer:
    kind = storage_volume_ref.default_transport_type
    if kind == TransportType.Unset:
        kind = get_available_transport(storage_volume_ref)
    return TomboloTransportBuffer(storage_volume_ref) if kind == TransportType.Gloo else _others(storage_volume_ref)


def register() -> None:
    """Has torchstore's clients in this process use Tombolo where they would use Gloo; importing this does it, too."""
    transport.create_transport_buffer = _create
    client.create_transport_buffer = _create


register()
