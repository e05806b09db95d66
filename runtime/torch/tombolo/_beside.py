# SPDX-License-Identifier: Apache-2.0
"""Calls on threads beside the event loop, on the device and the stream that are current where they are asked for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import torch


def accelerator() -> torch.device | None:
    """This process's, if it has one."""
    return torch.accelerator.current_accelerator(check_available=True)


async def beside(call: Callable[..., Any], *arguments: Any) -> Any:
    """Makes a call beside the event loop, as from here."""
    return await asyncio.to_thread(_as_from_here(call, *arguments))


async def to_its_end(call: Callable[..., Any], *arguments: Any) -> Any:
    """Makes a call likewise that reads or writes what is the caller's: this ends after it, also if it is cancelled. Then
    what the call has failed by is the cause of the CancelledError."""
    return await end_of(asyncio.get_running_loop().run_in_executor(None, _as_from_here(call, *arguments)))


async def end_of(making: asyncio.Future[Any]) -> Any:
    """Waits in the same way for a call that is being made, as several may."""
    try:
        await asyncio.wait([making])
    except asyncio.CancelledError as cancelled:
        while not making.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([making])
        raise cancelled from making.exception()
    return making.result()


async def ended(work: Sequence[Any], limit: timedelta) -> None:
    """Waits for operations, beside the event loop. With a time, as without one only a stream of a device waits: that of
    another thread, and what fails later nobody would hear of."""
    if work:
        await asyncio.to_thread(lambda: [each.wait(limit) for each in work])


def _as_from_here(call: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
    """A call for another thread, on the device and the stream that are current in this one: each has its own."""
    if accelerator() is None:
        return partial(call, *arguments)
    stream = torch.accelerator.current_stream()

    def there() -> Any:
        with torch.accelerator.device_index(stream.device_index), stream:  # a stream leaves the device as it is
            return call(*arguments)

    return there
