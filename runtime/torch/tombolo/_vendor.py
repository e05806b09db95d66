# SPDX-License-Identifier: Apache-2.0
"""Which of Tombolo's vendors serves this rank, and with which of its devices."""

from __future__ import annotations

import os

import torch

# torch's name of an accelerator, and the vendor whose libraries serve it
VENDORS = {
    "xpu": "intel",
    "hpu": "gaudi",
    "npu": "ascend",
    "mlu": "cambricon",
    "musa": "musa",
}


def vendor_of(accelerator: str, hip: bool) -> str:
    """The vendor of a device type of torch; "" leaves it to Tombolo to find out."""
    if accelerator == "cuda":
        return "amd" if hip else "nvidia"
    return VENDORS.get(accelerator, "")


def choose() -> tuple[str, int]:
    """Vendor and device ordinal of this rank: TOMBOLO_VENDOR's, else those of torch's accelerator, else the host's."""
    named = os.environ.get("TOMBOLO_VENDOR", "")
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if accelerator is None:
        return named or "host", -1
    vendor = vendor_of(accelerator.type, torch.version.hip is not None)
    if named and named != vendor:
        return named, -1
    return vendor, torch.accelerator.current_device_index()
