# SPDX-License-Identifier: Apache-2.0
"""The processes of store.py: those that put, those that get, and those that have what was put. Each does what the one tells it
that has started it."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Client, Connection
from pathlib import Path

import torch

from tombolo.store import Holder, Holders, Part, Store, Volume, Writers

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

Parts = dict[str, Part]
Calls = dict[str, Callable[[int], object]]
COLUMNS = 2048  # of each tensor, in f32
MEMCPY = "memcpy"
BY_CONNECTION = " by its connection"
OTHERS = "torchstore, "


@dataclass(frozen=True)
class Share:
    """What one of so many ranks has of a state dict: of each tensor some of its rows (dimension 0), or of its columns."""

    size: int
    tensors: int
    ranks: int
    rank: int
    dim: int

    @property
    def whole(self) -> tuple[int, int]:
        """The shape of each tensor."""
        return self.size // self.tensors // 4 // COLUMNS, COLUMNS

    @property
    def box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where its part of each begins, and the shape of that."""
        begin, end = (self.whole[self.dim] * rank // self.ranks for rank in (self.rank, self.rank + 1))
        start, shape = [0, 0], list(self.whole)
        start[self.dim], shape[self.dim] = begin, end - begin
        return tuple(start), tuple(shape)

    def parts(self) -> Parts:
        """With the same values in all processes."""
        random = torch.Generator().manual_seed(self.size)
        start, shape = self.box
        parts = {}
        for number in range(self.tensors):
            values = torch.randn(self.whole, generator=random).narrow(self.dim, start[self.dim], shape[self.dim])
            parts[f"w{number}"] = Part(values.clone(memory_format=torch.contiguous_format), start, self.whole)
        return parts


@dataclass(frozen=True)
class Setting:
    """Where a rank works."""

    host: str  # its address
    vendor: str
    library: str  # of torch's emulated device; "" where the vendor is the host
    near: bool  # readers and what they read from are on one host
    volume: str
    storage: tuple[str, int] | None  # torchstore's, if it is here

    def device(self) -> torch.device:
        if not self.library:
            return torch.device("cpu")
        import emulated_device

        return emulated_device.equip(self.library, 0, self.vendor)

    def store(self, share: bool) -> Store:
        store = Store(self.volume, share_memory=share)
        if store.shares_memory != share:
            raise RuntimeError(f"memory is {'not ' if share else ''}shared with {self.volume}")
        return store


class Rank:
    """What puts or gets, in each way that it knows."""

    calls: Calls

    def timed(self, way: str, step: int) -> tuple[float, float]:
        """When it began, and when it had ended, on the clock of all processes of this machine."""
        begin = time.monotonic()
        self.calls[way](step)
        return begin, time.monotonic()

    def traffic(self) -> list[int]:
        """Bytes that all interfaces of this host's network have received, and sent."""
        rows = [line.split(":")[1].split() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
        return [sum(int(row[column]) for row in rows) for column in (0, 8)]


class Writer(Rank):
    def __init__(self, share: Share, setting: Setting) -> None:
        device = setting.device()  # first: it is there before Java is
        self.share = share
        self.parts = {name: replace(part, held=part.held.to(device)) for name, part in share.parts().items()}
        self.holder = Holder("bench", run="bench", count=share.ranks, rank=share.rank, listen=f"{setting.host}:0")
        self.calls = {
            "store": partial(self.put, setting.store(share=True)),
            f"store{BY_CONNECTION}": partial(self.put, setting.store(share=False)),
            "one hop": self.show,
            f"one hop{BY_CONNECTION}": self.show,
            MEMCPY: lambda step: None,
        }
        if setting.storage is not None:
            from store_others import Clients

            others = Clients(share, connected(setting.storage), near=True)
            for kind in others.kinds:
                self.calls[OTHERS + kind] = lambda step, kind=kind: others.put(kind, self.parts)

    def where(self) -> str:
        return self.holder.address

    def put(self, store: Store, step: int) -> None:
        if self.share.ranks == 1:
            store.put_state_dict("bench", {name: part.held for name, part in self.parts.items()})
        else:
            store.put_state_dict("bench", self.parts, writers=Writers(f"{step}", self.share.ranks, self.share.rank))

    def show(self, step: int) -> None:
        self.holder.show(step, self.parts)


class Reader(Rank):
    def __init__(self, share: Share, setting: Setting, holders: list[str]) -> None:
        device = setting.device()
        self.expected = share.parts()
        self.targets = {
            name: replace(part, held=torch.zeros_like(part.held).to(device)) for name, part in self.expected.items()
        }
        # What memcpy is compared with lies on the host, too
        self.copies = self.targets if device.type == "cpu" else share.parts()
        self.calls = {MEMCPY: lambda step: self.copy()}
        for way, share_memory in (("", setting.near), (BY_CONNECTION, False)):
            self.calls[f"store{way}"] = partial(self.get, setting.store(share_memory))
            hop = Holders(holders, share_memory=share_memory)
            if hop.sharing != (len(holders) if share_memory else 0):
                raise RuntimeError(f"memory is shared with {hop.sharing} of {holders}")
            self.calls[f"one hop{way}"] = partial(self.fetch, hop)
        if setting.storage is not None:
            from store_others import Clients

            others = Clients(share, connected(setting.storage), setting.near)
            for kind in others.kinds:
                self.calls[OTHERS + kind] = lambda step, kind=kind: others.get(kind, self.targets)

    def clear(self) -> None:
        for parts in (self.targets, self.copies):
            for part in parts.values():
                part.held.fill_(-1)

    def wrong(self, way: str) -> list[str]:
        """Which tensors are not as they were put."""
        got = self.copies if way == MEMCPY else self.targets
        return [name for name, part in self.expected.items() if not torch.equal(got[name].held.cpu(), part.held)]

    def copy(self) -> None:
        for name, part in self.expected.items():
            self.copies[name].held.copy_(part.held)

    def get(self, store: Store, step: int) -> None:
        with store.open_state_dict("bench") as snapshot:
            snapshot.load(self.targets)

    def fetch(self, holders: Holders, step: int) -> None:
        with holders.open_state_dict("bench", newer_than=step - 1) as snapshot:
            snapshot.load(self.targets)


class VolumeAlone:
    """The volume, in a process that neither puts nor gets."""

    def __init__(self, host: str, size: int) -> None:
        self.volume = Volume(f"{host}:0", memory_bytes=2 * size + (64 << 20), keep=1)

    def where(self) -> str:
        return self.volume.address


def storage(host: str, clients: int) -> object:
    """torchstore's, for so many clients."""
    from store_others import Storage

    return Storage(host, clients)


ROLES = {each.__name__: each for each in (Writer, Reader, VolumeAlone, storage)}


def connected(place: tuple[str, int]) -> Connection:
    """To another process of the bench."""
    return prompt(Client(place, authkey=os.environ["TOMBOLO_TOKEN"].encode()))


def prompt(pipe: Connection) -> Connection:
    """No packet of it waits until the one before is acknowledged."""
    with socket.socket(fileno=os.dup(pipe.fileno())) as same:
        same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return pipe


def take_part(place: tuple[str, int], number: int) -> None:
    """Says its number there, and does what it is told, the first time what it is; until the other side ends."""
    torch.set_num_threads(1)
    pipe = connected(place)
    pipe.send(number)
    with contextlib.suppress(EOFError, ConnectionError):  # the latter if it ends without having read all answers
        serve(pipe)
    os._exit(0)  # nothing is to be saved, and threads that wait for other processes would hold up the end


def serve(pipe: Connection) -> None:
    role: object = None
    while True:
        call, arguments = pipe.recv()
        try:
            if role is None:
                role, result = ROLES[call](*arguments), None
            else:
                result = getattr(role, call)(*arguments)
            pipe.send((result, None))
        except Exception as error:  # noqa: BLE001: told to who asked
            traceback.print_exc()
            pipe.send((None, repr(error)))
