# SPDX-License-Identifier: Apache-2.0
"""A state dict put and got: the store, one hop, torchstore over Tombolo, over Gloo and over its shared memory, and memcpy,
in turn.

    python bench/store.py [--size 600] [--tensors 100] [--rounds 5]

With torchstore on PYTHONPATH; without it, ours and memcpy alone. The volume, the holder and torchstore's storage run in
processes of their own. Requests to torchstore's go by a pipe in place of actors: what differs is the transport. Tensors are
got into given ones. One hop's put is a holder's show, to memory of its own, timed there. Prints for each:

    ms, GB/s, of memcpy    the median, and what that makes
    sent                   bytes on network interfaces, loopback too, as a part of the state dict: 1 is the least over
                           a network, 0 where memory is shared, and for one hop's put
    copies                 how often each byte is copied on its way, by processes and by the kernel to and from sockets
    updates/s              a put and a get each

Between two hosts, with one TOMBOLO_TOKEN:

    python bench/store.py --serve 10.78.0.1:7791       # on the one, until it is killed
    python bench/store.py --at 10.78.0.1:7791          # on the other
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

import torch

from tombolo.store import Holder, Holders, Store, Volume

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

Tensors = dict[str, torch.Tensor]
PATIENCE_S = 60


@dataclass(frozen=True)
class Dict:
    """A state dict of so many bytes, the same in all processes."""

    size: int
    tensors: int

    def values(self) -> Tensors:
        random = torch.Generator().manual_seed(self.size)
        each = self.size // self.tensors // 4
        return {f"w{i}": torch.randn(each, generator=random) for i in range(self.tensors)}


@dataclass(frozen=True)
class Way:
    """How a state dict is put and got, and how often a byte is copied for each. A put may say itself how long it took."""

    put: Callable[[], float | None]
    get: Callable[[], object]
    copies: tuple[int | str, int | str]


def serve_volume(pipe: Connection, host: str, kind: Dict) -> None:
    with Volume(f"{host}:0", memory_bytes=2 * kind.size + (64 << 20), keep=1) as volume:
        pipe.send((volume.address, volume.token))
        pipe.poll(None)  # until the other side ends


def hold(pipe: Connection, host: str, kind: Dict) -> None:
    values = kind.values()
    with Holder("bench", run="bench", listen=f"{host}:0") as holder:
        pipe.send((holder.address, holder.token))
        with contextlib.suppress(EOFError):  # the other side has ended
            while True:
                version = pipe.recv()
                begin = time.perf_counter()
                holder.show(version, values)
                pipe.send(time.perf_counter() - begin)


def serve_torchstore(pipe: Connection, host: str, kind: Dict) -> None:
    import torchstore_process

    with contextlib.suppress(EOFError):  # the other side has ended
        torchstore_process.serve(pipe, torchstore_process.nothing)


ROLES = {each.__name__: each for each in (serve_volume, hold, serve_torchstore)}
processes = multiprocessing.get_context("spawn")


def serve_at(host: str, port: int) -> None:
    """Plays roles for another host's --at, until this process is killed."""
    with Listener((host, port), authkey=os.environ["TOMBOLO_TOKEN"].encode()) as listener:
        print(f"serves at {host}:{port}", flush=True)
        while True:
            try:
                pipe = listener.accept()
                role, kind = pipe.recv()
            except (OSError, EOFError, AuthenticationError) as error:
                print(f"none of ours came: {error!r}", flush=True)
                continue
            processes.Process(target=ROLES[role], args=(pipe, host, kind), daemon=True).start()
            pipe.close()


def other_host(role: Callable, place: tuple[str, int], kind: Dict) -> Connection:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            pipe = Client(place, authkey=os.environ["TOMBOLO_TOKEN"].encode())
            break
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    pipe.send((role.__name__, kind))
    return pipe


def other_process(role: Callable, kind: Dict) -> Connection:
    pipe, far = processes.Pipe()
    processes.Process(target=role, args=(far, "127.0.0.1", kind), daemon=True).start()
    far.close()
    return pipe


def of_store(where: tuple[str, str], share: bool, values: Tensors, targets: Tensors) -> Way:
    store = Store(*where, share_memory=share)
    if store.shares_memory != share:
        sys.exit(f"memory is {'not ' if share else ''}shared with {where[0]}")

    def get() -> None:
        with store.open_state_dict("bench") as snapshot:
            snapshot.load(targets)

    # What a get takes leaves the volume by sendfile
    return Way(lambda: store.put_state_dict("bench", values) and None, get, (1, 1) if share else (2, 1))


