# SPDX-License-Identifier: Apache-2.0
"""A trainer writes 20 versions of a network, a generator of another vendor follows: two programs with a volume in between.
The trainer goes on once the generator has seen the version, as on-policy methods do.

    export TOMBOLO_TOKEN=$(openssl rand -hex 32)
    tombolo store serve --listen 127.0.0.1:7777 &
    python store_rl.py generate 127.0.0.1:7777 & python store_rl.py train 127.0.0.1:7777

Or without one, straight from the trainer's memory, which stays until Enter is pressed. This trainer waits for nobody, and
the generator takes the newest version there is:

    python store_rl.py hold 127.0.0.1:7778          # and, elsewhere, once it serves:
    python store_rl.py follow 127.0.0.1:7778
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable

import digits
import torch
from torch import nn

from tombolo.store import Holder, Holders, Store

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
print("device", device, flush=True)
images, labels = (each.to(device) for each in digits.load())
model = digits.network().to(device)


def checksum() -> str:
    return digits.digest({name: weights.cpu() for name, weights in model.state_dict().items()})


def train(put: Callable[[int, dict[str, torch.Tensor]], object]) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(digits.STEPS):
        batch = slice(step * digits.BATCH, (step + 1) * digits.BATCH)
        loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        put(step + 1, {**model.state_dict(), "left": torch.tensor(digits.STEPS - step - 1)})
        print("version", step + 1, checksum(), f"{loss.item():.4f}", flush=True)


def generate(source: Store | Holders, saw: Callable[[int], object]) -> None:
    version, left = 0, torch.tensor(1)
    while left.item() > 0:
        with source.open_state_dict("policy", newer_than=version, timeout=120) as policy:
            policy.load({**model.state_dict(), "left": left})
            version = policy.version
        with torch.no_grad():
            right = (model(images).argmax(dim=1) == labels).double().mean().item()
        print("version", version, checksum(), f"{right:.4f}", flush=True)
        saw(version)


def put_and_wait(store: Store, tensors: dict[str, torch.Tensor]) -> None:
    version = store.put_state_dict("policy", tensors)
    with store.open_state_dict("seen", newer_than=version - 1, timeout=120):
        pass  # it is enough that it is there: there are as many versions of both


role, address = sys.argv[1:]
if role == "hold":
    with Holder("policy", run=secrets.token_hex(8), listen=address) as holder:
        print("serves at", holder.address, flush=True)
        train(holder.show)
        sys.stdin.readline()  # the last version is read from here, too
elif role == "follow":
    with Holders([address]) as holders:
        generate(holders, lambda version: None)
else:
    with Store(address) as store:
        if role == "train":
            train(lambda version, tensors: put_and_wait(store, tensors))
        else:
            generate(store, lambda version: store.put_state_dict("seen", {"version": torch.tensor(version)}))
