# SPDX-License-Identifier: Apache-2.0
"""Registers the backend, and makes its groups."""

from __future__ import annotations

import atexit
import sys
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from tombolo import _rendezvous, _vendor

NAME = "tombolo"

# All device types that one group may serve; what this build of torch does not know is left out.
DEVICES = ("cpu", "cuda", "xpu", "hpu", "npu", "mlu", "musa", "xla")

LEAVE_S = 5  # how long a program that ends waits for what is under way: about as long as ranks' ends may differ

# Of groups, of those that were destroyed, too; they keep none alive. One set for the process: the interpreter ends once, and
# leaves all of them at the same time, as each may wait a moment for its ranks.
_families: set[Any] = set()


def register() -> None:
    """Makes "tombolo" a backend of torch.distributed; does nothing the second time."""
    if NAME not in dist.Backend.backend_list:
        dist.Backend.register_backend(NAME, create, extended_api=True, devices=_known_devices())
        _rendezvous.register()
        atexit.register(_leave)


def _known_devices() -> list[str]:
    names = [*DEVICES, torch._C._get_privateuse1_backend_name()]
    return [name for name in dict.fromkeys(names) if _is_device(name)]


def _is_device(name: str) -> bool:
    try:
        torch.device(name)
    except RuntimeError:
        return False
    return True


def create(options: Any, pg_options: Any) -> Any:
    """What torch calls for a new group, on its members."""
    from tombolo import _C  # loads libtombolo.so, which a process without a group does not need

    vendor, device = _vendor.choose()
    _vendor.load_compiler(vendor)
    timeout = getattr(pg_options, "_timeout", None) or options.timeout
    backend = _C.join(
        options.store, options.group_rank, options.group_size, timeout, options.group_id, vendor, device
    )
    keep(backend)
    return backend


def keep(backend: Any) -> None:
    """Leaves this group, and those that are made of it, at the interpreter's end, if nobody has before."""
    from tombolo import _C

    _families.difference_update([family for family in tuple(_families) if not family.groups()])
    _families.add(_C.family(backend))


def _leave() -> None:
    """At the interpreter's end: leaves the groups that nobody destroyed, or gives them up if the program failed."""
    groups = [group for family in tuple(_families) for group in family.groups()]
    if not groups:
        return
    from tombolo import _C

    if getattr(sys, "last_type", None) is None:
        _C.leave(groups, timedelta(seconds=LEAVE_S))
    else:  # the program has failed: the others fail at once
        for group in groups:
            group.abort()
    _C.finalize()


def backend_of(group: dist.ProcessGroup | None) -> Any:
    """Of a group, or of the default one: its backend of ours, or else what it has."""
    group = group or dist.distributed_c10d._get_default_group()
    backends = [_bare(group._get_backend(device)) for device in group._device_types]
    return next((each for each in backends if each.name() == NAME), backends[0])


def _bare(backend: Any) -> Any:
    """Without what TORCH_DISTRIBUTED_DEBUG=DETAIL wraps around it."""
    return getattr(backend, "wrapped_pg", backend)


def describe(group: dist.ProcessGroup | None = None) -> str:
    """Which ranks of a group belong together, and how the others are reached."""
    from tombolo import _C

    return _C.describe(backend_of(group))
