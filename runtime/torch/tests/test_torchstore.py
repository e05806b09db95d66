# SPDX-License-Identifier: Apache-2.0
"""torchstore's transport over Tombolo, between a client and torchstore's own storage in another process. Requests go by a
pipe here; .ci/torchstore runs torchstore's own tests, which need its actors."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import unittest
import unittest.mock
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
import torchstore.client
import torchstore.transport
from torchstore.storage_volume import InMemoryStore
from torchstore.transport import Request, TensorSlice
from torchstore.utils import get_local_hostname

import tombolo._shelf
import tombolo.torchstore
from torchstore_process import Client, Volume, converse
from tombolo._connections import TAGS, Connections, Group
from tombolo._shelf import PASSING, Reach
from tombolo.store import Store, StoreError
from tombolo.torchstore import TomboloTransportBuffer


class TorchstoreTest(unittest.TestCase):
    """Over memory that the client and the volume share."""

    volume: Volume

    @classmethod
    def setUpClass(cls) -> None:
        cls.volume = Volume()
        cls.addClassCleanup(cls.volume.process.kill)

    def run_client(self, conversation: Any) -> None:
        converse(self.volume, conversation)

    def test_should_stand_where_gloo_would(self) -> None:
        self.assertIsInstance(Client(self.volume).buffer(), TomboloTransportBuffer)
        self.assertIs(tombolo.torchstore._create, torchstore.client.create_transport_buffer)
        self.assertIs(tombolo.torchstore._create, torchstore.transport.create_transport_buffer)

    def test_should_carry_tensors_of_all_layouts_and_objects(self) -> None:
        async def conversation(client: Client) -> None:
            large = torch.arange(3 << 20, dtype=torch.float32)
            values = {
                "large": large,
                "turned": large[: 1 << 20].reshape(1 << 10, 1 << 10).t(),
                "column": torch.arange(3.0).reshape(1, 3).t(),  # contiguous, with a last stride that is not 1
                "half": torch.arange(10, dtype=torch.bfloat16),
                "scalar": torch.tensor(7),
                "none": torch.empty(0, 3),
                "complex": torch.tensor([1 + 2j]),
                "object": {"step": 3},
            }
            await client.put(**values)
            for key, got in zip(values, await client.get(*values)):
                if key == "object":
                    self.assertEqual(values[key], got)
                else:
                    self.assertTrue(torch.equal(values[key], got), key)
            target = torch.zeros(1 << 11, 1 << 10)[::2]
            (got,) = await client.get(Request.from_any("turned", target))
            self.assertEqual(target.data_ptr(), got.data_ptr())
            self.assertTrue(torch.equal(values["turned"], target))
            target = torch.zeros(1, 3).t()
            await client.get(Request.from_any("column", target))
            self.assertTrue(torch.equal(values["column"], target))
            part = TensorSlice((4,), (), (3 << 20,), (5,), ())
            (got,) = await client.get(Request.from_tensor_slice("large", part))
            self.assertEqual([4, 5, 6, 7, 8], got.tolist())

        self.run_client(conversation)

    def test_should_tell_requests_side_by_side_apart(self) -> None:
        async def conversation(client: Client) -> None:
            sizes = [1, 1 << 20, 3, 1 << 18, 0, 1 << 16, 2]
            await asyncio.gather(*(client.put(**{f"k{i}": torch.full((size,), i)}) for i, size in enumerate(sizes)))
            got = await asyncio.gather(*(client.get(f"k{i}") for i in range(len(sizes))))
            for i, (one,) in enumerate(got):
                self.assertTrue(torch.equal(torch.full((sizes[i],), i), one), i)

        self.run_client(conversation)

    def test_should_give_readers_a_tensor_as_it_was_before_a_put_or_after(self) -> None:
        async def conversation(client: Client) -> None:
            await client.put(w=torch.zeros(1 << 20))

            async def write() -> None:
                for value in range(1, 8):
                    await client.put(w=torch.full((1 << 20,), float(value)))

            async def read() -> None:
                for _ in range(8):
                    (seen,) = await client.get("w")
                    self.assertTrue(torch.equal(seen, seen[0].expand(1 << 20)))

            await asyncio.gather(write(), read(), read())

        self.run_client(conversation)

    def test_should_go_on_after_a_request_that_failed(self) -> None:
        async def conversation(client: Client) -> None:
            await client.put(w=torch.ones(3))
            with self.assertRaises(KeyError):
                await client.get("nobody")
            with self.assertRaisesRegex(ValueError, "float32"):
                await client.get(Request.from_any("w", torch.ones(4)))
            (got,) = await client.get("w")
            self.assertEqual([1.0] * 3, got.tolist())

        self.run_client(conversation)


class GroupTest(TorchstoreTest):
    """Over a group of two ranks, as between hosts."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.volume = Volume(odd_volume)
        cls.addClassCleanup(cls.volume.process.kill)

    def setUp(self) -> None:
        unreachable = unittest.mock.patch("tombolo._shelf.Reach.of", return_value=None)
        unreachable.start()
        self.addCleanup(unreachable.stop)

    def test_should_put_nothing_of_a_put_that_began_in_part(self) -> None:
        async def conversation(client: Client) -> None:
            await client.put(w=torch.ones(3))
            connections = client.ref.transport_context.get(Connections)
            group = connections.find("0")
            with self.assertRaisesRegex(ValueError, "dense"):
                await client.put(b=torch.ones(3).to_sparse())
            self.assertIs(group, connections.find("0"))  # nothing had begun
            with self.assertRaisesRegex(ValueError, "dense"):
                await client.put(a=torch.zeros(3), b=torch.ones(3).to_sparse())
            names = [f"w{tag}" for tag in TAGS]
            for name in names:
                await client.put(**{name: torch.ones(3)})
            for got in await client.get(*names):
                self.assertEqual([1.0] * 3, got.tolist())

        self.run_client(conversation)

    def test_should_get_nothing_of_a_get_that_began_in_part(self) -> None:
        async def conversation(client: Client) -> None:
            await client.put(old=torch.zeros(3), w=torch.ones(3), refused=torch.zeros(11))
            with self.assertRaisesRegex(ValueError, "on purpose"):
                await client.get("old", "refused")
            for _ in TAGS:
                (got,) = await client.get("w")
                self.assertEqual([1.0] * 3, got.tolist())

        self.run_client(conversation)

    def test_should_meet_anew_once_the_volume_has_left(self) -> None:
        async def conversation(client: Client) -> None:
            await client.put(w=torch.ones(3))
            await asyncio.wrap_future(self.volume.ask("leave", ()))
            await client.put(number=1, none=torch.empty(0))  # which needs no group
            with self.assertRaisesRegex(RuntimeError, "make the request again"):
                await client.get("w")
            (got,) = await client.get("w")
            self.assertEqual([1.0] * 3, got.tolist())

        self.run_client(conversation)


