# SPDX-License-Identifier: Apache-2.0
"""Runs cases of torch's repository over Gloo, or over us in Gloo's name, as torch_cases.py does with those of its package.

    python further_run.py FOLDER OUTCOMES CASE...                      over Gloo
    VENDORS=intel,host python further_run.py FOLDER OUTCOMES CASE...   over us, with ranks of these vendors in turn

FOLDER is test/distributed of torch's repository, a CASE is FILE::CLASS::TEST in it. Prints a line for each case: "passed",
"passed without a group" if it made none of this back end, "skipped", "failed", and "missing" if the folder has none of that
name. The file OUTCOMES gets the same as JSON. With KEPT=1 processes outlive a case, as torch_cases.py says.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.testing._internal.common_distributed import MultiProcContinuousTest

from torch_cases import VENDORS, Lines, ranks_of_fork_server

# FSDP's cases that do without an accelerator look whether there are as many as ranks, of which none has more.
torch.accelerator.device_count = torch.cpu.device_count = lambda: 8

Creator = Callable[[Any, Any], Any]  # of a group: from torch's options, and the program's


def noting(create: Creator) -> Creator:
    """The same, and notes each time that it is called."""

    def join(options: Any, pg_options: Any) -> Any:
        with open(os.environ["JOINS"], "a") as joins:
            joins.write(".")
        return create(options, pg_options)

    return join


if VENDORS:
    from tombolo import _backend

    def ours(options: Any, pg_options: Any) -> Any:
        """A rank that torch spawns by itself has no vendor yet."""
        os.environ.setdefault("TOMBOLO_VENDOR", VENDORS[options.group_rank % len(VENDORS)])
        return _backend.create(options, pg_options)

    dist.Backend.register_backend("gloo", ours, extended_api=True, devices=["cpu", "cuda"])

gloo = dist.Backend._plugins["GLOO"]
dist.Backend._plugins["GLOO"] = gloo._replace(creator_fn=noting(gloo.creator_fn))


def joins() -> int:
    """How often ranks have joined a group."""
    return os.stat(os.environ["JOINS"]).st_size


class FurtherLines(Lines):
    """Says how each case ended, and whether it had to do with the back end."""

    test_class: type | None = None
    before = 0

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        if type(test) is not self.test_class or not isinstance(test, MultiProcContinuousTest):  # whose ranks join once a class
            self.before = joins()
        self.test_class = type(test)

    def name_of(self, test: unittest.TestCase) -> str:
        return getattr(test, "case", test.id())

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.tell("passed" if joins() > self.before else "passed without a group", test)


def loaded(folder: Path, case: str) -> unittest.TestCase:
    """Raises what comes of it if there is no such case."""
    path, class_name, test_name = case.split("::")
    file = folder / path
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))
    test = getattr(importlib.import_module(file.stem), class_name)(test_name)
    test.case = case
    return test


def run(folder: Path, cases: list[str]) -> dict[str, str]:
    """How each case ended."""
    lines = FurtherLines()
    suite = unittest.TestSuite()
    for case in cases:
        try:
            suite.addTest(loaded(folder, case))
        except Exception as error:
            lines.outcomes[case] = "missing"
            print("missing", case, f"({error})", flush=True)
    with ranks_of_fork_server():
        suite.run(lines)
    return lines.outcomes


if __name__ == "__main__":
    logging.disable(logging.INFO)
    outcomes = Path(sys.argv[2])
    os.environ["JOINS"] = f"{outcomes}.joins"
    Path(os.environ["JOINS"]).touch()
    multiprocessing.set_forkserver_preload(
        [f"torch.testing._internal.{name}" for name in ("distributed.distributed_test", "distributed._tensor.common_dtensor")]
    )
    outcomes.write_text(json.dumps(run(Path(sys.argv[1]).resolve(), sys.argv[3:])))
