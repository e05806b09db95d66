# SPDX-License-Identifier: Apache-2.0
"""torchstore's storage in a process of its own, which gets requests by a pipe in place of torchstore's actors, and its
clients."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import multiprocessing
import pickle
import signal
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

import torch
import torchstore.client
from torchstore.storage_volume import InMemoryStore
from torchstore.transport import Request, TransportType
from torchstore.transport.buffers import TransportContext
from torchstore.utils import get_local_hostname


def nothing() -> None:
    """Equips a process with what it has."""


async def answer_all(store: InMemoryStore, pipe: Connection) -> None:
    """Answers requests from a pipe side by side, until it ends: then with EOFError."""

    async def answer(number: int, method: str, arguments: Any) -> None:
        try:
            pipe.send_bytes(pickle.dumps((number, await getattr(store, method)(*arguments), None)))
        except Exception as error:  # noqa: BLE001: told to who asked
            pipe.send_bytes(pickle.dumps((number, None, error)))

    answering: set[asyncio.Task[None]] = set()
    while True:
        number, method, arguments = pickle.loads(await asyncio.to_thread(pipe.recv_bytes))
        answering.add(asyncio.create_task(answer(number, method, arguments)))


def serve(pipe: Connection, equip: Callable[[], Any]) -> None:
    """torchstore's storage in this process, for who has the other end of the pipe; first it calls `equip`."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with the tests
    equip()
    asyncio.run(answer_all(InMemoryStore(), pipe))


class Endpoint:
    """A method of the storage, as torchstore calls it."""

    def __init__(self, volume: Asked, method: str) -> None:
        self.volume, self.method = volume, method

    async def call(self, *arguments: Any) -> Any:
        return await asyncio.wrap_future(self.volume.ask(self.method, arguments))

    call_one = call


class Asked:
    """The storage at the other end of a pipe."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.asked: dict[int, Future[Any]] = {}
        self.handshake, self.put, self.get = (
            Endpoint(self, name) for name in ("handshake", "put", "get")
        )
        self.get_meta = Endpoint(self, "get_meta")
        threading.Thread(target=self.listen, daemon=True).start()

    def ask(self, method: str, arguments: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        number = len(self.asked)
        self.asked[number] = answer
        self.pipe.send_bytes(pickle.dumps((number, method, arguments)))
        return answer

    def listen(self) -> None:
        try:
            while True:
                number, result, error = pickle.loads(self.pipe.recv_bytes())
                self.asked[number].set_exception(error) if error else self.asked[number].set_result(result)
        except (EOFError, OSError):
            for answer in self.asked.values():
                if not answer.done():
                    answer.set_exception(ConnectionError("the volume has gone"))


class Volume(Asked):
    """The process with the storage."""

    def __init__(self, equip: Callable[[], Any] = nothing) -> None:
        context = multiprocessing.get_context("spawn")
        pipe, far = context.Pipe()
        self.process = context.Process(target=serve, args=(far, equip))
        self.process.start()
        far.close()
        super().__init__(pipe)

    def relay(self, pipe: Connection) -> None:
        """Passes on what another process asks by a pipe, until that process ends."""

        def answer(number: int, asked: Future[Any]) -> None:
            with contextlib.suppress(OSError):  # who asked may be dead
                error = asked.exception()
                pipe.send_bytes(pickle.dumps((number, None if error else asked.result(), error)))

        with contextlib.suppress(EOFError, OSError):
            while True:
                number, method, arguments = pickle.loads(pipe.recv_bytes())
                self.ask(method, arguments).add_done_callback(partial(answer, number))


class Client:
    """A process that puts and gets, over what torchstore chooses in place of Gloo."""

    def __init__(self, volume: Asked) -> None:
        self.ref = SimpleNamespace(
            volume=volume,
            volume_id="0",
            volume_hostname=get_local_hostname(),
            transport_context=TransportContext(),
            default_transport_type=TransportType.Gloo,
        )

    async def put(self, **values: Any) -> None:
        requests = [
            Request.from_any(key, value) if isinstance(value, torch.Tensor) else Request.from_objects(key, value)
            for key, value in values.items()
        ]
        await self.buffer().put_to_storage_volume(requests)

    async def get(self, *requests: Request | str) -> list[Any]:
        asked = [Request(key=each) if isinstance(each, str) else each for each in requests]
        return await self.buffer().get_from_storage_volume(asked)

    def buffer(self) -> Any:
        return torchstore.client.create_transport_buffer(self.ref)


def converse(volume: Asked, conversation: Callable[[Client], Awaitable[None]]) -> None:
    """Has a client of a volume put and get, for two minutes at most."""

    async def limited() -> None:
        client = Client(volume)
        try:
            await asyncio.wait_for(conversation(client), 120)
        finally:
            client.ref.transport_context.clear()

    asyncio.run(limited())
