# SPDX-License-Identifier: Apache-2.0
"""torch.distributed over accelerators of several vendors in one process group.

    import tombolo
    torch.distributed.init_process_group("tombolo")

Importing it registers the backend; nothing else happens before a group is made. Then the Java virtual machine starts
in this process.
"""

from __future__ import annotations

import torch
import torch.distributed as dist

from tombolo._built_for import TORCH
from tombolo._versions import check_torch

check_torch(torch.__version__, TORCH)

from tombolo._backend import describe, register  # noqa: E402
from tombolo._launch import initialize_distributed  # noqa: E402
from tombolo._other_job import OtherJob, accept, connect  # noqa: E402

__all__ = ["OtherJob", "accept", "connect", "describe", "initialize_distributed"]

if dist.is_available():
    register()
