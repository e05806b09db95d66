# SPDX-License-Identifier: Apache-2.0
"""DDP under torch.compile: torchrun --standalone --nproc-per-node 4 train_compile.py [tombolo|gloo [compiler]]"""

from __future__ import annotations

import sys

import digits
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import tombolo  # noqa: F401

dist.init_process_group(sys.argv[1] if len(sys.argv) > 1 else "tombolo")
model = DistributedDataParallel(digits.network())
losses = digits.train(torch.compile(model, backend=sys.argv[2] if len(sys.argv) > 2 else "inductor"))
digits.report(losses, dict(model.named_parameters()))
dist.destroy_process_group()
