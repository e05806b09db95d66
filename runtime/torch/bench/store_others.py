# SPDX-License-Identifier: Apache-2.0
"""torchstore in store.py: its own client and storage, with requests by a pipe in place of actors."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing.connection import Connection, Listener
from types import SimpleNamespace

from torchstore.controller import ObjectType, StorageInfo
from torchstore.storage_volume import InMemoryStore
from torchstore.transport import Request, TensorSlice
from torchstore.transport.gloo import GlooTransportBuffer
from torchstore.transport.shared_memory import SharedMemoryTransportBuffer

import torchstore_process
from store_ranks import Parts, Share, prompt
from tombolo.torchstore import TomboloTransportBuffer

theirs = importlib.import_module("torchstore.client")  # the package has a function of that name

TRANSPORTS = {
    "Tombolo": TomboloTransportBuffer,
    "Gloo": GlooTransportBuffer,
    "shared memory": SharedMemoryTransportBuffer,
}


class Clients:
    """One for each transport, on a pipe to the storage."""

    kinds = tuple(TRANSPORTS)

    def __init__(self, share: Share, pipe: Connection, near: bool) -> None:
        self.share, self.loop = share, asyncio.new_event_loop()
        theirs.create_transport_buffer = lambda ref: TRANSPORTS[ref.volume_id](ref)
        asked = torchstore_process.Asked(pipe)
        self.refs = {kind: torchstore_process.Client(asked).ref for kind in self.kinds}
        for kind, ref in self.refs.items():
            ref.volume_id = kind
            if not near:
                ref.volume_hostname = "another"
        self.local = theirs.LocalClient(
            SimpleNamespace(locate_volumes=SimpleNamespace(call_one=self.located)),
            SimpleNamespace(get_storage_volume=self.refs.__getitem__),
        )

    def put(self, kind: str, parts: Parts) -> None:
        buffer = TRANSPORTS[kind](self.refs[kind])
        self.loop.run_until_complete(buffer.put_to_storage_volume(self.requests(kind, parts)))

    def get(self, kind: str, parts: Parts) -> None:
        requests = self.requests(kind, parts)
        got = self.loop.run_until_complete(self.local._fetch(requests))
        for request in requests:
            self.local._apply_inplace(got[request.key], request.tensor_val, request)

    def requests(self, kind: str, parts: Parts) -> list[Request]:
        slice_of_each = None if self.share.ranks == 1 else sliced(self.share)
        return [Request.from_any(f"{kind}/{name}", part.held, slice_of_each) for name, part in parts.items()]

    async def located(self, keys: list[str]) -> dict[str, dict[str, StorageInfo]]:
        """Where torchstore's controller has seen them put: all in one storage, and by rows."""
        if self.share.ranks == 1:
            info = StorageInfo(ObjectType.TENSOR)
        else:
            ranks = range(self.share.ranks)
            info = StorageInfo(ObjectType.TENSOR_SLICE, {sliced(replace(self.share, rank=rank, dim=0)) for rank in ranks})
        return {key: {key.split("/")[0]: info} for key in keys}


def sliced(share: Share) -> TensorSlice:
    start, shape = share.box
    return TensorSlice(start, (share.rank,), share.whole, shape, (share.ranks,))


class Storage:
    """Answers so many clients, in a thread."""

    def __init__(self, host: str, clients: int) -> None:
        self.listener = Listener((host, 0), backlog=clients, authkey=os.environ["TOMBOLO_TOKEN"].encode())
        threading.Thread(target=self.serve, args=(clients,), daemon=True).start()

    def where(self) -> tuple[str, int]:
        return self.listener.address

    def serve(self, clients: int) -> None:
        pipes = [prompt(self.listener.accept()) for _ in range(clients)]

        async def answer() -> None:
            store = InMemoryStore()
            # A thread waits at each pipe, and others copy
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(8 * clients))
            await asyncio.gather(*(torchstore_process.answer_all(store, pipe) for pipe in pipes))

        with contextlib.suppress(EOFError, OSError):  # a client has ended
            asyncio.run(answer())
