# SPDX-License-Identifier: Apache-2.0
"""What the examples share: 1 797 handwritten digits of 8 by 8 pixels, a small CNN, and one training loop."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

import tombolo

DATA = Path(__file__).parents[2] / "cli/src/main/resources/io/tombolo/cli/train/digits.csv.gz"
STEPS = 20
BATCH = 64  # of all ranks together


def load() -> tuple[torch.Tensor, torch.Tensor]:
    """Images in [0, 1], of shape (n, 1, 8, 8), and what they show."""
    with gzip.open(DATA, "rt") as lines:
        rows = torch.tensor([[float(value) for value in line.split(",")] for line in lines if line[0].isdigit()])
    return rows[:, :64].reshape(-1, 1, 8, 8) / 16, rows[:, 64].long()


def network() -> nn.Module:
    """The same weights on every rank."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 16, 10),
    )


def train(model: nn.Module, step_done: Callable[[int, float], None] = lambda step, loss: None) -> list[float]:
    """The mean loss over all ranks of each step. Ranks take turns in each batch."""
    images, labels = load()
    rank, size = dist.get_rank(), dist.get_world_size()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(STEPS):
        batch = slice(step * BATCH + rank, (step + 1) * BATCH, size)
        loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach().double()
        dist.all_reduce(mean)
        losses.append(mean.item() / size)
        step_done(step, losses[-1])
    return losses


def digest(parameters: dict[str, torch.Tensor]) -> str:
    """Of all weights, bit by bit."""
    digest = hashlib.sha256()
    for name in sorted(parameters):
        digest.update(bytes(parameters[name].detach().flatten().view(torch.uint8).tolist()))
    return digest.hexdigest()[:16]


def report(losses: list[float], parameters: dict[str, torch.Tensor]) -> None:
    """Fails unless all ranks hold the same bits; rank 0 prints them, and the losses."""
    own = torch.tensor(list(bytes.fromhex(digest(parameters))), dtype=torch.uint8)
    gathered = [torch.empty_like(own) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, own)  # all_gather_object would need numpy
    digests = [bytes(one.tolist()).hex() for one in gathered]
    if len(set(digests)) != 1:
        raise SystemExit(f"the ranks hold different weights: {digests}")
    if dist.get_rank() == 0:
        if dist.get_backend() == "tombolo":
            print(tombolo.describe())
        print("losses", " ".join(f"{loss:.9f}" for loss in losses))
        print("weights", digests[0], "on all", len(digests), "ranks", flush=True)
