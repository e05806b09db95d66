# SPDX-License-Identifier: Apache-2.0
"""The first job has class data made; the next one's virtual machines share it."""

from __future__ import annotations

import tempfile
import time
import unittest
from pathlib import Path

import torch
import torch.distributed as dist

from ranks import java_options, run

LIMIT_S = 120  # to make it, on a busy machine with the least priority


def meet(rank: int) -> float:
    tensor = torch.tensor([float(rank)])
    dist.all_reduce(tensor)
    return tensor.item()


def shared_classes(folder: Path, **more: str) -> float:
    """Runs a job; which part of our classes rank 0 has had from class data."""
    log = folder / "loads"
    variables = {"TOMBOLO_CACHE": str(folder), **more}
    first = {**variables, "TOMBOLO_JAVA_OPTS": java_options(f"-Xlog:class+load:file={log}")}
    assert run(meet, 2, variables=[first, variables]) == [1.0, 1.0]
    ours = [line for line in log.read_text().splitlines() if "io.tombolo" in line]
    return sum("source: shared objects file (top)" in line for line in ours) / len(ours)


class ClassDataTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def made(self) -> list[Path]:
        return list((self.folder / "class-data").glob("*.jsa"))

    def test_should_start_with_what_the_job_before_has_had_made(self) -> None:
        self.assertEqual(0, shared_classes(self.folder))
        deadline = time.monotonic() + LIMIT_S
        while not self.made():
            self.assertLess(time.monotonic(), deadline, list(self.folder.rglob("*")))
            time.sleep(0.1)
        self.assertEqual(0o700, (self.folder / "class-data").stat().st_mode & 0o777)
        self.assertGreater(shared_classes(self.folder), 0.9)
        self.assertEqual(1, len(self.made()))

    def test_should_neither_make_nor_share_any_if_told_so(self) -> None:
        self.assertEqual(0, shared_classes(self.folder, TOMBOLO_CLASS_DATA="off"))
        self.assertFalse((self.folder / "class-data").exists())
