# SPDX-License-Identifier: Apache-2.0
"""Reads what a launcher has said about this process, in one way for all of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping

# (world size, rank, local rank) in each launcher's words, in the order they are asked
LAUNCHERS = (
    ("WORLD_SIZE", "RANK", "LOCAL_RANK"),
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"),
    ("PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"),
    ("PALS_SIZE", "PALS_RANKID", "PALS_LOCAL_RANKID"),
    ("MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK"),
    ("SLURM_NTASKS", "SLURM_PROCID", "SLURM_LOCALID"),
)

ALONE = (1, -1, -1)  # what Gaudi's counterpart says where nobody has said anything


def initialize_distributed(
    world_size: int | None = None, rank: int | None = None, local_rank: int | None = None
) -> tuple[int, int, int]:
    """Says who this process is, to torch and to native libraries alike; the counterpart of Gaudi's
    initialize_distributed_hpu.

    What is not given is what WORLD_SIZE, RANK and LOCAL_RANK say, else what the launcher said. The answer, (world_size,
    rank, local_rank), is exported as these variables, in C's environment too, before any vendor's library is loaded;
    MASTER_ADDR and MASTER_PORT get defaults for one host. A process that no launcher started is (1, -1, -1), as with Gaudi's.
    """
    given = (world_size, rank, local_rank)
    answer = resolve(given, os.environ)
    if answer[1] >= 0:
        export(answer, os.environ)
    return answer


def resolve(given: tuple[int | None, int | None, int | None], environment: Mapping[str, str]) -> tuple[int, int, int]:
    """What is given, else what torch's own variables say, each for itself; else what the first launcher says whose three
    variables are all set, else Gaudi's defaults. Where RANK is set, the launcher has started a shell, not this rank."""
    own, *launchers = LAUNCHERS
    complete = (names for names in launchers if all(name in environment for name in names))
    launcher = None if own[1] in environment else next(complete, None)
    said = ALONE if launcher is None else tuple(int(environment[name]) for name in launcher)
    size, rank, local = (
        int(environment.get(name, other)) if value is None else value for value, name, other in zip(given, own, said)
    )
    if rank >= size:
        raise ValueError(f"rank {rank} is not one of {size} ranks; they are counted from 0")
    return size, rank, local


def export(who: tuple[int, int, int], environment: MutableMapping[str, str]) -> None:
    """Sets torch's variables, as far as they are known. What the user has set for the meeting place stays."""
    for name, value in zip(LAUNCHERS[0], who):
        if value >= 0:
            environment[name] = str(value)
    environment.setdefault("MASTER_ADDR", "localhost")
    environment.setdefault("MASTER_PORT", "12345")
