# SPDX-License-Identifier: Apache-2.0
"""What Tombolo costs a program of torch's, beside Gloo: torchrun --standalone --nproc-per-node 2 costs.py

Prints, for rank 0: how long joining takes and how much memory each rank needs for it; how long a call of one rank, which
waits for nobody, is in each layer; how long a step of the examples' training takes under DDP. Gloo and we take turns.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore  # noqa: F401, registers "fake": torch's part alone

import tombolo  # noqa: F401

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import digits  # noqa: E402

TURNS = 41
CALLS = 1000  # in a turn
STEPS = 50  # of training, in a turn
STEPS_OF_WIDE = 3
WARM_UP_TURNS = 20


def resident() -> float:
    """MB of this process that are in memory."""
    with open("/proc/self/statm") as sizes:
        return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def joined(backend: str) -> tuple[dist.ProcessGroup, str]:
    """A group of all ranks, and what it took."""
    before, start = resident(), time.perf_counter()
    group = dist.new_group(backend=backend)
    dist.barrier(group)
    return group, f"{time.perf_counter() - start:6.2f} s {resident() - before:6.0f} MB"


def in_turns(rounds: dict[str, Callable[[], float]]) -> dict[str, float]:
    """The median of each, called in turns."""
    times: dict[str, list[float]] = {who: [] for who in rounds}
    for _ in range(TURNS):
        for who, once in rounds.items():
            times[who].append(once())
    return {who: statistics.median(all_times) for who, all_times in times.items()}


def microseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) * 1e6 / CALLS


def wide_network() -> nn.Module:
    """8 million parameters, the same on every rank."""
    torch.manual_seed(0)
    middle = [nn.Linear(1024, 1024) for _ in range(8)]
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 1024), nn.ReLU(), *middle, nn.Linear(1024, 10))


def training(network: nn.Module, group: dist.ProcessGroup, steps: int) -> Callable[[], float]:
    """Gives the milliseconds of a step, of so many."""
    model = DistributedDataParallel(network, process_group=group)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images, labels = digits.load()
    rank, size = dist.get_rank(), dist.get_world_size()

    def milliseconds() -> float:
        start = time.perf_counter()
        for step in range(steps):
            batch = slice(rank + step % 20 * digits.BATCH, (step % 20 + 1) * digits.BATCH, size)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimizer.step()
        return (time.perf_counter() - start) * 1e3 / steps

    return milliseconds


def calls_of_one_rank() -> str:
    """On rank 0; the others wait."""
    ours = [dist.new_group([rank], backend="tombolo") for rank in range(dist.get_world_size())][dist.get_rank()]
    fake = [dist.new_group([rank], backend="fake") for rank in range(dist.get_world_size())][dist.get_rank()]
    backend = ours._get_backend(torch.device("cpu"))
    tensor = torch.zeros(2)
    calls = {
        "torch alone": lambda: dist.all_reduce(tensor, group=fake),
        "with Tombolo": lambda: dist.all_reduce(tensor, group=ours),
        "Tombolo alone": lambda: backend.allreduce([tensor]).wait(),
    }
    text = "an all_reduce of 8 bytes by one rank"
    if dist.get_rank() == 0:
        for _ in range(WARM_UP_TURNS):
            microseconds(calls["with Tombolo"])
        times = in_turns({who: partial(microseconds, call) for who, call in calls.items()})
        text += "".join(f"\n  {who:14} {took:7.1f} µs" for who, took in times.items())
    dist.barrier()
    for group in (ours, fake):
        dist.destroy_process_group(group)
    return text


def steps_under_ddp(title: str, network: Callable[[], nn.Module], steps: int, groups: dict[str, dist.ProcessGroup]) -> str:
    rounds = {who: training(network(), group, steps) for who, group in groups.items()}
    for once in rounds.values():
        once()
    times = in_turns(rounds)
    return f"a step under DDP, {title}" + "".join(f"\n  {who:14} {took:7.2f} ms" for who, took in times.items())


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    gloo, cost_of_gloo = joined("gloo")
    ours, cost_of_ours = joined("tombolo")
    another, cost_of_another = joined("tombolo")
    groups = {"Gloo": gloo, "Tombolo": ours}
    said = [
        f"joining and a barrier, and the memory of a rank\n  {'Gloo':14} {cost_of_gloo}",
        f"  {'Tombolo':14} {cost_of_ours}\n  {'a second group':14} {cost_of_another}",
        calls_of_one_rank(),
        steps_under_ddp("the CNN of the examples", digits.network, STEPS, groups),
        steps_under_ddp("8 million parameters", wide_network, STEPS_OF_WIDE, groups),
    ]
    if dist.get_rank() == 0:
        print("\n".join(said), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
