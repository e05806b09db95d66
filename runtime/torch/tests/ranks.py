# SPDX-License-Identifier: Apache-2.0
"""Starts a job of several processes for a test, and brings back what they say."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

# Children come from a fork server that has imported torch once; it has no group, and so no JVM.
_context = multiprocessing.get_context("forkserver")
_preloaded = ["torch", "torch.distributed", "tombolo", "numpy"]
_context.set_forkserver_preload(_preloaded)

# Where a group fails, torch's flight recorder looks up who called from where, in C++, too, before the call that has failed
# returns: that takes up to 15 s.
os.environ.setdefault("TORCH_INCLUDE_STACK_TRACE", "0")

TIMEOUT = timedelta(seconds=120)  # of groups: far more than a busy machine needs
COMPILE_SECONDS = 1200  # what a job may take whose ranks may run a C++ compiler
PR_SET_PDEATHSIG = 1


def preload(*modules: str) -> None:
    """Has the fork server import these, too, which take each rank seconds: said by a file of tests before any has started
    ranks."""
    _preloaded.extend(modules)
    _context.set_forkserver_preload(_preloaded)


class RankFailed(AssertionError):
    """A process of the job raised, or was not done in time."""


def free_port() -> int:
    """A port below those that Linux gives out of itself (net.ipv4.ip_local_port_range): no connection takes it between
    the look and the program that listens there."""
    for port in random.sample(range(10_000, 32_768), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("none of 100 ports is free")


def java_options(*more: str) -> str:
    """For TOMBOLO_JAVA_OPTS: what these tests were started with, as -Xcheck:jni, and more."""
    return " ".join([*os.environ.get("TOMBOLO_JAVA_OPTS", "").split(), *more])


def newest_java() -> Path:
    """The home of the JDK under /usr/lib/jvm that has the highest version."""

    def release(home: Path) -> tuple[int, ...]:
        found = re.search(r'^JAVA_VERSION="([0-9.]+)', (home / "release").read_text(), re.MULTILINE)
        return tuple(int(part) for part in found[1].split(".")) if found else (0,)

    return max((file.parent for file in Path("/usr/lib/jvm").glob("*/release")), key=release)


def compilers() -> list[str]:
    """Those of torch.compile to try: aot_eager traces as inductor does, without a minute of C++ compiler in every rank."""
    return ["aot_eager", "inductor"] if os.environ.get("TOMBOLO_DEEP") == "1" else ["aot_eager"]


def run(
    worker: Callable[..., Any],
    size: int,
    *arguments: Any,
    variables: Sequence[Mapping[str, str]] | None = None,
    join: bool = True,
    dying: Sequence[int] = (),
    timeout: float = 240,
    prepare: Callable[[int], None] | None = None,
) -> list[Any]:
    """Calls worker(rank, *arguments) in each of `size` processes, in a default group unless join is False; the
    answers, by rank. `variables` are each rank's own environment; of ranks that are `dying` nothing is expected.
    Before it joins, each calls prepare(rank)."""
    with tempfile.TemporaryDirectory() as folder:
        answers = _context.SimpleQueue()
        processes = []
        for rank in range(size):
            environment = {
                **os.environ,
                "RANK": str(rank),
                "WORLD_SIZE": str(size),
                "LOCAL_RANK": str(rank),
                **(variables[rank] if variables else {}),
            }
            processes.append(
                _context.Process(target=_child, args=(environment, folder, join, prepare, answers, worker, rank, arguments))
            )
        for process in processes:
            process.start()
        return _collect(processes, dying, answers, time.monotonic() + timeout)


def _collect(processes: list[Any], dying: Sequence[int], answers: Any, end: float) -> list[Any]:
    lasting = [process for rank, process in enumerate(processes) if rank not in dying]
    results: dict[int, Any] = {}
    failures: list[str] = []
    try:
        while len(results) < len(lasting) and not failures:
            if not answers.empty():
                rank, answer, error = answers.get()
                if error:
                    failures.append(f"rank {rank}: {error}")
                else:
                    results[rank] = answer
            elif time.monotonic() > end:
                failures.append(f"only ranks {sorted(results)} of {len(processes)} were done in time")
            else:
                dead = [p for p in lasting if p.exitcode not in (None, 0)]
                if dead and answers.empty():
                    failures.append(f"a process ended with status {dead[0].exitcode}")
                time.sleep(0.01)  # fixed time: between two looks
        for process in lasting:
            process.join(max(0.1, end - time.monotonic()) if not failures else 3)
            if process.exitcode is None:
                failures.append("a process did not end")
            elif process.exitcode != 0 and not failures:
                failures.append(f"a process ended with status {process.exitcode}")
    finally:
        for process in processes:
            process.kill()
            process.join()
    if failures:
        raise RankFailed("\n".join(failures))
    return [results.get(rank) for rank in range(len(processes))]


def _child(
    environment: dict[str, str],
    folder: str,
    join: bool,
    prepare: Callable[[int], None] | None,
    answers: Any,
    worker: Callable[..., Any],
    rank: int,
    arguments: tuple[Any, ...],
) -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # the fork server ends with the tests, however they end
    os.environ.clear()
    os.environ.update(environment)
    import torch
    import torch.distributed as dist

    import tombolo  # noqa: F401

    torch.set_num_threads(1)
    try:
        if prepare is not None:
            prepare(rank)
        if join:
            dist.init_process_group(
                "tombolo",
                init_method=f"file://{folder}/store",
                rank=rank,
                world_size=int(environment["WORLD_SIZE"]),
                timeout=TIMEOUT,
            )
        answer = worker(rank, *arguments)
        if dist.is_initialized():
            dist.destroy_process_group()
        answers.put((rank, answer, None))
    except BaseException:
        answers.put((rank, None, traceback.format_exc()))
        raise


def torchrun(*arguments: str, variables: Mapping[str, str] | None = None, timeout: float = 300) -> tuple[int, str, str]:
    """Status, output and errors of `torchrun arguments`. Late, it gets the signal upon which it ends its ranks, too.

    Each rank writes to files of its own, as lines that ranks write to one pipe at the same time can mix. The agent's own
    lines are the last ones.
    """
    with tempfile.TemporaryDirectory() as logs:
        agent = subprocess.Popen(
            [sys.executable, "-m", "torch.distributed.run", "--redirects=3", f"--log-dir={logs}", *arguments],
            env={**os.environ, "OMP_NUM_THREADS": "1", **(variables or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        late = False
        try:
            output, errors = agent.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            late = True
            output, errors = ended(agent)
        finally:
            agent.kill()
        output = written_to(logs, "stdout.log") + output
        errors = written_to(logs, "stderr.log") + errors
    if late:
        raise RankFailed(f"torchrun was not done in {timeout:.0f} s:\n{output[-3000:]}\n{errors[-6000:]}")
    return agent.returncode, output, errors


def ended(agent: subprocess.Popen[str]) -> tuple[str, str]:
    """What an agent still says that is told to end."""
    agent.terminate()
    try:
        return agent.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        return "", "torchrun did not end, either, when it was told to"


def written_to(logs: str, name: str) -> str:
    """All that ranks have written to the files of that name."""
    return "".join(log.read_text(errors="replace") for log in sorted(Path(logs).rglob(name)))


def oneccl_is_here() -> bool:
    """Whether Intel's library has been installed for Tombolo."""
    return "TOMBOLO_ONECCL_DIR" in os.environ or os.path.isdir(installed_oneccl())


def installed_oneccl() -> str:
    cache = os.environ.get("TOMBOLO_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tombolo"
    )
    return os.path.join(cache, "oneccl")


def oneccl_library() -> str:
    """The path of the library that has oneCCL's functions."""
    folder = os.environ.get("TOMBOLO_ONECCL_DIR") or installed_oneccl()
    return str(next(Path(folder).rglob("libccl.so.2")))


def mixed(size: int) -> list[dict[str, str]]:
    """For `run`: ranks of oneCCL and of host in turns, of host alone where oneCCL has not been installed."""
    vendors = ["intel", "host"] if oneccl_is_here() else ["host"]
    return [{"TOMBOLO_VENDOR": vendors[rank % len(vendors)]} for rank in range(size)]
