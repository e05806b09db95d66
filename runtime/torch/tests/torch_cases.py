# SPDX-License-Identifier: Apache-2.0
"""Torch's own DistributedTest cases, over any backend.

    BACKEND=gloo WORLD_SIZE=2 python torch_cases.py [-k PATTERN]

With IMPERSONATE=1 the backend "gloo" is tombolo: many cases are skipped for any other name. Children come from a fork
server, as spawned ones would import torch each.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import unittest
from typing import Any

os.environ.setdefault("BACKEND", "gloo")
os.environ.setdefault("WORLD_SIZE", "2")
os.environ.setdefault("TEMP_DIR", tempfile.gettempdir())

import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.testing._internal.distributed.distributed_test import DistributedTest, TestDistBackend

if os.environ.get("IMPERSONATE"):
    from tombolo import _backend

    dist.Backend.register_backend("gloo", _backend.create, extended_api=True, devices=["cpu", "cuda"])


def run_with(environment: dict[str, str], target: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """A child of the fork server has the server's environment, which is older than this test."""
    os.environ.update(environment)
    target(*arguments, **options)


class TestDistBackendWithForkServer(TestDistBackend, DistributedTest._DistTestBase):
    def setUp(self) -> None:
        super().setUp()
        context = multiprocessing.get_context("forkserver")

        def process(target: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return context.Process(target=run_with, name=name, args=(dict(os.environ), target, args, kwargs))

        self._start_processes(process)


if __name__ == "__main__":
    logging.disable(logging.INFO)
    multiprocessing.set_forkserver_preload(["__main__"])
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