def odd_volume() -> None:
    """Has this process fail to send tensors of 11 elements, and its storage leave its groups when it is asked to."""
    send = Group.send

    def refuse(group: Group, tensors: list[torch.Tensor], tag: int) -> Iterator[Any]:
        for each in tensors:
            if each.numel() == 11:
                raise ValueError("11 elements, on purpose")
            yield from send(group, [each], tag)

    async def leave(store: InMemoryStore) -> None:
        connections = store.transport_context.get(Connections)
        for name, group in tuple(connections._known.items()):
            await connections.left(name, group)

    Group.send = refuse  # type: ignore[method-assign]
    InMemoryStore.leave = leave  # type: ignore[attr-defined]


def reached_at_loopback() -> None:
    """Has the volume of this process believe that other hosts reach it there."""
    tombolo._shelf.own_address = lambda: "127.0.0.1"


class FarTest(TorchstoreTest):
    """Over a connection to the volume's memory, as between hosts without devices."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.volume = Volume(reached_at_loopback)
        cls.addClassCleanup(cls.volume.process.kill)

    def setUp(self) -> None:
        for name, far in (
            ("tombolo.torchstore.get_local_hostname", lambda: "another"),
            ("tombolo.torchstore.RDMA_DEVICES", "/nonexistent"),
            ("tombolo._shelf.Store", partial(Store, share_memory=False)),
        ):
            patch = unittest.mock.patch(name, far)
            patch.start()
            self.addCleanup(patch.stop)

    def test_should_take_a_connection(self) -> None:
        async def conversation(client: Client) -> None:
            await client.put(w=torch.ones(3))
            connection = client.ref.transport_context.get(Connections).find("0")
            self.assertIsInstance(connection, Reach)
            self.assertFalse(connection._store.shares_memory)

        self.run_client(conversation)

    def test_should_reach_another_volume_once_one_has_died(self) -> None:
        dying = Volume(reached_at_loopback)
        self.addCleanup(dying.process.kill)

        async def conversation(client: Client) -> None:
            client.ref.volume = dying
            await client.put(w=torch.ones(3))
            dying.process.kill()
            await asyncio.to_thread(dying.process.join)
            with self.assertRaises(StoreError):
                await client.put(w=torch.zeros(3))
            client.ref.volume = self.volume
            await client.put(w=torch.full((3,), 2.0))
            (got,) = await client.get("w")
            self.assertEqual([2.0] * 3, got.tolist())

        self.run_client(conversation)

    def test_should_give_parts_and_views_of_all_kinds(self) -> None:
        whole = torch.arange(5 * 6 * 7, dtype=torch.float64).reshape(5, 6, 7)

        async def conversation(client: Client) -> None:
            await client.put(w=whole, scalar=torch.tensor(3.5), complex=torch.tensor([[1 + 2j, 3j], [4, 5]]))
            boxes = [((1, 2, 3), (2, 3, 4)), ((0, 0, 0), (5, 6, 7)), ((4, 0, 6), (1, 6, 1)), ((0, 5, 0), (5, 1, 7))]
            wanted, expected = [], []
            for offsets, shape in boxes:
                part = whole[tuple(slice(begin, begin + length) for begin, length in zip(offsets, shape))]
                turned = torch.zeros(shape[::-1], dtype=whole.dtype).permute(2, 1, 0)
                for target in (torch.zeros(shape, dtype=whole.dtype), turned):
                    wanted.append(Request.from_any("w", target, TensorSlice(offsets, (), whole.shape, shape, ())))
                    expected.append((target, part))
            for got, (target, part) in zip(await client.get(*wanted), expected, strict=True):
                self.assertEqual(target.data_ptr(), got.data_ptr())
                self.assertTrue(torch.equal(part, target))
            scalar, numbers = await client.get("scalar", "complex")
            self.assertEqual(3.5, scalar.item())
            self.assertEqual([[1 + 2j, 3j], [4, 5]], numbers.tolist())

        self.run_client(conversation)

    def test_should_give_what_near_clients_and_groups_have_put(self) -> None:
        whole = torch.arange(6.0).reshape(2, 3)
        here = unittest.mock.patch("tombolo.torchstore.get_local_hostname", get_local_hostname)

        async def conversation(client: Client) -> None:
            near, grouped = Client(self.volume), Client(self.volume)
            with here, unittest.mock.patch("tombolo._shelf.Store", Store):
                await near.put(near=whole)
            with here, unittest.mock.patch("tombolo._shelf.Reach.of", return_value=None):
                await grouped.put(grouped=whole)
            for other, shares in ((near, True), (grouped, None)):
                connection = other.ref.transport_context.get(Connections).find("0")
                self.assertEqual(shares, connection._store.shares_memory if isinstance(connection, Reach) else None)
            for name in ("near", "grouped"):
                part = Request.from_tensor_slice(name, TensorSlice((0, 1), (), (2, 3), (2, 2), ()))
                got = await client.get(name, part)
                self.assertTrue(torch.equal(whole, got[0]), name)
                self.assertTrue(torch.equal(whole[:, 1:], got[1]), name)
            for other in (near, grouped):
                other.ref.transport_context.clear()

        self.run_client(conversation)


class SharedMemoryTest(unittest.TestCase):
    """Who has what in the memory that a volume shares."""

    volume: Volume

    @classmethod
    def setUpClass(cls) -> None:
        cls.volume = Volume()
        cls.addClassCleanup(cls.volume.process.kill)

    async def admit(self, client: str, pid: int) -> tuple[str, str]:
        """The address and token of the volume's memory, for a process."""
        buffer = Client(self.volume).buffer()
        buffer.key, buffer.pid = client, pid
        address, token = await self.volume.handshake.call_one(buffer, [])
        return address, token

    async def until(self, store: Store, names: int, prefix: str = "") -> None:
        """Waits until so many tensors have memory."""
        while len(store.keys(prefix)) != names:
            await asyncio.sleep(0.01)

    def test_should_give_a_near_client_what_a_far_one_has_put(self) -> None:
        whole = torch.arange(24.0).reshape(4, 6)

        async def conversation() -> None:
            near, far = Client(self.volume), Client(self.volume)
            await near.put(a=torch.arange(5.0))
            with unittest.mock.patch("tombolo._shelf.Reach.of", return_value=None):
                await far.put(b=whole)
            part = Request.from_tensor_slice("b", TensorSlice((1, 2), (), (4, 6), (2, 3), ()))
            for client in (near, far):
                got = await client.get("a", "b", part)
                self.assertEqual(torch.arange(5.0).tolist(), got[0].tolist())
                self.assertTrue(torch.equal(whole, got[1]))
                self.assertTrue(torch.equal(whole[1:3, 2:5], got[2]))
            with Store(*await self.admit("watcher", os.getpid())) as store:
                self.assertEqual([], [name for name in store.keys() if PASSING in name])
                with self.assertRaisesRegex(ValueError, "float32"):
                    await near.get(Request.from_any("b", torch.zeros(3)))
                while any(PASSING in name for name in store.keys()):
                    await asyncio.sleep(0.01)
            for client in (near, far):
                client.ref.transport_context.clear()

        asyncio.run(asyncio.wait_for(conversation(), 120))

    def test_should_use_the_memory_of_replaced_tensors_again(self) -> None:
        async def conversation() -> None:
            client = Client(self.volume)
            with Store(*await self.admit("watcher", os.getpid())) as store:
                others = len(store.keys())
                for value in range(1, 6):
                    await client.put(x=torch.full((1 << 20,), value), y=torch.full((1 << 18,), value))
                await self.until(store, others + 2)
                await client.put(x=torch.empty(0))
                await self.until(store, others + 1)
            client.ref.transport_context.clear()

        asyncio.run(asyncio.wait_for(conversation(), 120))

    def test_should_keep_what_a_client_has_put_that_died_and_nothing_else(self) -> None:
        dying, pipe = start(dies_after_putting)
        self.addCleanup(dying.kill)

        async def conversation() -> None:
            where = await self.admit("dying", dying.pid)
            pipe.send(where)
            names = await asyncio.to_thread(pipe.recv)
            buffer = Client(self.volume).buffer()
            buffer.key, buffer.on_shelf = "dying", True
            buffer.names, buffer.kinds = names[:1], [(torch.Size([7]), torch.float32, "cpu")]
            await self.volume.put.call(buffer, [Request(key="kept")])  # of the others it has not told when it dies
            with Store(*where) as store:
                self.assertEqual(names, store.keys("dying/"))
                dying.kill()
                await self.until(store, 1, "dying/")
            client = Client(self.volume)
            (got,) = await client.get("kept")
            self.assertEqual([3.0] * 7, got.tolist())
            client.ref.transport_context.clear()

        asyncio.run(asyncio.wait_for(conversation(), 120))

    def test_should_leave_nothing_of_a_put_that_failed(self) -> None:
        async def conversation() -> None:
            client = Client(self.volume)
            with Store(*await self.admit("watcher", os.getpid())) as store:
                await client.put(w=torch.ones(3))
                others = len(store.keys())
                with unittest.mock.patch.object(Reach, "put", puts_then_fails):
                    with self.assertRaisesRegex(RuntimeError, "on purpose"):
                        await client.put(w=torch.zeros(3))
                await self.until(store, others)
            (got,) = await client.get("w")
            self.assertEqual([1.0] * 3, got.tolist())
            client.ref.transport_context.clear()

        asyncio.run(asyncio.wait_for(conversation(), 120))


put = Reach.put


def puts_then_fails(reach: Reach, tensors: dict[str, torch.Tensor]) -> None:
    put(reach, tensors)
    raise RuntimeError("on purpose")


def start(body: Callable[[Any], None]) -> tuple[Any, Any]:
    """A process, and a pipe to it."""
    context = multiprocessing.get_context("spawn")
    pipe, far = context.Pipe()
    process = context.Process(target=body, args=(far,))
    process.start()
    return process, pipe


def dies_after_putting(pipe: Any) -> None:
    reach = Reach.of("dying", *pipe.recv())
    assert reach is not None
    names = reach.names([torch.empty(1)] * 3)
    reach.put({name: torch.full((7,), 3.0) for name in names if name})
    pipe.send(names)
    pipe.recv()


if __name__ == "__main__":
    unittest.main()
