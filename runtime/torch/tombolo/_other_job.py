# SPDX-License-Identifier: Apache-2.0
"""Jobs that were started apart, and exchange messages."""

from __future__ import annotations

from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from tombolo._backend import backend_of

if TYPE_CHECKING:
    from typing import Self


class OtherJob:
    """A job that this one has met, by `accept` or `connect`. Its ranks have numbers of their own, from 0.

    What happens to it, or to any of its ranks, ends this connection and nothing else here. The end of one side is the
    connection's end on both; the jobs can meet again, at the same address. Thread-safe."""

    def __init__(self, met: Any) -> None:
        self._met = met

    @property
    def size(self) -> int:
        """How many ranks it has."""
        return int(self._met.size())

    def isend(self, tensor: torch.Tensor, dst: int, tag: int = 0) -> dist.Work:
        """Sends to rank `dst` of the other job, as torch.distributed.isend does. `tensor` stays as it is until the end."""
        return self._met.send(tensor, dst, tag)

    def irecv(self, tensor: torch.Tensor, src: int, tag: int = 0) -> dist.Work:
        """Receives from rank `src` of the other job, which sends a tensor of this type and number of elements."""
        return self._met.receive(tensor, src, tag)

    def send(self, tensor: torch.Tensor, dst: int, tag: int = 0) -> None:
        """`isend`, and waits."""
        self.isend(tensor, dst, tag).wait()

    def recv(self, tensor: torch.Tensor, src: int, tag: int = 0) -> None:
        """`irecv`, and waits."""
        self.irecv(tensor, src, tag).wait()

    def check(self) -> None:
        """Raises the failure that ended the connection, if one did."""
        self._met.failure()

    def abort(self) -> None:
        """Gives up the messages under way, and with them the connection, on both sides. Both jobs go on. Any thread may
        call it, also while another one waits; once the connection is closed there is nothing to do."""
        self._met.abort()

    def close(self) -> None:
        """Waits for the messages under way, and ends the connection; all ranks of both jobs call it. Harmless the second
        time. Whether a message went well, its Work says."""
        self._met.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if error is not None:
                self.abort()  # nobody waits for a rank that has failed
        finally:
            self.close()


def accept(
    address: str, token: str | None = None, timeout: timedelta | None = None, group: dist.ProcessGroup | None = None
) -> OtherJob:
    """Waits at `address` until another job connects. All ranks of the group (the default one) call it, with an address of
    its rank 0's host, HOST:PORT, that all ranks of both jobs reach.

    Both jobs have the same token, 64 hexadecimal digits (without it, TOMBOLO_TOKEN), and need nothing else in common.
    Without a timeout it is the group's."""
    return _meet("ACCEPTS", address, token, timeout, group)


def connect(
    address: str, token: str | None = None, timeout: timedelta | None = None, group: dist.ProcessGroup | None = None
) -> OtherJob:
    """Connects to the job that accepts at `address`, now or later. All ranks of the group (the default one) call it."""
    return _meet("CONNECTS", address, token, timeout, group)


def _meet(
    role: str, address: str, token: str | None, timeout: timedelta | None, group: dist.ProcessGroup | None
) -> OtherJob:
    from tombolo import _C

    return OtherJob(_C.meet(backend_of(group), getattr(_C.OtherJob.Role, role), address, token, timeout))
