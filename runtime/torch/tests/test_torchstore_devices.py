# SPDX-License-Identifier: Apache-2.0
"""torchstore's transport where the client, the volume, or both have an accelerator: torch's emulated device. Tensors stay
there, and keep the order of the client's streams."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import signal
import threading
import unittest
import unittest.mock
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import torch
from torchstore.transport import Request, TensorSlice

import emulated_device
import tombolo.torchstore  # noqa: F401
from torchstore_process import Asked, Client, Volume
from tombolo.torchstore import TomboloTransportBuffer

LIMIT_S = 120
LATE_MS = 100
CLIENT, VOLUME = 0, 1  # their devices


async def put_and_get(client: Client, device: torch.device) -> list[str]:
    """What is not as it was put."""
    whole = torch.arange(1 << 18, dtype=torch.float32).reshape(1 << 9, 1 << 9)
    there = whole.to(device)
    values = {"whole": there, "turned": there.t(), "half": there.to(torch.bfloat16), "none": there[:0], "host": whole}
    await client.put(**values, object={"step": 3})
    wrong = []
    for name, got in zip(values, await client.get(*values)):
        if not torch.equal(got.cpu(), values[name].cpu()):
            wrong.append(name)
    for target in (torch.zeros_like(whole), torch.zeros_like(there)):
        (got,) = await client.get(Request.from_any("turned", target))
        if got.data_ptr() != target.data_ptr() or not torch.equal(target.cpu(), whole.t()):
            wrong.append(f"turned, into {target.device}")
    (got,) = await client.get(Request.from_tensor_slice("whole", TensorSlice((1, 2), (), whole.shape, (3, 5), ())))
    if not torch.equal(got.cpu(), whole[1:4, 2:7]):
        wrong.append("a part")
    return wrong


async def put_on_a_stream(client: Client, device: torch.device) -> list[int]:
    """What is got of a tensor that is put before the stream that fills it has come so far, into one that the same stream
    has still to clear."""
    emu = torch.get_device_module("emu")
    with torch.Stream(device=device):
        tensor = torch.zeros(1 << 16, dtype=torch.uint8, device=device)
        emu.fill_late(tensor, 7, LATE_MS)
        await client.put(late=tensor)
        tensor.zero_()  # the put has ended
        target = torch.empty_like(tensor)
        emu.fill_late(target, 1, LATE_MS)
        await client.get(Request.from_any("late", target))
        return target.clone().cpu().unique().tolist()


async def homes(client: Client, device: torch.device) -> dict[str, str]:
    """Where the volume has what came from the device, and from the host."""
    found: dict[str, str] = {}
    answered = TomboloTransportBuffer._handle_storage_volume_response

    async def look(buffer: Any, requests: list[Request], answer: Any) -> Any:
        found.update({request.key: kind[2] for request, kind in zip(requests, answer.kinds)})
        return await answered(buffer, requests, answer)

    await client.put(own=torch.ones(3, device=device), host=torch.ones(3))
    with unittest.mock.patch.object(TomboloTransportBuffer, "_handle_storage_volume_response", look):
        await client.get("own", "host")
    return found


def converse(pipe: Connection, said: Connection, library: str, conversation: Any) -> None:
    """A client in a process of its own."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with the tests

    async def limited(device: torch.device) -> Any:
        client = Client(Asked(pipe))
        try:
            return await asyncio.wait_for(conversation(client, device), LIMIT_S)
        finally:
            client.ref.transport_context.clear()

    try:
        said.send(asyncio.run(limited(emulated_device.equip(library, CLIENT))))
    except BaseException as error:  # noqa: BLE001: told to the test
        said.send(f"{type(error).__name__}: {error}")


class DevicesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.library = emulated_device.built()

    def said(self, conversation: Any, *, client: bool, volume: bool) -> Any:
        """What a client says, where it or the volume, or both, have a device."""
        serving = Volume(partial(emulated_device.equip, self.library if volume else "", VOLUME))
        self.addCleanup(serving.process.kill)
        context = multiprocessing.get_context("spawn")
        pipe, far = context.Pipe()
        said, tells = context.Pipe()
        process = context.Process(target=converse, args=(far, tells, self.library if client else "", conversation))
        process.start()
        self.addCleanup(process.kill)
        far.close()
        tells.close()
        threading.Thread(target=serving.relay, args=(pipe,), daemon=True).start()
        return said.recv() if said.poll(2 * LIMIT_S) else "nothing"

    def test_should_carry_tensors_whoever_has_a_device(self) -> None:
        for client, volume in ((True, True), (True, False), (False, True)):
            with self.subTest(client=client, volume=volume):
                self.assertEqual([], self.said(put_and_get, client=client, volume=volume))

    def test_should_keep_on_the_volumes_device_what_came_from_one(self) -> None:
        self.assertEqual({"own": "emu", "host": "cpu"}, self.said(homes, client=True, volume=True))
        self.assertEqual({"own": "cpu", "host": "cpu"}, self.said(homes, client=True, volume=False))

    def test_should_keep_the_order_of_the_clients_stream(self) -> None:
        for volume in (True, False):
            self.assertEqual([7], self.said(put_on_a_stream, client=True, volume=volume))


if __name__ == "__main__":
    unittest.main()
