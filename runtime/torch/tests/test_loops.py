# SPDX-License-Identifier: Apache-2.0
"""Nothing piles up: operations in turns, groups made and destroyed. TOMBOLO_DEEP=1 does so for longer."""

from __future__ import annotations

import os
import time
import unittest

import torch
import torch.distributed as dist

from ranks import java_options, run

DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
OPERATIONS = 10_000 if DEEP else 800
CYCLES = 200 if DEEP else 8
IN_FLIGHT = 100
COUNT = 1 << 16  # elements of each; those of the last three turns have more bytes than may grow
SECONDS = 1800 if DEEP else 240
STEADY = "-Xms128m -Xmx128m -XX:+AlwaysPreTouch -XX:+UseSerialGC -XX:-UseDynamicNumberOfCompilerThreads"
JAVA = [{"TOMBOLO_JAVA_OPTS": java_options(STEADY)}] * 2  # neither garbage nor Java's own threads are growth
MAX_GROWTH = 64 << 20  # bytes, of what Java's compiler makes, too
MAX_SHARED_GROWTH = 1 << 20  # bytes: 8 KiB of each group stay mapped until Java collects its garbage


def shared_mappings() -> list[int]:
    """Bytes of each piece of shared memory that this process has mapped, whether it has a name in /dev/shm or not."""
    with open("/proc/self/maps") as lines:
        fields = [line.split() for line in lines]
    spans = [field[0].split("-") for field in fields if field[1].endswith("s")]
    return [int(end, 16) - int(start, 16) for start, end in spans]


def held() -> dict[str, int]:
    """What this process has of the system."""
    with open("/proc/self/statm") as sizes:
        pages = int(sizes.read().split()[1])
    shared = shared_mappings()
    return {
        "threads": len(os.listdir("/proc/self/task")),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "bytes": pages * os.sysconf("SC_PAGE_SIZE"),
        "shared pieces": len(shared),
        "shared bytes": sum(shared),
    }


def operations_in_turns(rank: int) -> dict[str, int]:
    before = held()
    turns = OPERATIONS // IN_FLIGHT
    for turn in range(turns):
        tensors = [torch.ones(COUNT) for _ in range(IN_FLIGHT)]  # new ones: who keeps them will be seen
        works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
        for work in works:
            work.wait()
        for tensor in tensors:
            assert tensor[turn].item() == 2, f"turn {turn}: {tensor[turn].item()}"
        if turn == turns // 2:
            before = held()
    return grown(before)


def groups_in_turns(rank: int, port: int) -> dict[str, int]:
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    before = held()
    for cycle in range(CYCLES):
        dist.init_process_group("tombolo", store=store, rank=rank, world_size=2)
        tensor = torch.ones(3)
        dist.all_reduce(tensor)
        assert tensor.tolist() == [2.0] * 3, f"cycle {cycle}: {tensor}"
        dist.destroy_process_group()
        if cycle == CYCLES // 2:
            before = held()
    return grown(before)


def grown(before: dict[str, int]) -> dict[str, int]:
    """What has come since, once what is just ending has ended."""
    end = time.monotonic() + 60
    while True:
        growth = {what: now - before[what] for what, now in held().items()}
        if growth["threads"] <= 0 and growth["descriptors"] <= 0 or time.monotonic() > end:
            return growth
        time.sleep(0.05)  # fixed time: between two looks


class LoopsTest(unittest.TestCase):
    def check(self, growths: list[dict[str, int]]) -> None:
        for growth in growths:
            print(growth)
            self.assertLessEqual(growth["threads"], 2, growth)
            self.assertLessEqual(growth["descriptors"], 2, growth)
            self.assertLess(growth["bytes"], MAX_GROWTH, growth)
            self.assertLessEqual(growth["shared pieces"], CYCLES, growth)
            self.assertLess(growth["shared bytes"], MAX_SHARED_GROWTH, growth)

    def test_should_hold_nothing_of_operations_that_have_ended(self) -> None:
        self.check(run(operations_in_turns, 2, variables=JAVA, timeout=SECONDS))

    def test_should_hold_nothing_of_groups_that_were_destroyed(self) -> None:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # outlives the ranks
        self.check(run(groups_in_turns, 2, store.port, variables=JAVA, join=False, timeout=SECONDS))


if __name__ == "__main__":
    unittest.main()
