# SPDX-License-Identifier: Apache-2.0
"""Which of Tombolo's vendors serves this rank, and with which of its devices."""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path

import torch

# torch's name of an accelerator, and the vendor whose libraries serve it
VENDORS = {
    "xpu": "intel",
    "hpu": "gaudi",
    "npu": "ascend",
    "mlu": "cambricon",
    "musa": "musa",
}

# These may serve a rank in host memory, whatever its accelerator: device numbers of torch are not theirs.
ON_THE_HOST = ("host", "mpi", "intel", "emu-intel")


def vendor_of(accelerator: str, hip: bool) -> str:
    """The vendor of a device type of torch; "" leaves it to Tombolo to find out."""
    if accelerator == "cuda":
        return "amd" if hip else "nvidia"
    return VENDORS.get(accelerator, "")


def of_memory(device: torch.device) -> str:
    """The vendor whose runtime has a device's memory; "" if nobody says so. A device type that torch has no name of its own
    for is that of TOMBOLO_VENDOR."""
    return vendor_of(device.type, torch.version.hip is not None) or os.environ.get("TOMBOLO_VENDOR", "")


def load_compiler(vendor: str, libraries: Path = Path(torch.__file__).parent / "lib") -> None:
    """Has NVRTC loaded, by a library of torch that knows where torch's own lies: no folder that the loader searches. Where
    there is none, Tombolo looks for itself."""
    if vendor == "nvidia":
        with contextlib.suppress(OSError):
            ctypes.CDLL(str(libraries / "libcaffe2_nvrtc.so"))


def choose() -> tuple[str, int]:
    """Vendor and device ordinal of this rank: of TOMBOLO_VENDOR, else of torch's accelerator, else the host. The ordinal is
    that of torch's device, also where torch has another name for the vendor's devices: else Tombolo would count a group's
    ranks, which are other ones in each group."""
    named = os.environ.get("TOMBOLO_VENDOR", "")
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if accelerator is None:
        return named or "host", -1
    vendor = vendor_of(accelerator.type, torch.version.hip is not None)
    if named in ON_THE_HOST and named != vendor:
        return named, -1
    return named or vendor, torch.accelerator.current_device_index()
