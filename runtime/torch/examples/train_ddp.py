# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel: torchrun --standalone --nproc-per-node 4 train_ddp.py [tombolo|gloo]"""

from __future__ import annotations

import sys

import digits
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import tombolo  # noqa: F401

dist.init_process_group(sys.argv[1] if len(sys.argv) > 1 else "tombolo")
model = DistributedDataParallel(digits.network())
losses = digits.train(model)
digits.report(losses, dict(model.named_parameters()))
dist.destroy_process_group()
