# SPDX-License-Identifier: Apache-2.0
"""oneCCL and Open MPI cannot be told to end a call, and wait for ever for a rank that stands still, or has died, in the middle
of it. Unless TOMBOLO_KEEP_CALLERS says otherwise they keep no caller: waits end, Ctrl-C interrupts, deaths are errors."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import torch
import torch.distributed as dist

from ranks import oneccl_is_here, run

COUNT = 1 << 25  # elements: the library's work takes tens of milliseconds, beside which the votes before it are nothing
AMID_S = 0.01
STILL_S = 0.3  # how long rank 1 stands still
# Nobody is missed for standing still that long, nor hears of a death from beats that do not come.
PATIENT = {"TOMBOLO_LIVENESS_MS": "600000"}
SOON_S = 30  # the group's timeout is four times that


@contextmanager
def standing_still(process: int) -> Iterator[None]:
    """Stops a process amid the call that has just begun."""
    time.sleep(AMID_S)  # fixed time: from the call into the library
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def begun(step: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=step)
    thread.start()
    return thread


def wait_in_vain(tensor: torch.Tensor, peer: int) -> str:
    """How a wait ends that has less time; the call goes on."""
    while True:  # until rank 1 has not done its part when it is stopped
        text = ""
        work = dist.all_reduce(tensor, async_op=True)
        with standing_still(peer):
            try:
                work.wait(timedelta(seconds=STILL_S))
            except dist.DistBackendError as error:
                text = str(error)
        work.wait()
        if text:
            return text


def interrupt(tensor: torch.Tensor, peer: int) -> None:
    """Returns when a call has been interrupted."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit that it is ignored

    def stop_and_interrupt() -> None:
        with standing_still(peer):
            time.sleep(STILL_S)  # fixed time: the call is not to return before
            os.kill(os.getpid(), signal.SIGINT)
            interrupted.wait()

    is_back = True
    while is_back:  # until rank 1 has not done its part when it is stopped
        is_back, interrupted = False, threading.Event()
        thread = begun(stop_and_interrupt)
        try:
            dist.all_reduce(tensor)
            is_back = True
            threading.Event().wait()
        except KeyboardInterrupt:
            interrupted.set()
        thread.join()


def lose(tensor: torch.Tensor, peer: int) -> tuple[str, float]:
    """The error that follows a death, and after how many seconds."""
    died = []

    def kill() -> None:
        time.sleep(AMID_S)  # fixed time: from the call into the library
        os.kill(peer, signal.SIGKILL)
        died.append(time.monotonic())

    thread = begun(kill)
    try:
        while True:
            dist.all_reduce(tensor)
    except dist.DistBackendError as error:
        thread.join()
        return str(error), time.monotonic() - died[0]


def beside_a_rank_that_fails(rank: int) -> tuple[str, str, float]:
    """What rank 0 has of rank 1, which makes one call after the other and does not mean to end."""
    store = dist.distributed_c10d._get_default_store()
    tensor = torch.zeros(COUNT)
    if rank == 1:
        store.set("process of rank 1", str(os.getpid()))
    peer = int(store.get("process of rank 1"))
    dist.all_reduce(tensor)  # the first one takes longer
    while rank == 1:
        dist.all_reduce(tensor)
    in_vain = wait_in_vain(tensor, peer)
    interrupt(tensor, peer)
    return in_vain, *lose(tensor, peer)


class KeptCallersTest(unittest.TestCase):
    def should_keep_no_caller(self, vendor: str) -> None:
        variables = [{"TOMBOLO_VENDOR": vendor, **PATIENT}] * 2
        in_vain, dead, seconds = run(beside_a_rank_that_fails, 2, variables=variables, dying=[1])[0]
        self.assertIn("not done within the 300 ms of wait(); it goes on", in_vain)
        self.assertRegex(dead, "rank 1 .* is gone: its process has ended")
        self.assertLess(seconds, SOON_S)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_let_callers_go_that_oneccl_would_keep(self) -> None:
        self.should_keep_no_caller("intel")

    @unittest.skipUnless(shutil.which("mpirun.openmpi"), "no Open MPI: apt-get install openmpi-bin")
    def test_should_let_callers_go_that_open_mpi_would_keep(self) -> None:
        self.should_keep_no_caller("mpi")


if __name__ == "__main__":
    unittest.main()
