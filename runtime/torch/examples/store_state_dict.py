# SPDX-License-Identifier: Apache-2.0
"""An adapter of many small tensors (LoRA, of 32 layers) goes through the store and comes back bit by bit."""

from __future__ import annotations

import hashlib
import time

import torch

from tombolo.store import Store, Volume

LAYERS, WIDTH, RANK = 32, 2048, 16

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def adapter() -> dict[str, torch.Tensor]:
    """Two thin matrices for each projection of each layer."""
    return {
        f"layers.{layer}.attention.{projection}_proj.lora_{side}": torch.empty(shape, dtype=torch.bfloat16, device=device)
        for layer in range(LAYERS)
        for projection in "qkvo"
        for side, shape in (("A", (RANK, WIDTH)), ("B", (WIDTH, RANK)))
    }


def checksum(tensors: dict[str, torch.Tensor]) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(tensors.items()):
        digest.update(name.encode() + tensor.cpu().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:16]


torch.manual_seed(0)
trained, received = adapter(), adapter()
for tensor in trained.values():
    tensor.normal_()

with Volume() as volume, Store(volume.address, volume.token) as store:
    begin = time.perf_counter()
    version = store.put_state_dict("adapter", trained)
    put = time.perf_counter()
    with store.open_state_dict("adapter") as snapshot:
        snapshot.load(received)
    got = time.perf_counter()

print("tensors", len(trained), "version", version, f"put {(put - begin) * 1e3:.1f} ms, got {(got - put) * 1e3:.1f} ms")
print("checksums", checksum(trained), checksum(received))
