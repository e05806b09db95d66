# SPDX-License-Identifier: Apache-2.0
"""Four ranks write what they have of a matrix, two read it as they want it.

    torchrun --standalone --nproc-per-node 4 store_spmd.py
"""

from __future__ import annotations

import hashlib
import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor, empty

import tombolo  # noqa: F401
from tombolo.store import Store, Volume, Writers

SHAPE = (1000, 300)


def checksum(tensor: torch.Tensor) -> str:
    return hashlib.sha256(tensor.cpu().contiguous().numpy().tobytes()).hexdigest()[:16]


dist.init_process_group("tombolo")
rank, size = dist.get_rank(), dist.get_world_size()
device = (torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")).type
volume = Volume() if rank == 0 else None
where = [(volume.address, volume.token) if volume else None]
dist.broadcast_object_list(where, src=0)

torch.manual_seed(0)
whole = torch.randn(SHAPE)
rows = distribute_tensor(whole, init_device_mesh(device, (size,)), [Shard(0)])
readers = DeviceMesh(device, [0, 1])

with Store(*where[0]) as store:
    version = store.put_state_dict("model", {"w": rows}, Writers("step 1", size, rank))
    if rank < 2:
        columns = empty(SHAPE, device_mesh=readers, placements=[Shard(1)])
        with store.open_state_dict("model") as snapshot:
            snapshot.load({"w": columns})
        height, width = columns.to_local().shape
        sums = f"{checksum(whole)} {checksum(columns.full_tensor())}"
        # in one write: under torchrun both ranks write to one pipe, and nothing is buffered
        sys.stdout.write(f"rank {rank} has {height} {width} checksums {sums}\n")
    dist.barrier()

if volume:
    volume.close()
dist.destroy_process_group()
