# SPDX-License-Identifier: Apache-2.0
"""A state dict that some processes put and others get, by one way after the other.

By the store, in one hop, by torchstore over Tombolo, over Gloo and over its shared memory, and by memcpy, in turn.

    python bench/store.py [--scenes host,devices,hosts] [--ranks 1,2] [--size 600] [--tensors 100] [--rounds 5]

With torchstore on PYTHONPATH; without it, ours and memcpy alone. Prints a table for each scene and number of ranks. Scenes:

    host       all in host memory of this host
    devices    from the emulated devices of one vendor to those of another
    hosts      from one host of .ci/hosts/cluster, which also has what is in between, to the other, over tcp: there alone

Of several ranks, each writer has some of the rows of each tensor, and each reader wants some of the columns. All are processes
of their own, and so are the volume and torchstore's storage. Requests to the latter go by a pipe in place of actors: what
differs is the transport. Tensors are got into given ones, and compared. In a table are for each way:

    ms, GB/s, of memcpy    the median, and what that makes; memcpy is each reader's, of its part, in host memory
    sent                   bytes on network interfaces, loopback too, as a part of the state dict: 1 is the least over
                           a network, 0 where memory is shared
    copies                 how often each byte is copied on its way, by processes and by the kernel to and from sockets:
                           as it is designed, not counted. One to or from a device is one
    updates/s              a put and a get each, and how many times Gloo's that is
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import queue
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any

from store_ranks import BY_CONNECTION, MEMCPY, OTHERS, Setting, Share, prompt, take_part

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 300  # far more than a call takes, and the start of a process on a busy machine
END_S = 30
GLOO = f"{OTHERS}Gloo"

Took = tuple[float, int]  # seconds, and bytes on the network
Updates = dict[str, list[tuple[Took, Took]]]  # by way, of each round a put and a get


@dataclass(frozen=True)
class Scene:
    """Where writers and readers are; "" is this host."""

    title: str
    vendors: tuple[str, str] = ("host", "host")
    hosts: tuple[str, str] = ("", "")

    @property
    def near(self) -> bool:
        return self.hosts[0] == self.hosts[1]

    @property
    def on_devices(self) -> bool:
        return self.vendors != ("host", "host")

    def ways(self, torchstore: bool) -> list[str]:
        ours = ["store", "one hop"]
        if self.near:
            ours += [way + BY_CONNECTION for way in ours]
        others = ["Tombolo", "Gloo", *(["shared memory"] if self.near else [])]
        return [MEMCPY, *ours, *([OTHERS + kind for kind in others] if torchstore else [])]


SCENES = {
    "host": Scene("in host memory of one host"),
    "devices": Scene("from emu-nvidia to emu-kunlunxin", vendors=("emu-nvidia", "emu-kunlunxin")),
    "hosts": Scene("from node1 to node2, over tcp", hosts=("node1", "node2")),
}


def copies(way: str, scene: Scene, ranks: int) -> tuple[int, int]:
    """For a put and a get."""
    parts, device = ranks > 1, int(scene.on_devices)
    if way == GLOO:
        return 2 + device, 5 if parts else 3  # a part is made contiguous first, and joined to others afterwards
    if way == f"{OTHERS}Tombolo" and not scene.near:
        return 1, 3 if parts else 2
    by_connection = way.endswith(BY_CONNECTION)
    if way == MEMCPY or way.startswith(OTHERS) or (scene.near and not by_connection):
        from_block = device if parts and way == "store" else 0  # what is written together is copied from host memory
        return 1 + from_block, 1
    put = 2 + device if by_connection and way.startswith("store") else 1
    return put, (3 if parts else 2) + device  # short runs are gathered before they leave


class Far:
    """Another process of this bench, which does what it is told."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def ask(self, call: str, *arguments: Any) -> None:
        self._pipe.send((call, arguments))

    def answer(self) -> Any:
        if not self._pipe.poll(PATIENCE_S):
            sys.exit(f"a process has not answered for {PATIENCE_S} s")
        try:
            result, error = self._pipe.recv()
        except (EOFError, ConnectionError):
            sys.exit("a process has ended before the others")
        if error is not None:
            sys.exit(error)
        return result

    def call(self, call: str, *arguments: Any) -> Any:
        self.ask(call, *arguments)
        return self.answer()

    def close(self) -> None:
        self._pipe.close()


