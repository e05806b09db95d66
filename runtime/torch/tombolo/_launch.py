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


def initialize_distributed(
    world_size: int | None = None, rank: int | None = None, local_rank: int | None = None
) -> tuple[int, int, int]:
    """Says who this process is, to torch and to native libraries alike; the counterpart of Gaudi's
    initialize_distributed_hpu.

    What is not given is what the launcher said. The answer, (world_size, rank, local_rank), is exported as WORLD_SIZE,
    RANK and LOCAL_RANK, in C's environment too, before any vendor's library is loaded; MASTER_ADDR and MASTER_PORT get
    defaults for one host. A process that no launcher started is (1, -1, -1), as with Gaudi's.
    """
    given = (world_size, rank, local_rank)
    answer = resolve(given, os.environ)
    if answer[1] >= 0:
        export(answer, os.environ)
    return answer


def resolve(given: tuple[int | None, int | None, int | None], environment: Mapping[str, str]) -> tuple[int, int, int]:
    """What is given, else what the first launcher whose three variables are all set says, else Gaudi's defaults."""
    said = next(
        (tuple(int(environment[name]) for name in names) for names in LAUNCHERS if all(n in environment for n in names)),
        (1, -1, -1),
    )
    size, rank, local = (said[i] if value is None else value for i, value in enumerate(given))
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