class OneHop:
    """A holder's versions, for readers that share its memory and others."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.version = pipe, 0
        address, self.token = pipe.recv()
        self.addresses = [address]

    def show(self) -> float:
        self.version += 1
        self.pipe.send(self.version)
        return self.pipe.recv()

    def way(self, share: bool, targets: Tensors) -> Way:
        holders = Holders(self.addresses, self.token, share_memory=share)
        if holders.sharing != int(share):
            sys.exit(f"memory is {'not ' if share else ''}shared with {self.addresses[0]}")

        def get() -> None:
            with holders.open_state_dict("bench", newer_than=self.version - 1) as snapshot:
                snapshot.load(targets)

        return Way(self.show, get, (1, 1))


def of_torchstore(kind: str, near: bool, pipe: Connection, values: Tensors, targets: Tensors) -> Way:
    import torchstore_process
    from torchstore.transport import Request
    from torchstore.transport.gloo import GlooTransportBuffer
    from torchstore.transport.shared_memory import SharedMemoryTransportBuffer

    from tombolo.torchstore import TomboloTransportBuffer

    kinds = {
        "Tombolo": (TomboloTransportBuffer, (1, 1) if near else ("-", "-")),
        "Gloo": (GlooTransportBuffer, (2, 3)),
        "shared memory": (SharedMemoryTransportBuffer, (1, 1)),
    }
    buffer, copies = kinds[kind]
    client = torchstore_process.Client(torchstore_process.Asked(pipe))
    client.ref.volume_id = kind
    if not near:
        client.ref.volume_hostname = "another"
    requests = [Request.from_any(name, value) for name, value in values.items()]
    wanted = [Request.from_any(name, value) for name, value in targets.items()]
    loop = asyncio.new_event_loop()

    def get() -> None:
        got = loop.run_until_complete(buffer(client.ref).get_from_storage_volume(wanted))
        for request, tensor in zip(wanted, got):
            if request.tensor_val.data_ptr() != tensor.data_ptr():
                request.tensor_val.copy_(tensor)  # as torchstore's client does

    return Way(lambda: loop.run_until_complete(buffer(client.ref).put_to_storage_volume(requests)), get, copies)


def all_ways(begin: Callable[[Callable], Connection], near: bool, values: Tensors, targets: Tensors) -> dict[str, Way]:
    """What `begin` reaches for each role is of this host, or of another."""
    ways = {}
    volume = begin(serve_volume)
    where = volume.recv()
    held = OneHop(begin(hold))
    for share in (True, False) if near else (False,):
        path = "shared memory" if share else "connection"
        ways[f"store, {path}"] = of_store(where, share, values, targets)
        ways[f"one hop, {path}"] = held.way(share, targets)
    if importlib.util.find_spec("torchstore") is None:
        print("no torchstore here")
        return ways
    for kind in ("Tombolo", "Gloo", "shared memory") if near else ("Tombolo", "Gloo"):
        ways[f"torchstore, {kind}"] = of_torchstore(kind, near, begin(serve_torchstore), values, targets)
    return ways


def traffic() -> list[int]:
    """Bytes that all interfaces of this network have received, and sent."""
    rows = [line.split(":")[1].split() for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
    return [sum(int(row[column]) for row in rows) for column in (0, 8)]


def timed(call: Callable[[], object]) -> tuple[float, int]:
    before, begin = traffic(), time.perf_counter()
    took = call()
    elapsed = time.perf_counter() - begin
    return took if isinstance(took, float) else elapsed, max(now - then for now, then in zip(traffic(), before))


def run(ways: dict[str, Way], values: Tensors, targets: Tensors, rounds: int) -> dict[str, list[tuple[float, int]]]:
    """Seconds and bytes of each, in turn."""
    seen: dict[str, list[tuple[float, int]]] = {}
    calls = {f"{name}, {verb}": call for name, way in ways.items() for verb, call in (("put", way.put), ("get", way.get))}
    for turn in range(rounds + 1):  # the first does not count
        for what, call in calls.items():
            if what.endswith("get"):
                for target in targets.values():
                    target.fill_(-1)
            took = timed(call)
            if turn:
                seen.setdefault(what, []).append(took)
            if what.endswith("get") and not all(torch.equal(values[name], targets[name]) for name in values):
                sys.exit(f"{what}: what came back is not what was put")
    return seen


def report(ways: dict[str, Way], seen: dict[str, list[tuple[float, int]]], size: int) -> None:
    median = {what: statistics.median(seconds for seconds, _ in each) for what, each in seen.items()}
    memcpy = median["memcpy, get"]
    print(f"{'':34}{'ms':>10}{'GB/s':>8}{'of memcpy':>11}{'sent':>7}{'copies':>8}{'updates/s':>11}")
    for name, way in ways.items():
        both = statistics.median(put + get for (put, _), (get, _) in zip(seen[f"{name}, put"], seen[f"{name}, get"]))
        for verb, copies in zip(("put", "get"), way.copies):
            what = f"{name}, {verb}"
            if what == "memcpy, put":
                continue
            taken, sent = median[what], statistics.median(count for _, count in seen[what])
            row = f"{'memcpy' if name == 'memcpy' else what:34}{taken * 1e3:10.2f}{size / taken / 1e9:8.2f}"
            row += f"{100 * memcpy / taken:9.0f} %{sent / size:7.2f}{copies:>8}"
            print(row + (f"{1 / both:11.1f}" if verb == "get" else ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=600, help="of the state dict, in MB")
    parser.add_argument("--tensors", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    far = parser.add_mutually_exclusive_group()
    far.add_argument("--serve", metavar="HOST:PORT", help="play the other side of another host's --at")
    far.add_argument("--at", metavar="HOST:PORT", help="where --serve is")
    options = parser.parse_args()
    if options.serve or options.at:
        host, port = (options.serve or options.at).rsplit(":", 1)
        place = host, int(port)
    if options.serve:
        return serve_at(*place)
    torch.set_num_threads(1)
    kind = Dict(options.size * 1_000_000, options.tensors)
    values = kind.values()
    targets = {name: torch.zeros_like(value) for name, value in values.items()}

    def copy() -> None:
        for name, value in values.items():
            targets[name].copy_(value)

    def begin(role: Callable) -> Connection:
        return other_host(role, place, kind) if options.at else other_process(role, kind)

    ways = {"memcpy": Way(lambda: None, copy, ("", 1)), **all_ways(begin, not options.at, values, targets)}
    report(ways, run(ways, values, targets, options.rounds), sum(each.nbytes for each in values.values()))


if __name__ == "__main__":
    main()
