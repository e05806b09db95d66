# SPDX-License-Identifier: Apache-2.0
"""Ranks of torch's cases as processes that outlive a case: what takes seconds in a new process, as its Java virtual machine
and torch's compiler, each of them starts once. A case that does not end with a status of 0 takes its processes with it."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from typing import Any

PR_SET_PDEATHSIG = 1
END_S = 30  # how long an interpreter that has nothing to do any more may take to end


class Kept:
    """A process that calls one function after the other."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("forkserver")
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=serve, args=(far,))
        self.process.start()
        far.close()
        self.turn: Turn | None = None

    def is_of_use(self) -> bool:
        """Whether the last case went well here, and the process lives."""
        return self.process.exitcode is None and (self.turn is None or self.turn.exitcode == 0)

    def leave(self) -> None:
        """Between two cases, or after one that went wrong."""
        if not self.is_of_use():
            self.process.kill()
        self.pipe.close()

    def end(self) -> None:
        self.process.join(END_S)
        self.process.kill()
        self.process.join()


class Turn:
    """One call by a kept process, which to torch's cases is a process."""

    def __init__(self, kept: Kept, call: tuple[Any, ...]) -> None:
        self.kept, self.call = kept, call
        self.status: int | None = None

    def start(self) -> None:
        self.kept.turn = self
        self.kept.pipe.send(self.call)

    @property
    def pid(self) -> int | None:
        return self.kept.process.pid

    @property
    def exitcode(self) -> int | None:
        with contextlib.suppress(EOFError, ConnectionError):  # it has ended in the middle: its own status says how
            if self.status is None and self.kept.pipe.poll():
                self.status = self.kept.pipe.recv()
        if self.status is not None:
            return self.status
        ended = self.kept.process.exitcode
        return 1 if ended == 0 else ended  # in the middle of a call no end is a good one

    def terminate(self) -> None:
        if self.exitcode != 0:
            self.kept.process.kill()


class KeptRanks:
    """The processes, by rank."""

    def __init__(self) -> None:
        self.ranks: dict[int, Kept] = {}

    def __enter__(self) -> KeptRanks:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def turn(self, rank: int, call: Callable[..., None], *arguments: Any) -> Turn:
        """Rank 0 is the first of a case to be asked for."""
        if rank == 0 and not all(kept.is_of_use() for kept in self.ranks.values()):
            self.leave()
        kept = self.ranks.get(rank) or self.ranks.setdefault(rank, Kept())
        return Turn(kept, (dict(os.environ), call, arguments))

    def leave(self) -> None:
        for kept in self.ranks.values():
            kept.leave()
        for kept in self.ranks.values():
            kept.end()
        self.ranks.clear()


def serve(pipe: Any) -> None:
    """Until nobody asks any more. What is raised ends the process, as it would end one that had only this to do."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # the fork server ends with the tests, however they end
    while True:
        try:
            asked = pipe.recv_bytes()
        except EOFError:
            return
        environment, call, arguments = pickle.loads(asked)
        os.environ.clear()
        os.environ.update(environment)
        pipe.send(status_of(call, arguments))


def status_of(call: Callable[..., None], arguments: tuple[Any, ...]) -> int:
    try:
        call(*arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0
