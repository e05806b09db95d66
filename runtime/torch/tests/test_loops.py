# SPDX-License-Identifier: Apache-2.0
"""Nothing piles up: operations in turns, groups made and destroyed. TOMBOLO_DEEP=1 does so for longer."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import time
import unittest
from pathlib import Path

import torch
import torch.distributed as dist

from held import COUNTED, Bounds, held, more, too_much
from ranks import java_options, oneccl_is_here, run

DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
OPERATIONS = 10_000 if DEEP else 800
CYCLES = 200 if DEEP else 8
IN_FLIGHT = 100
COUNT = 1 << 16  # elements of each
SECONDS = 1800 if DEEP else 240
STEADY = (
    "-Xms128m -Xmx128m -XX:+AlwaysPreTouch -XX:+UseSerialGC"
    " -XX:TieredStopAtLevel=1 -XX:-UseDynamicNumberOfCompilerThreads"
)
JAVA = {"TOMBOLO_JAVA_OPTS": java_options(STEADY)}  # neither garbage nor Java's own threads are growth
HOSTS = [JAVA] * 2
TWO_VENDORS = [{**JAVA, "TOMBOLO_VENDOR": vendor} for vendor in ("intel", "host")]
# Of what is counted, at least 3 groups come after the middle, so what each leaves is seen. The heap is fixed, and what malloc
# keeps goes back before the look, so memory that is no leak is code that Java compiles late, and what that needs. A group has 2
# to 4 MiB: of the last 99, a sixth of each is seen; of the tensors of CI's last three turns, which have 75 MiB, a half.
BOUNDS = Bounds(counted=2, resident=32 << 20, shared=64 << 10)


def collect_garbage() -> None:
    """Python's, and Java's by the jcmd of the JDK that is in this process; and what malloc keeps goes back to the system."""
    gc.collect()
    with open("/proc/self/maps") as lines:
        libraries = [line.split()[-1] for line in lines if line.rstrip().endswith("/lib/server/libjvm.so")]
    jcmd = Path(libraries[0]).parents[2] / "bin" / "jcmd"
    subprocess.run([jcmd, str(os.getpid()), "GC.run"], check=True, stdout=subprocess.DEVNULL, timeout=60)
    ctypes.CDLL(None).malloc_trim(0)


def settled() -> dict[str, int]:
    """What this process has once nothing is just ending: garbage has been collected, and two looks count the same."""
    before: dict[str, int] = {}
    while True:
        collect_garbage()
        now = held()
        if before and all(now[what] == before[what] for what in COUNTED):
            return now
        before = now


def operations_in_turns(rank: int) -> dict[str, int]:
    turns = OPERATIONS // IN_FLIGHT
    for turn in range(turns):
        tensors = [torch.ones(COUNT) for _ in range(IN_FLIGHT)]  # new ones: who keeps them will be seen
        works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
        for work in works:
            work.wait()
        for tensor in tensors:
            assert tensor[turn].item() == 2, f"turn {turn}: {tensor[turn].item()}"
        if turn == turns // 2:
            before = settled()
    return grown(before)


def groups_in_turns(rank: int, port: int) -> dict[str, int]:
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    for cycle in range(CYCLES):
        dist.init_process_group("tombolo", store=store, rank=rank, world_size=2)
        tensor = torch.ones(3)
        dist.all_reduce(tensor)
        assert tensor.tolist() == [2.0] * 3, f"cycle {cycle}: {tensor}"
        dist.destroy_process_group()
        if cycle == CYCLES // 2:
            before = settled()
    return grown(before)


def grown(before: dict[str, int]) -> dict[str, int]:
    """What has come since, once what is just ending has ended."""
    end = time.monotonic() + 60
    while True:
        growth = more(before, settled())
        if all(growth[what] <= 0 for what in COUNTED) or time.monotonic() > end:
            return growth


class LoopsTest(unittest.TestCase):
    def check(self, growths: list[dict[str, int]]) -> None:
        for growth in growths:
            print(growth)
            self.assertEqual({}, too_much(growth, BOUNDS), growth)

    def check_operations(self, variables: list[dict[str, str]]) -> None:
        self.check(run(operations_in_turns, 2, variables=variables, timeout=SECONDS))

    def check_groups(self, variables: list[dict[str, str]]) -> None:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # outlives the ranks
        self.check(run(groups_in_turns, 2, store.port, variables=variables, join=False, timeout=SECONDS))

    def test_should_hold_nothing_of_operations_that_have_ended(self) -> None:
        self.check_operations(HOSTS)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_hold_nothing_of_operations_between_two_vendors(self) -> None:
        self.check_operations(TWO_VENDORS)

    def test_should_hold_nothing_of_groups_that_were_destroyed(self) -> None:
        self.check_groups(HOSTS)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_hold_nothing_of_groups_of_two_vendors(self) -> None:
        self.check_groups(TWO_VENDORS)


if __name__ == "__main__":
    unittest.main()
