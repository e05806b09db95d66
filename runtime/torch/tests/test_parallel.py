# SPDX-License-Identifier: Apache-2.0
"""What torch builds on groups: meshes, distributed tensors, tensor parallelism, checkpoints."""

from __future__ import annotations

import tempfile
import unittest

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from ranks import mixed, preload, run

preload("torch.distributed.tensor.parallel", "torch.distributed.checkpoint")

WHOLE = torch.arange(35.0).reshape(7, 5)  # no size is a multiple of the ranks


def redistributed(rank: int) -> list[str]:
    """Each way from one placement to another that does not keep the tensor."""
    mesh = init_device_mesh("cpu", (3,))
    placements = [Replicate(), Shard(0), Shard(1)]
    wrong = []
    for before in placements:
        for after in placements:
            moved = distribute_tensor(WHOLE, mesh, [before]).redistribute(mesh, [after])
            if not torch.equal(moved.full_tensor(), WHOLE):
                wrong.append(f"{before} to {after}")
    for after in placements:
        parts = DTensor.from_local(WHOLE * (rank + 1), mesh, [Partial()])
        if not torch.equal(parts.redistribute(mesh, [after]).full_tensor(), 6 * WHOLE):
            wrong.append(f"partial sums to {after}")
    return wrong


def on_a_mesh_of_two_axes(rank: int) -> list[float]:
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("rows", "columns"))
    sums = []
    for name in ("rows", "columns"):
        tensor = torch.tensor([10.0**rank])
        dist.all_reduce(tensor, group=mesh.get_group(name))
        sums.append(tensor.item())
    return sums


def network() -> nn.Sequential:
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)).double()


def tensor_parallel(rank: int) -> float:
    """How far outputs and gradients of the split network are from those of the whole one."""
    plain = network()
    split = parallelize_module(network(), init_device_mesh("cpu", (2,)), {"0": ColwiseParallel(), "2": RowwiseParallel()})
    inputs = torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    expected, found = plain(inputs), split(inputs)
    expected.square().sum().backward()
    found.square().sum().backward()
    pairs = [(expected, found)]
    pairs += [(a.grad, b.grad.full_tensor()) for a, b in zip(plain.parameters(), split.parameters())]
    return max((a - b).abs().max().item() for a, b in pairs)


def saved_and_loaded(rank: int, folder: str) -> bool:
    """Saves a tensor in shards of one axis, and loads it in shards of the other."""
    mesh = init_device_mesh("cpu", (2,))
    checkpoint.save({"tensor": distribute_tensor(WHOLE, mesh, [Shard(0)])}, checkpoint_id=folder)
    room = {"tensor": distribute_tensor(torch.zeros_like(WHOLE), mesh, [Shard(1)])}
    checkpoint.load(room, checkpoint_id=folder)
    return torch.equal(room["tensor"].full_tensor(), WHOLE)


class ParallelTest(unittest.TestCase):
    def test_should_redistribute_tensors(self) -> None:
        self.assertEqual([[]] * 3, run(redistributed, 3, variables=mixed(3)))

    def test_should_serve_the_axes_of_a_mesh(self) -> None:
        expected = [[101.0, 11.0], [1010.0, 11.0], [101.0, 1100.0], [1010.0, 1100.0]]
        self.assertEqual(expected, run(on_a_mesh_of_two_axes, 4))

    def test_should_serve_tensor_parallelism(self) -> None:
        self.assertLess(max(run(tensor_parallel, 2, variables=mixed(2))), 1e-12)

    def test_should_save_and_load_checkpoints(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual([True, True], run(saved_and_loaded, 2, folder, variables=mixed(2)))


if __name__ == "__main__":
    unittest.main()
