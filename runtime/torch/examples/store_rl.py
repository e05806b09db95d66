# SPDX-License-Identifier: Apache-2.0
"""A trainer writes 20 versions of a network, a generator of another vendor follows: two programs with a volume in between.

    export TOMBOLO_TOKEN=$(openssl rand -hex 32)
    tombolo store serve --listen 127.0.0.1:7777 &
    python store_rl.py generate 127.0.0.1:7777 & python store_rl.py train 127.0.0.1:7777
"""

from __future__ import annotations

import sys

import digits
import torch
from torch import nn

from tombolo.store import Store

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
images, labels = (each.to(device) for each in digits.load())
model = digits.network().to(device)


def checksum() -> str:
    return digits.digest({name: weights.cpu() for name, weights in model.state_dict().items()})


def train(store: Store) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(digits.STEPS):
        batch = slice(step * digits.BATCH, (step + 1) * digits.BATCH)
        loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        left = torch.tensor(digits.STEPS - step - 1)
        version = store.put_state_dict("policy", {**model.state_dict(), "left": left})
        print("version", version, checksum(), f"{loss.item():.4f}", flush=True)


def generate(store: Store) -> None:
    version, left = 0, torch.tensor(1)
    while left.item() > 0:
        with store.open_state_dict("policy", newer_than=version, timeout=120) as policy:
            policy.load({**model.state_dict(), "left": left})
            version = policy.version
        with torch.no_grad():
            right = (model(images).argmax(dim=1) == labels).double().mean().item()
        print("version", version, checksum(), f"{right:.4f}", flush=True)


with Store(sys.argv[2]) as connected:
    {"train": train, "generate": generate}[sys.argv[1]](connected)
