# SPDX-License-Identifier: Apache-2.0
"""A state dict put and got: the store, torchstore over Tombolo, over Gloo and over its shared memory, and memcpy, in turn.

    python bench/store.py [--size 600] [--tensors 100] [--rounds 5]

With torchstore on PYTHONPATH; without it, the store and memcpy alone. torchstore's storage runs in another process, as
does the store's volume, and requests to it go by a pipe in place of actors: what differs is the transport. Tensors are got
into given ones. Prints the median of each, and as part of memcpy's, and how many updates, a put and a get each, that makes
in a second.

Between two hosts, with one TOMBOLO_TOKEN, the store and memcpy alone:

    python bench/store.py --serve 10.78.0.1:7791       # on the one, until it is killed
    python bench/store.py --at 10.78.0.1:7791          # on the other
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import signal
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tombolo.store import Store, Volume

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

Tensors = dict[str, torch.Tensor]


def serve(pipe: Any, size: int) -> None:
    with Volume(memory_bytes=6 * size + (64 << 20)) as volume:
        pipe.send((volume.address, volume.token))
        pipe.recv()


def serve_at(address: str, size: int) -> None:
    """Until this process is killed."""
    with Volume(address, memory_bytes=6 * size + (64 << 20)) as volume:
        print(f"serves at {volume.address}", flush=True)
        signal.pause()


def of_store(where: tuple[str, str | None], share: bool, values: Tensors, targets: Tensors) -> tuple[Callable, Callable]:
    store = Store(*where, share_memory=share)

    def get() -> None:
        with store.open_state_dict(f"bench {share}") as snapshot:
            snapshot.load(targets)

    return lambda: store.put_state_dict(f"bench {share}", values), get


def of_torchstore(kind: str, values: Tensors, targets: Tensors, end: list[Callable]) -> tuple[Callable, Callable]:
    import torchstore_process
    from torchstore.transport import Request
    from torchstore.transport.gloo import GlooTransportBuffer
    from torchstore.transport.shared_memory import SharedMemoryTransportBuffer

    from tombolo.torchstore import TomboloTransportBuffer

    kinds = {"Tombolo": TomboloTransportBuffer, "Gloo": GlooTransportBuffer, "shared memory": SharedMemoryTransportBuffer}
    volume = torchstore_process.Volume()
    end.append(volume.process.kill)
    client = torchstore_process.Client(volume)
    requests = [Request.from_any(name, value) for name, value in values.items()]
    wanted = [Request.from_any(name, value) for name, value in targets.items()]
    loop = asyncio.new_event_loop()

    def get() -> None:
        got = loop.run_until_complete(kinds[kind](client.ref).get_from_storage_volume(wanted))
        for request, tensor in zip(wanted, got):
            if request.tensor_val.data_ptr() != tensor.data_ptr():
                request.tensor_val.copy_(tensor)  # as torchstore's client does

    return lambda: loop.run_until_complete(kinds[kind](client.ref).put_to_storage_volume(requests)), get


def far_ways(address: str, values: Tensors, targets: Tensors) -> dict[str, tuple[Callable, Callable]]:
    return {f"store at {address}": of_store((address, None), False, values, targets)}


def near_ways(
    size: int, values: Tensors, targets: Tensors, end: list[Callable]
) -> dict[str, tuple[Callable, Callable]]:
    context = multiprocessing.get_context("spawn")
    pipe, far = context.Pipe()
    volume = context.Process(target=serve, args=(far, size), daemon=True)
    volume.start()
    where = pipe.recv()
    end += [pipe.close, volume.kill]  # the volume ends with its pipe, too
    ways = {
        "store, shared memory": of_store(where, True, values, targets),
        "store, connection": of_store(where, False, values, targets),
    }
    try:
        import torchstore  # noqa: F401

        for kind in ("Tombolo", "Gloo", "shared memory"):
            ways[f"torchstore, {kind}"] = of_torchstore(kind, values, targets, end)
    except ImportError:
        print("no torchstore here")
    return ways


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=600, help="of the state dict, in MB")
    parser.add_argument("--tensors", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    far = parser.add_mutually_exclusive_group()
    far.add_argument("--serve", metavar="HOST:PORT", help="be the volume of another host's --at")
    far.add_argument("--at", metavar="HOST:PORT", help="where a volume serves")
    options = parser.parse_args()
    if options.serve:
        return serve_at(options.serve, options.size * 1_000_000)
    torch.set_num_threads(1)
    each = options.size * 1_000_000 // options.tensors // 4
    values = {f"w{i}": torch.randn(each) for i in range(options.tensors)}
    targets = {name: torch.zeros_like(value) for name, value in values.items()}
    size = 4 * each * options.tensors

    end: list[Callable] = []
    ways = far_ways(options.at, values, targets) if options.at else near_ways(size, values, targets, end)

    def copy() -> None:
        for name, value in values.items():
            targets[name].copy_(value)

    times: dict[str, list[float]] = {}
    for turn in range(options.rounds + 1):  # the first does not count
        for what, call in [("memcpy", copy)] + [
            (f"{way}, {verb}", call) for way, both in ways.items() for verb, call in zip(("put", "get"), both)
        ]:
            if what.endswith("get"):
                for target in targets.values():
                    target.fill_(-1)
            begin = time.perf_counter()
            call()
            if turn:
                times.setdefault(what, []).append(time.perf_counter() - begin)
            if not all(torch.equal(values[name], targets[name]) for name in values) and not what.endswith("put"):
                sys.exit(f"{what}: what came back is not what was put")
    memcpy = statistics.median(times["memcpy"])
    for what, taken in times.items():
        middle = statistics.median(taken)
        print(f"{what:34} {middle * 1e3:9.1f} ms {size / middle / 1e9:6.2f} GB/s {100 * memcpy / middle:4.0f} % of memcpy")
    for way in ways:
        middle = statistics.median(map(sum, zip(times[f"{way}, put"], times[f"{way}, get"])))
        print(f"{way:34} {1 / middle:9.1f} updates/s")
    for stop in end:
        stop()


if __name__ == "__main__":
    main()