def together(processes: Sequence[Far], call: str, *arguments: Any) -> list[Any]:
    """All of them at once."""
    for each in processes:
        each.ask(call, *arguments)
    return [each.answer() for each in processes]


@contextmanager
def started(scene: Scene, hosts: Sequence[str]) -> Iterator[list[Far]]:
    """A process on each of these hosts, until the end."""
    address = "127.0.0.1" if scene.near else socket.gethostbyname(socket.gethostname())
    environment = {"OMP_NUM_THREADS": "1", "TORCHSTORE_RDMA_ENABLED": "0", **os.environ, "MASTER_ADDR": address}
    with Listener((address, 0), backlog=len(hosts), authkey=os.environ["TOMBOLO_TOKEN"].encode()) as listener:
        place = f"{address}:{listener.address[1]}"
        here = [sys.executable, str(Path(__file__).resolve())]
        commands = [
            [*([str(ROOT / ".ci/hosts/on"), host] if host else []), *here, "--part", place, str(number)]
            for number, host in enumerate(hosts)
        ]
        processes = [subprocess.Popen(command, env=environment) for command in commands]
        met: queue.Queue[Connection] = queue.Queue()
        threading.Thread(target=lambda: [met.put(listener.accept()) for _ in hosts], daemon=True).start()
        far: dict[int, Far] = {}
        deadline = time.monotonic() + PATIENCE_S
        try:
            while len(far) < len(hosts):
                try:
                    pipe = prompt(met.get(timeout=1))
                except queue.Empty:
                    if time.monotonic() > deadline or any(each.poll() is not None for each in processes):
                        sys.exit(f"only {len(far)} of {len(hosts)} processes have come; what they print says more")
                    continue
                far[pipe.recv()] = Far(pipe)
            yield [far[number] for number in range(len(hosts))]
        finally:
            for each in far.values():
                each.close()  # this ends them
            for process in processes:
                try:
                    process.wait(END_S)
                except subprocess.TimeoutExpired:
                    process.kill()


@dataclass
class Cast:
    """Who writes and who reads."""

    writers: list[Far]
    readers: list[Far]
    step: int = 0

    def timed(self, processes: list[Far], way: str) -> Took:
        """From the first's begin to the last's end."""
        looking = [self.writers[0], self.readers[0]]  # one on each host
        before = together(looking, "traffic")
        times = together(processes, "timed", way, self.step)
        after = together(looking, "traffic")
        sent = max(now - then for each in zip(after, before) for now, then in zip(*each))
        return max(end for _, end in times) - min(begin for begin, _ in times), sent

    def update(self, way: str) -> tuple[Took, Took]:
        """A put and a get."""
        self.step += 1
        together(self.readers, "clear")
        done = self.timed(self.writers, way), self.timed(self.readers, way)
        for wrong in together(self.readers, "wrong", way):
            if wrong:
                sys.exit(f"{way}: what came back is not what was put: {wrong[:9]}")
        return done


@contextmanager
def cast(scene: Scene, share: Share, library: str, torchstore: bool) -> Iterator[Cast]:
    """The processes of a scene, of which each knows what it has to."""
    at, ranks = scene.hosts, range(share.ranks)
    hosts = [at[0], *([at[0]] if torchstore else []), *([at[0]] * share.ranks), *([at[1]] * share.ranks)]
    with started(scene, hosts) as processes:
        volume, *others = processes[: -2 * share.ranks]
        writers, readers = processes[-2 * share.ranks : -share.ranks], processes[-share.ranks :]
        addresses = ["127.0.0.1" if scene.near else socket.gethostbyname(host) for host in at]
        volume.call("VolumeAlone", addresses[0], share.size)
        storage = None
        for each in others:
            each.call("storage", addresses[0], 2 * share.ranks)
            storage = each.call("where")
        settings = [
            Setting(address, vendor, library if vendor != "host" else "", scene.near, volume.call("where"), storage)
            for address, vendor in zip(addresses, scene.vendors)
        ]
        for rank in ranks:
            writers[rank].ask("Writer", Share(share.size, share.tensors, share.ranks, rank, 0), settings[0])
        for each in writers:
            each.answer()
        holders = together(writers, "where")
        for rank in ranks:
            readers[rank].ask("Reader", Share(share.size, share.tensors, share.ranks, rank, 1), settings[1], holders)
        for each in readers:
            each.answer()
        yield Cast(writers, readers)


