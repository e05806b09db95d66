# SPDX-License-Identifier: Apache-2.0
"""torchstore's transport over Tombolo, between a client and torchstore's own storage in another process. Requests go by a
pipe here; .ci/torchstore runs torchstore's own tests, which need its actors."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

import torch
import torchstore.client
import torchstore.transport
from torchstore.transport import Request, TensorSlice

import tombolo.torchstore
from torchstore_process import Client, Volume
from tombolo.torchstore import TomboloTransportBuffer

class TorchstoreTest(unittest.TestCase):
    volume: Volume

    @classmethod
    def setUpClass(cls) -> None:
        cls.volume = Volume()
        cls.addClassCleanup(cls.volume.process.kill)

    def run_client(self, conversation: Any) -> None:
        async def limited() -> None:
            client = Client(self.volume)
            try:
                await asyncio.wait_for(conversation(client), 120)
            finally:
                client.ref.transport_context.clear()

        asyncio.run(limited())

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


if __name__ == "__main__":
    unittest.main()
