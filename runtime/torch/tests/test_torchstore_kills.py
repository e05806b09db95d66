# SPDX-License-Identifier: Apache-2.0
"""Clients and a volume of torchstore's transport that are killed at random points while they share memory: nobody sees a torn
tensor, and nothing of the dead stays. TOMBOLO_DEEP=1 kills 200 times; TOMBOLO_SEED=N repeats a run."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import random
import threading
import time
import unittest
import unittest.mock
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

import tombolo.torchstore  # noqa: F401
from torchstore_process import Asked, Client, Volume
from tombolo._shelf import Reach
from tombolo.store import Snapshot, Store

KILLS = 200 if os.environ.get("TOMBOLO_DEEP") == "1" else 4
SEED = int(os.environ.get("TOMBOLO_SEED", random.SystemRandom().randrange(1 << 31)))
ELEMENTS = 1 << 20
KEYS = ("first", "second")
MAX_S = 0.2  # of a victim's life, in which it puts or gets several times
LIMIT_S = 120
MEMORY_FILE = "memfd:tombolo-volume"


def dict_of(value: float) -> dict[str, torch.Tensor]:
    return {key: torch.full((ELEMENTS,), value) for key in KEYS}


def unhurried(stack: contextlib.ExitStack, chance: random.Random) -> None:
    """Has this process pause where others could see that it was too early: between what it does and what it tells the volume
    of that, and before and after it gives back what it reads."""

    def then_pause(call: Callable[..., Any], most_s: float) -> Callable[..., Any]:
        def slow(*arguments: Any) -> Any:
            result = call(*arguments)
            time.sleep(chance.uniform(0, most_s))  # fixed time: a pause to be killed in
            return result

        return slow

    for kind, name, most_s in ((Reach, "put", 0.1), (Snapshot, "view", 0.01), (Snapshot, "close", 0.01)):
        stack.enter_context(unittest.mock.patch.object(kind, name, then_pause(getattr(kind, name), most_s)))


async def read(client: Client) -> None:
    """Each tensor is of one put."""
    for key, got in zip(KEYS, await client.get(*KEYS)):
        if not torch.equal(got, got[:1].expand(ELEMENTS)):
            raise AssertionError(f"{key} is torn: it has {got.unique()[:9].tolist()}")


def body(pipe: Connection, writes: bool, said: Connection, seed: int) -> None:
    """A process that puts or gets until it is killed."""
    client = Client(Asked(pipe))

    async def go_on() -> None:
        value = 1.0
        while True:
            await (client.put(**dict_of(value)) if writes else read(client))
            value += 1
            if value == 2:
                said.send("begun")

    try:
        with contextlib.ExitStack() as stack:
            unhurried(stack, random.Random(seed))
            asyncio.run(go_on())
    except BaseException as error:  # noqa: BLE001: told to the test
        said.send(f"{type(error).__name__}: {error}")


class Victim:
    """Such a process, and what it has said."""

    def __init__(self, context: Any, volume: Volume, writes: bool, seed: int) -> None:
        pipe, far = context.Pipe()
        self.said, tells = context.Pipe()
        self.process = context.Process(target=body, args=(far, writes, tells, seed), daemon=True)
        self.process.start()
        far.close()
        tells.close()
        threading.Thread(target=volume.relay, args=(pipe,), daemon=True).start()

    def said_next(self) -> str:
        return self.said.recv() if self.said.poll(LIMIT_S) else "nothing"

    def kill(self) -> str:
        """What it had to tell by then."""
        told = self.said.recv() if self.said.poll(0) else ""
        self.process.kill()
        self.process.join(LIMIT_S)
        return told


class KillTest(unittest.TestCase):
    def setUp(self) -> None:
        self.volume = Volume()
        self.addCleanup(self.volume.process.kill)
        patches = contextlib.ExitStack()
        self.addCleanup(patches.close)
        unhurried(patches, random.Random(SEED))
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(["torch", "torchstore_process", "tombolo.torchstore"])

    def test_should_show_nothing_torn_and_keep_nothing_of_clients_that_are_killed(self) -> None:
        chance = random.Random(SEED)

        async def kill(client: Client, watcher: Store, victim: Victim, writes: bool) -> None:
            self.assertEqual("begun", await asyncio.to_thread(victim.said_next))
            end = time.monotonic() + chance.uniform(0, MAX_S)
            value = -1.0
            while time.monotonic() < end:
                await read(client)
                if not writes:
                    await client.put(**dict_of(value))
                    value -= 1
            self.assertEqual("", await asyncio.to_thread(victim.kill))
            await self.until_only(watcher, len(KEYS))
            await read(client)

        async def conversation() -> None:
            client = Client(self.volume)
            await client.put(**dict_of(0))
            buffer = Client(self.volume).buffer()
            buffer.key, buffer.pid = "watcher", os.getpid()
            with Store(*await self.volume.handshake.call_one(buffer, [])) as watcher:
                next_one = Victim(self.context, self.volume, True, SEED)
                for number in range(KILLS):
                    victim, writes = next_one, number % 2 == 0
                    next_one = Victim(self.context, self.volume, not writes, SEED + number + 1)  # starts meanwhile
                    with self.subTest(f"TOMBOLO_SEED={SEED}, kill {number}"):
                        await asyncio.wait_for(kill(client, watcher, victim, writes), LIMIT_S)
                next_one.kill()
                await self.until_only(watcher, len(KEYS))
            client.ref.transport_context.clear()
            files = self.memory_files(self.volume.process.pid)
            self.assertEqual(1, len(files))
            self.assertLess(os.stat(files[0]).st_blocks * 512, 24 * 4 * ELEMENTS)  # what was freed was used again

        asyncio.run(conversation())

    def test_should_let_go_of_a_volume_that_is_killed(self) -> None:
        async def conversation() -> None:
            client = Client(self.volume)
            await client.put(**dict_of(1))
            await read(client)
            self.assertTrue(self.mapped())
            killing = threading.Timer(random.Random(SEED).uniform(0, MAX_S), self.volume.process.kill)
            killing.start()
            with self.assertRaises((ConnectionError, RuntimeError, OSError), msg=f"TOMBOLO_SEED={SEED}"):
                while True:
                    await client.put(**dict_of(2))
                    await read(client)
            client.ref.transport_context.clear()
            self.assertEqual([], self.mapped())

        asyncio.run(asyncio.wait_for(conversation(), LIMIT_S))

    async def until_only(self, watcher: Store, names: int) -> None:
        """Waits until just so many tensors have memory: those that can be got."""
        end = time.monotonic() + LIMIT_S
        while len(watcher.keys()) != names:
            self.assertLess(time.monotonic(), end, watcher.keys())
            await asyncio.sleep(0.01)

    @staticmethod
    def memory_files(pid: int | None) -> list[Path]:
        """The volume's memory, as a process has it open."""
        files = []
        for each in Path(f"/proc/{pid}/fd").iterdir():
            try:
                if MEMORY_FILE in os.readlink(each):
                    files.append(each)
            except FileNotFoundError:
                pass  # closed meanwhile
        inodes = {os.stat(each).st_ino: each for each in files}
        return list(inodes.values())

    @staticmethod
    def mapped() -> list[str]:
        return [line for line in Path("/proc/self/maps").read_text().splitlines() if MEMORY_FILE in line]


if __name__ == "__main__":
    unittest.main()
