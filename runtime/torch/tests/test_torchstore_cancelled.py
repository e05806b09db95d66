# SPDX-License-Identifier: Apache-2.0
"""Requests of torchstore's transport that are cancelled: nothing of them goes on, and nothing of them stays."""

from __future__ import annotations

import asyncio
import threading
import unittest
import unittest.mock
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
from torchstore.storage_volume import InMemoryStore
from torchstore.transport import Request

import tombolo.torchstore  # noqa: F401
from torchstore_process import Client, Volume, converse
from tombolo import _backend
from tombolo._connections import TAGS, Connections, Group
from tombolo._shelf import Reach
from tombolo.store import StoreError


LIMIT_S = 120  # of what a test waits for


class Held:
    """A call that begins, and goes on when it may, at the latest when the test ends."""

    def __init__(self, test: unittest.TestCase, call: Callable[..., Any]) -> None:
        self.call = call
        self.begun, self.go_on = threading.Event(), threading.Event()
        test.addCleanup(self.go_on.set)

    def method(self) -> Callable[..., Any]:
        def held(*arguments: Any) -> Any:
            self.begun.set()
            if not self.go_on.wait(LIMIT_S):
                raise TimeoutError(f"after {LIMIT_S} s nobody has let it go on")
            return self.call(*arguments)

        return held

    async def has_begun(self) -> None:
        if not await asyncio.to_thread(self.begun.wait, LIMIT_S):
            raise TimeoutError(f"it has not begun after {LIMIT_S} s")


class Stuck:
    """Stands in for waiting for operations, and never ends."""

    def __init__(self) -> None:
        self.work: list[Any] = []

    async def __call__(self, work: list[Any], _: Any) -> None:
        self.work.append(work)
        await asyncio.Future()

    async def has(self, requests: int) -> None:
        """Waits until so many wait."""
        while len(self.work) < requests:
            await asyncio.sleep(0.01)


def tells_its_groups() -> None:
    """Has this process's storage say how many groups it knows, and how many there are still."""

    async def groups(store: InMemoryStore) -> tuple[int, int]:
        known = store.transport_context.get(Connections)._known.values()
        there = sum(len(family.groups()) for family in tuple(_backend._families))
        return sum(isinstance(each, Group) for each in known), there

    InMemoryStore.groups = groups  # type: ignore[attr-defined]


class CancelledTest(unittest.TestCase):
    volume: Volume

    @classmethod
    def setUpClass(cls) -> None:
        cls.volume = Volume(tells_its_groups)
        cls.addClassCleanup(cls.volume.process.kill)


class CancelledOnTheShelfTest(CancelledTest):
    """Over memory that the client and the volume share."""

    def test_should_end_what_is_cancelled_before_the_request_ends(self) -> None:
        """Else the target of a get would be written to later, and what is put would come after it has been withdrawn."""

        async def conversation(client: Client) -> None:
            target = torch.zeros(3)
            await client.put(w=torch.ones(3))
            for method, request in (
                ("get", partial(client.get, Request.from_any("w", target))),
                ("put", partial(client.put, w=torch.zeros(3))),
            ):
                ends = list[str]()

                def told(reach: Reach, *arguments: Any, call: Any = getattr(Reach, method), name: str = method) -> None:
                    call(reach, *arguments)
                    ends.append(name)

                call = Held(self, told)
                withdrawn = unittest.mock.patch.object(Reach, "withdraw", lambda *_: ends.append("withdrawn"))
                with unittest.mock.patch.object(Reach, method, call.method()), withdrawn:
                    task = asyncio.create_task(request())
                    await call.has_begun()
                    for _ in range(3):
                        task.cancel()
                        await asyncio.sleep(0)
                    ended_at_once = task.done()
                    call.go_on.set()
                    self.assertFalse(ended_at_once)
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                    while ends != ["get"] and len(ends) < 2:
                        await asyncio.sleep(0.01)
                self.assertEqual(["get"] if method == "get" else ["put", "withdrawn"], ends)
            self.assertEqual([1.0] * 3, target.tolist())

        converse(self.volume, conversation)

    def test_should_leave_a_connection_that_fails_what_has_been_cancelled(self) -> None:
        """Else the next request would find it so, and fail as well."""

        def fails(*_: Any) -> None:
            raise StoreError("TOMBOLO_PEER_FAILED", "on purpose")

        async def conversation(client: Client) -> None:
            await client.put(w=torch.ones(3))
            connections = client.ref.transport_context.get(Connections)
            for method, request in (("get", partial(client.get, "w")), ("put", partial(client.put, w=torch.zeros(3)))):
                call = Held(self, fails)
                with unittest.mock.patch.object(Reach, method, call.method()):
                    task = asyncio.create_task(request())
                    await call.has_begun()
                    task.cancel()
                    call.go_on.set()
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                self.assertIsNone(connections.find("0"), method)
                (got,) = await client.get("w")
                self.assertEqual([1.0] * 3, got.tolist())

        converse(self.volume, conversation)


