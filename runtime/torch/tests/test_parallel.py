# SPDX-License-Identifier: Apache-2.0
"""What torch builds on groups: meshes, distributed tensors, tensor parallelism, checkpoints."""

from __future__ import annotations

import math
import os
import tempfile
import unittest

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from oracle import furthest
from ranks import TIMEOUT, mixed, preload, run

preload("torch.distributed.tensor.parallel", "torch.distributed.checkpoint", "torch.distributed.fsdp")

DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
WHOLE = torch.arange(35.0).reshape(7, 5)  # no size is a multiple of the ranks
Shape = tuple[int, int, int]  # of a mesh: replicas, shards, columns


def redistributed(rank: int, device: str = "cpu") -> list[str]:
    """Each way from one placement to another that does not keep the tensor."""
    size = dist.get_world_size()
    mesh = init_device_mesh(device, (size,))
    placements = [Replicate(), Shard(0), Shard(1)]
    wrong = []
    for before in placements:
        for after in placements:
            moved = distribute_tensor(WHOLE.to(device), mesh, [before]).redistribute(mesh, [after])
            if not torch.equal(moved.full_tensor().cpu(), WHOLE):
                wrong.append(f"{before} to {after}")
    for after in placements:
        parts = DTensor.from_local(WHOLE.to(device) * (rank + 1), mesh, [Partial()])
        if not torch.equal(parts.redistribute(mesh, [after]).full_tensor().cpu(), sum(range(size + 1)) * WHOLE):
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
    gradients = [each.grad.full_tensor() for each in split.parameters()]
    return furthest([expected, *(each.grad for each in plain.parameters())], [found, *gradients])


def saved_and_loaded(rank: int, folder: str) -> bool:
    """Saves a tensor in shards of one axis, and loads it in shards of the other."""
    mesh = init_device_mesh("cpu", (2,))
    checkpoint.save({"tensor": distribute_tensor(WHOLE, mesh, [Shard(0)])}, checkpoint_id=folder)
    room = {"tensor": distribute_tensor(torch.zeros_like(WHOLE), mesh, [Shard(1)])}
    checkpoint.load(room, checkpoint_id=folder)
    return torch.equal(room["tensor"].full_tensor(), WHOLE)


def network_to_shard() -> nn.Sequential:
    torch.manual_seed(11)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)).double()


def sharded(mesh: DeviceMesh) -> nn.Module:
    """Along all three axes of the mesh: of the parameters along the columns, some are split and one is repeated."""
    layers = parallelize_module(network_to_shard(), mesh["columns"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
    for part in (layers[0], layers[2], layers):
        fully_shard(part, mesh=mesh["replicas", "shards"])
    return layers


def loss_of(layers: nn.Module, part: int) -> torch.Tensor:
    """For the inputs of one part of the ranks that have the same columns."""
    inputs = torch.randn(4, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(part))
    return layers(inputs).square().sum()


def clipped_steps(layers: nn.Module, parts: list[int]) -> list[float]:
    """Three steps whose gradients are clipped by three kinds of norm: these norms."""
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
    norms = []
    for kind in (1.0, 2.0, math.inf):
        optimizer.zero_grad()
        (sum(loss_of(layers, part) for part in parts) / len(parts)).backward()
        norm = nn.utils.clip_grad_norm_(layers.parameters(), 0.5, kind)
        norms.append((norm.full_tensor() if isinstance(norm, DTensor) else norm).item())
        optimizer.step()
    return norms


def whole(layers: nn.Module) -> list[float]:
    """All parameters."""
    full = [each.full_tensor() if isinstance(each, DTensor) else each for each in layers.parameters()]
    return torch.cat([each.detach().flatten() for each in full]).tolist()


def trained_and_loaded(rank: int, backend: str, folder: str, shape: Shape) -> tuple[list[float], list[float], bool]:
    """Norms of gradients; parameters after the steps; whether a checkpoint gives them to a network that has others."""
    size = math.prod(shape)
    dist.init_process_group(backend, init_method=f"file://{folder}/store", rank=rank, world_size=size, timeout=TIMEOUT)
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=("replicas", "shards", "columns"))
    trained = sharded(mesh)
    norms = clipped_steps(trained, [rank // shape[2]])
    checkpoint.save(trained.state_dict(), checkpoint_id=f"{folder}/checkpoint")
    loaded = sharded(mesh)
    before = whole(loaded)
    room = loaded.state_dict()
    checkpoint.load(room, checkpoint_id=f"{folder}/checkpoint")
    loaded.load_state_dict(room)
    after = whole(trained)
    return norms, after, before != after and whole(loaded) == after


def trained_alone(parts: int) -> tuple[list[float], list[float]]:
    """The same norms and parameters, without any group."""
    layers = network_to_shard()
    return clipped_steps(layers, list(range(parts))), whole(layers)


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

    def test_should_clip_and_save_what_is_sharded_and_tensor_parallel(self) -> None:
        self.check_training((1, 2, 2))

    def test_should_clip_and_save_what_is_replicated_and_tensor_parallel(self) -> None:
        """TOMBOLO_DEEP=1: and sharded, over eight ranks."""
        self.check_training((2, 2 if DEEP else 1, 2))

    def check_training(self, shape: Shape) -> None:
        """Over us and over Gloo: as one process by itself."""
        ranks = math.prod(shape)
        alone = trained_alone(ranks // shape[2])
        for backend in ("tombolo", "gloo"):
            with tempfile.TemporaryDirectory() as folder:
                answers = run(trained_and_loaded, ranks, backend, folder, shape, join=False, variables=mixed(ranks))
            for rank, (*found, is_loaded) in enumerate(answers):
                with self.subTest(backend, rank=rank):
                    for expected, got in zip(alone, found):
                        torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12)
                    self.assertTrue(is_loaded)


if __name__ == "__main__":
    unittest.main()
