# SPDX-License-Identifier: Apache-2.0
"""Starts a job whose ranks have devices: emulated CUDA, or with DEVICES=nvidia the machine's GPU, which all ranks share."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

import torch

import emulated_device
import tombolo
from ranks import run

DEVICES = os.environ.get("DEVICES", "emu-nvidia")
LATE_MS = 100
LATE_CYCLES = 200_000_000  # of a GPU: about as long


def device_library() -> str:
    """Of the emulated device; "" for the machine's own."""
    return emulated_device.built() if DEVICES.startswith("emu-") else ""


def run_on(
    vendors: list[str],
    worker: Callable[..., Any],
    *arguments: Any,
    join: bool = True,
    dying: Sequence[int] = (),
    named: str = "emu",
    **everywhere: str,
) -> list[Any]:
    """What each rank says, one of each of the vendors; torch calls emulated devices by that name."""
    return run(
        worker,
        len(vendors),
        *arguments,
        variables=[{**environment(vendor, rank), **everywhere} for rank, vendor in enumerate(vendors)],
        join=join,
        dying=dying,
        prepare=functools.partial(prepare, device_library(), vendors, named),
    )


def prepare(library: str, vendors: list[str], named: str, rank: int) -> None:
    """Only a rank of an emulated vendor has an emulated accelerator."""
    if vendors[rank].startswith("emu-"):
        emulated_device.load(library, vendors[rank], named)
        torch.accelerator.set_device_index(rank)


def environment(vendor: str, rank: int) -> dict[str, str]:
    """A GPU is seen by the ranks that are to use it, each of which poses as a host of its own, as NCCL asks for."""
    seen = {"NCCL_HOSTID": f"rank{rank}"} if vendor == "nvidia" else {"CUDA_VISIBLE_DEVICES": ""}
    return {"TOMBOLO_VENDOR": vendor, **seen}


def own_device() -> str:
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return "cpu" if accelerator is None else accelerator.type


def holds_streams() -> bool:
    """Whether streams wait for operations; else whoever has them wait does so himself."""
    return "in the host's order" not in tombolo.describe()


def synchronize() -> None:
    """Returns once nothing is held on the current stream."""
    if own_device() != "cpu":
        torch.accelerator.synchronize()


def fill_late(tensor: torch.Tensor, value: int) -> None:
    """Queues on the current stream what takes a while, and then fills all bytes of `tensor`; at once on the CPU."""
    if tensor.is_cuda:
        torch.cuda._sleep(LATE_CYCLES)
        tensor.fill_(value)
    elif tensor.is_cpu:
        tensor.fill_(value)
    else:
        torch.get_device_module(own_device()).fill_late(tensor, value, LATE_MS)
