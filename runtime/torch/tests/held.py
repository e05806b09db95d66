# SPDX-License-Identifier: Apache-2.0
"""What a process has of the system, and whether it becomes more."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

COUNTED = ("threads", "descriptors", "shared pieces")


@dataclass(frozen=True)
class Bounds:
    """How much more a process may have: of each that is counted, and in bytes."""

    counted: int
    resident: int
    shared: int


def shared_mappings(process: int | str = "self") -> list[int]:
    """Bytes of each piece of shared memory that a process has mapped, whether it has a name in /dev/shm or not."""
    with open(f"/proc/{process}/maps") as lines:
        fields = [line.split() for line in lines]
    spans = [field[0].split("-") for field in fields if field[1].endswith("s")]
    return [int(end, 16) - int(start, 16) for start, end in spans]


def threads() -> set[str]:
    """Names of this process's threads."""
    names = set()
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError):  # it has ended
            with open(f"/proc/self/task/{task}/comm") as name:
                names.add(name.read().strip())
    return names


def held(process: int | str = "self") -> dict[str, int]:
    """What a process of this user has of the system; "bytes" are those of its memory that are resident."""
    with open(f"/proc/{process}/statm") as sizes:
        pages = int(sizes.read().split()[1])
    shared = shared_mappings(process)
    return {
        "threads": len(os.listdir(f"/proc/{process}/task")),
        "descriptors": len(os.listdir(f"/proc/{process}/fd")),
        "bytes": pages * os.sysconf("SC_PAGE_SIZE"),
        "shared pieces": len(shared),
        "shared bytes": sum(shared),
    }


def more(before: Mapping[str, int], now: Mapping[str, int]) -> dict[str, int]:
    """By how much it has become more; less than 0 if it has become less."""
    return {what: now[what] - before[what] for what in now}


def too_much(growth: Mapping[str, int], bounds: Bounds) -> dict[str, int]:
    """What of a growth is above its bound."""
    most = {**dict.fromkeys(COUNTED, bounds.counted), "bytes": bounds.resident, "shared bytes": bounds.shared}
    return {what: growth[what] for what, bound in most.items() if growth[what] > bound}