class CancelledInAGroupTest(CancelledTest):
    """Over a group of two ranks, as between hosts."""

    def setUp(self) -> None:
        unreachable = unittest.mock.patch("tombolo._shelf.Reach.of", return_value=None)
        unreachable.start()
        self.addCleanup(unreachable.stop)

    def test_should_end_nothing_that_is_cancelled_before_its_connection_is_left(self) -> None:
        """Until then the group may write to the targets of its gets: of the one that leaves it, and of those beside that."""

        async def conversation(client: Client) -> None:
            await client.put(w=torch.ones(3))
            stuck, leaving = Stuck(), Held(self, Group.leave)
            left = unittest.mock.patch.object(Group, "leave", leaving.method())
            with unittest.mock.patch("tombolo.torchstore.ended", stuck), left:
                gets = [asyncio.create_task(client.get(Request.from_any("w", torch.zeros(3)))) for _ in range(2)]
                await stuck.has(2)
                gets[0].cancel()
                await leaving.has_begun()
                ended_early = []
                for cancelled in (gets[1], *gets):
                    cancelled.cancel()
                    for _ in range(5):
                        await asyncio.sleep(0)
                    ended_early += [get.done() for get in gets]
                leaving.go_on.set()
                ends = await asyncio.gather(*gets, return_exceptions=True)
            self.assertEqual([False] * 6, ended_early)
            self.assertEqual([asyncio.CancelledError] * 2, [type(end) for end in ends])
            (got,) = await client.get("w")
            self.assertEqual([1.0] * 3, got.tolist())

        converse(self.volume, conversation)

    def test_should_leave_a_group_though_all_threads_wait_for_it(self) -> None:
        async def conversation(client: Client) -> None:
            await client.put(w=torch.ones(3))
            loop, stuck, go_on = asyncio.get_running_loop(), Stuck(), threading.Event()
            loop.set_default_executor(ThreadPoolExecutor(1))
            waiting = loop.run_in_executor(None, go_on.wait, 60)  # fixed time: a limit, longer than to leave takes
            with unittest.mock.patch("tombolo.torchstore.ended", stuck):
                get = asyncio.create_task(client.get("w"))
                await stuck.has(1)
                get.cancel()
                await asyncio.wait([get])
            self.assertTrue(get.cancelled())
            self.assertFalse(waiting.done())
            go_on.set()
            await waiting

        converse(self.volume, conversation)

    def test_should_give_no_request_what_one_that_was_cancelled_had_asked_for(self) -> None:
        async def conversation(client: Client) -> None:
            await client.put(old=torch.zeros(3), w=torch.ones(3))
            await self.cancel_once_answered(client, "old")
            for _ in TAGS:
                (got,) = await client.get("w")
                self.assertEqual([1.0] * 3, got.tolist())

        converse(self.volume, conversation)

    def test_should_make_those_requests_in_a_new_group_that_wait_for_their_turn(self) -> None:
        """There are more of them than may be under way in one group, and one that is under way is cancelled."""

        async def conversation(client: Client) -> None:
            await client.put(w=torch.ones(3))
            stuck = Stuck()
            with unittest.mock.patch("tombolo.torchstore.ended", stuck):
                under_way = [asyncio.create_task(client.get("w")) for _ in TAGS]
                await stuck.has(len(TAGS))
            waiting = [asyncio.create_task(client.get("w")) for _ in range(3)]
            for _ in range(5):
                await asyncio.sleep(0)  # they begin to wait
            under_way[0].cancel()
            for (got,) in await asyncio.gather(*waiting):
                self.assertEqual([1.0] * 3, got.tolist())
            for get in under_way:
                get.cancel()
            await asyncio.wait(under_way)

        converse(self.volume, conversation)

    def test_should_leave_the_volume_no_group_of_what_was_cancelled(self) -> None:
        """Each has threads and connections, and keeps what was to be sent: of a large tensor all but what is on its way."""

        async def conversation(client: Client) -> None:
            await client.put(small=torch.ones(3), large=torch.ones(4 << 20))
            for key in ("small", "large") * 2:
                await self.cancel_once_answered(client, key)
                (got,) = await client.get("small")  # over a new group
                self.assertEqual([1.0] * 3, got.tolist())
            groups = None
            while groups != (1, 1):
                await asyncio.sleep(0.01)
                groups = await asyncio.wrap_future(self.volume.ask("groups", ()))

        converse(self.volume, conversation)

    async def cancel_once_answered(self, client: Client, key: str) -> None:
        """Cancels a get when the volume has begun to send, and the client not to receive."""
        get, answered = self.volume.get, asyncio.Event()

        async def ask(*arguments: Any) -> None:
            await get.call_one(*arguments)
            answered.set()
            await asyncio.Future()

        with unittest.mock.patch.object(self.volume, "get", SimpleNamespace(call_one=ask)):
            cancelled = asyncio.create_task(client.get(key))
            await answered.wait()
            cancelled.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await cancelled


if __name__ == "__main__":
    unittest.main()