def measured(processes: Cast, ways: list[str], rounds: int) -> Updates:
    seen: Updates = {way: [] for way in ways}
    for _ in range(rounds + 1):
        for way in ways:
            seen[way].append(processes.update(way))
    return {way: turns[1:] for way, turns in seen.items()}  # the first does not count


def report(seen: Updates, scene: Scene, share: Share) -> None:
    size = share.tensors * 4 * share.whole[0] * share.whole[1]
    took = {way: [statistics.median(turn[i][0] for turn in turns) for i in (0, 1)] for way, turns in seen.items()}
    updates = {way: 1 / statistics.median(put + get for (put, _), (get, _) in turns) for way, turns in seen.items()}
    memcpy = took[MEMCPY][1]
    print(f"\n{share.ranks} to {share.ranks}, {scene.title}: {size / 1e6:.1f} MB in {share.tensors} tensors")
    print(f"{'':34}{'ms':>10}{'GB/s':>8}{'of memcpy':>11}{'sent':>7}{'copies':>8}{'updates/s':>11}{'of Gloo':>9}")
    for way, turns in seen.items():
        for i, verb in enumerate(("put", "get")):
            if way == MEMCPY and verb == "put":
                continue
            seconds, sent = took[way][i], min(turn[i][1] for turn in turns)  # others' traffic only adds to it
            row = f"{MEMCPY if way == MEMCPY else f'{way}, {verb}':34}{seconds * 1e3:10.2f}{size / seconds / 1e9:8.2f}"
            row += f"{100 * memcpy / seconds:9.0f} %{sent / size:7.2f}{copies(way, scene, share.ranks)[i]:>8}"
            if verb == "get" and way != MEMCPY:
                row += f"{updates[way]:11.1f}" + (f"{updates[way] / updates[GLOO]:9.1f}" if GLOO in updates else "")
            print(row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    in_cluster = "TOMBOLO_TEST_HOSTS" in os.environ
    scenes = ",".join(name for name, scene in SCENES.items() if scene.near or in_cluster)
    parser.add_argument("--scenes", default=scenes, help=f"of {', '.join(SCENES)}; by default {scenes}")
    parser.add_argument("--ranks", default="1,2", help="of writers, and as many of readers")
    parser.add_argument("--size", type=int, default=600, help="of the state dict, in MB")
    parser.add_argument("--tensors", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)  # of a table, in a process that this bench starts
    options = parser.parse_args()
    if options.part:
        (host, port), number = options.part[0].rsplit(":", 1), options.part[1]
        take_part((host, int(port)), int(number))
    os.environ.setdefault("TOMBOLO_TOKEN", secrets.token_hex(32))
    torchstore = importlib.util.find_spec("torchstore") is not None
    if not torchstore:
        print("no torchstore here")
    wanted = options.scenes.split(",")
    if not set(wanted) <= set(SCENES) or ("hosts" in wanted and not in_cluster):
        parser.error(f"scenes are {', '.join(SCENES)}, the last in .ci/hosts/cluster alone")
    chosen = [SCENES[name] for name in wanted]
    with tempfile.TemporaryDirectory() as folder:
        library = ""
        if any(scene.on_devices for scene in chosen):
            import emulated_device

            library = emulated_device.build(folder)
        for scene in chosen:
            for ranks in map(int, options.ranks.split(",")):
                share = Share(options.size * 1_000_000, options.tensors, ranks, 0, 0)
                if not 1 <= ranks <= share.whole[0]:
                    parser.error(f"tensors have {share.whole[0]} rows, for as many ranks at most")
                with cast(scene, share, library, torchstore) as processes:
                    report(measured(processes, scene.ways(torchstore), options.rounds), scene, share)


if __name__ == "__main__":
    main()
