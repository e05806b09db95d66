# SPDX-License-Identifier: Apache-2.0
"""Checksums of tensors by the devices that have them."""

from __future__ import annotations

from ctypes import byref, c_uint32, sizeof

import torch

from tombolo import _vendor, _volume

# The statuses of a device that computes none, for now if it is full; and of memory that it has, but that is not its own:
# the host's, mapped for it, or another device's.
LACKING = ("TOMBOLO_UNSUPPORTED", "TOMBOLO_UNAVAILABLE", "TOMBOLO_RESOURCE")
NOT_ITS_OWN = "TOMBOLO_USAGE"


class Sums:
    """Those of one put. A device that computes none is asked once."""

    def __init__(self, timeout_ms: int = 0) -> None:
        """Each may take so long; 0 is the standard of C."""
        self._timeout_ms = timeout_ms
        self._vendors: dict[torch.device, str] = {}  # "" for a device that computes none

    def of(self, tensor: torch.Tensor) -> int | None:
        """The CRC-32C of a contiguous tensor on a device; None if that does not compute it, so that the processor must. What
        writes to it has ended."""
        vendor = self._vendor_of(tensor.device)
        if not vendor or tensor.numel() == 0:
            return None
        memory = _volume.DeviceMemory(
            size=sizeof(_volume.DeviceMemory),
            flags=_volume.HOST_ORDER,
            vendor=vendor.encode(),
            data=tensor.data_ptr(),
            bytes=tensor.nbytes,
            timeout_ms=self._timeout_ms,
            device=tensor.device.index,
        )
        checksum = c_uint32()
        try:
            _volume.call("tombolo_device_checksum", byref(memory), byref(checksum))
        except _volume.StoreError as error:
            if error.status in LACKING:
                self._vendors[tensor.device] = ""
            elif error.status != NOT_ITS_OWN:
                raise
            return None
        return checksum.value

    def _vendor_of(self, device: torch.device) -> str:
        if device not in self._vendors:
            self._vendors[device] = _vendor.of_memory(device)
            _vendor.load_compiler(self._vendors[device])
        return self._vendors[device]
