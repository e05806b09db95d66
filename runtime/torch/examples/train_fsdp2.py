# SPDX-License-Identifier: Apache-2.0
"""Fully sharded weights: torchrun --standalone --nproc-per-node 4 train_fsdp2.py [tombolo|gloo]"""

from __future__ import annotations

import sys

import digits
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import tombolo  # noqa: F401

dist.init_process_group(sys.argv[1] if len(sys.argv) > 1 else "tombolo")
model = digits.network()
mesh = init_device_mesh("cpu", (dist.get_world_size(),))
for layer in model:
    if list(layer.parameters()):
        fully_shard(layer, mesh=mesh)
fully_shard(model, mesh=mesh)
losses = digits.train(model)
digits.report(losses, {name: shard.full_tensor() for name, shard in model.named_parameters()})
dist.destroy_process_group()
