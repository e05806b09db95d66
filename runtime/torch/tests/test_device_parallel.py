# SPDX-License-Identifier: Apache-2.0
"""What torch builds on groups, with tensors of devices: FSDP2, distributed tensors, functional collectives."""

from __future__ import annotations

import unittest

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

import test_functional
from devices import DEVICES, own_device, run_on
from oracle import furthest
from ranks import preload
from test_parallel import WHOLE, redistributed

preload("torch._dynamo", "torch.distributed.fsdp", "torch.distributed.tensor")


def network() -> nn.Sequential:
    torch.manual_seed(11)
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)).double()


def trained(layers: nn.Module, device: str, parts: list[int]) -> list[torch.Tensor]:
    """The parameters after two steps, each of the mean of what these parts of a batch give."""
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
    for step in range(2):
        optimizer.zero_grad()
        for part in parts:
            generator = torch.Generator().manual_seed(2 * step + part)
            inputs = torch.randn(4, 6, dtype=torch.float64, generator=generator).to(device)
            (layers(inputs).square().sum() / len(parts)).backward()
        optimizer.step()
    full = [each.full_tensor() if isinstance(each, DTensor) else each for each in layers.parameters()]
    return [each.detach().cpu() for each in full]


def train_with_fsdp2(rank: int) -> float:
    """How far it ends from the same training by one process on the CPU."""
    alone = trained(network(), "cpu", list(range(dist.get_world_size())))
    layers = network().to(own_device())
    mesh = init_device_mesh(own_device(), (dist.get_world_size(),))
    for part in (layers[0], layers[2], layers):
        fully_shard(part, mesh=mesh)
    together = trained(layers, own_device(), [rank])
    return furthest(together, alone)


def redistribute(rank: int) -> list[str]:
    return redistributed(rank, own_device())


def redistribute_by_way_of_replicas(rank: int) -> list[str]:
    """What is wrong between a device and the host, where torch goes from one sharded axis to another by different calls: an
    all_to_all on devices, an all_gather on the CPU."""
    mesh = init_device_mesh(own_device(), (2,))
    wrong = []
    for before, after in ((Shard(0), Shard(1)), (Shard(1), Shard(0))):
        moved = distribute_tensor(WHOLE.to(own_device()), mesh, [before])
        for placement in (Replicate(), after):
            moved = moved.redistribute(mesh, [placement])
            if not torch.equal(moved.full_tensor().cpu(), WHOLE):
                wrong.append(f"{before} to {placement}")
        parts = DTensor.from_local(WHOLE.to(own_device()) * (rank + 1), mesh, [Partial()])
        if not torch.equal(parts.redistribute(mesh, [after]).full_tensor().cpu(), 3 * WHOLE):
            wrong.append(f"partial sums to {after}")
    return wrong


def call_functions(rank: int) -> tuple[list[list[float]], list[list[float]]]:
    """Eagerly and compiled."""
    return (
        test_functional.functional_collectives(rank, own_device()),
        test_functional.more_functional_collectives(rank, own_device()),
    )


class DeviceParallelTest(unittest.TestCase):
    def test_should_train_with_fsdp2_on_devices(self) -> None:
        for distance in run_on([DEVICES] * 2, train_with_fsdp2):
            self.assertLess(distance, 1e-12)

    def test_should_train_with_fsdp2_on_a_device_and_the_host(self) -> None:
        for distance in run_on([DEVICES, "host"], train_with_fsdp2):
            self.assertLess(distance, 1e-12)

    def test_should_redistribute_tensors_of_devices(self) -> None:
        self.assertEqual([[]] * 2, run_on([DEVICES] * 2, redistribute))

    def test_should_redistribute_tensors_of_a_device_and_the_host(self) -> None:
        self.assertEqual([[]] * 2, run_on([DEVICES, "host"], redistribute_by_way_of_replicas))

    def test_should_serve_functional_collectives_on_devices(self) -> None:
        expected = list(zip(test_functional.RESULTS, test_functional.MORE_RESULTS))
        self.assertEqual(expected, run_on([DEVICES] * 2, call_functions))


if __name__ == "__main__":
    unittest.main()
