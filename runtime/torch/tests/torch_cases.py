# SPDX-License-Identifier: Apache-2.0
"""Torch's own DistributedTest cases, over Gloo or over us.

    WORLD_SIZE=2 python torch_cases.py [CASE...]           over Gloo: all cases, or these
    VENDORS=intel,host python torch_cases.py [CASE...]     over us, with a rank of each vendor: what Gloo passes, or these

Prints a line for each case: "passed", "skipped" or "failed", its name, and its seconds. Over us it ends with those that did
not end as torch_cases/exceptions.txt says, and a status of 1 if there are any.

Over us the name "gloo" stands for our back end, as torch's cases ask for names, not for what a back end can do, and what
torch_cases/replaced.txt lists is not torch's. Children come from a fork server: spawned ones would import torch each.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

VENDORS = [vendor for vendor in os.environ.get("VENDORS", "").split(",") if vendor]

os.environ["BACKEND"] = "gloo"
os.environ.setdefault("WORLD_SIZE", str(len(VENDORS) or 2))
os.environ.setdefault("TEMP_DIR", tempfile.gettempdir())

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.testing._internal.common_distributed import MultiProcessTestCase
from torch.testing._internal.distributed import distributed_test
from torch.testing._internal.distributed.distributed_test import DistributedTest, TestDistBackend

from kept_ranks import KeptRanks
from torch_case_lists import exceptions, passed_by_gloo, replaced_names, surprises


if VENDORS:
    from tombolo import _backend

    events_of = distributed_test.get_profiling_event

    def events_in_gloos_name(name: str, *rest: Any, **options: Any) -> list[Any]:
        """What the profiler shows of ours has our name, NCCL's for an all_reduce of several tensors, and a message's ranks."""
        events = events_of(name.replace("gloo:", "tombolo:"), *rest, **options)
        if name == "gloo:all_reduce":
            events += events_of("tombolo:allreduce_coalesced", *rest, **options)
        for event in events:
            event.name = event.name.replace("tombolo:", "gloo:").replace("allreduce_coalesced", "all_reduce")
            event.name = re.sub(" [0-9]+(->|<-)[0-9]+$", "", event.name)
        return events

    REPLACED = {
        "torch._C._set_print_stack_traces_on_fatal_signal": lambda wanted: None,
        "torch.testing._internal.distributed.distributed_test.get_profiling_event": events_in_gloos_name,
    }
    assert REPLACED.keys() == replaced_names() - {"gloo"}, "torch_cases/replaced.txt has a reason for each, and no others"
    for full_name, value in REPLACED.items():
        owner, _, own_name = full_name.rpartition(".")
        setattr(sys.modules[owner], own_name, value)
    dist.Backend.register_backend("gloo", _backend.create, extended_api=True, devices=["cpu", "cuda"])


def run_with(target: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    rank = arguments[0]
    if VENDORS:
        os.environ["TOMBOLO_VENDOR"] = VENDORS[rank % len(VENDORS)]
    dist.set_debug_level_from_env()  # the case before may have left another one
    target(*arguments, **options)


def run_with_environment(environment: dict[str, str], *rest: Any) -> None:
    """A child of the fork server has the server's environment, which is older than this test."""
    os.environ.update(environment)
    run_with(*rest)


def process_of_fork_server(target: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A rank of a case, to be started."""
    context = multiprocessing.get_context("forkserver")
    return context.Process(target=run_with_environment, name=name, args=(dict(os.environ), target, args, kwargs))


@contextmanager
def ranks_of_fork_server() -> Iterator[None]:
    """Has cases start their ranks by it: each its own, or with KEPT=1 those of the case before."""
    with KeptRanks() as ranks:

        def turn(target: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return ranks.turn(args[0], run_with, target, args, kwargs)

        start = turn if os.environ.get("KEPT") == "1" else process_of_fork_server
        with mock.patch.object(MultiProcessTestCase, "_spawn_processes", lambda case: case._start_processes(start)):
            yield


class TestDistBackendWithForkServer(TestDistBackend, DistributedTest._DistTestBase):
    def setUp(self) -> None:
        super().setUp()
        self._spawn_processes()


class Lines(unittest.TestResult):
    """Says how each case ended."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: dict[str, str] = {}
        self.started = time.monotonic()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.started = time.monotonic()

    def name_of(self, test: unittest.TestCase) -> str:
        return test.id().rpartition(".")[2]

    def tell(self, how: str, test: unittest.TestCase, why: str = "") -> None:
        name = self.name_of(test)
        self.outcomes[name] = how
        print(how, name, f"{time.monotonic() - self.started:.1f}", flush=True)
        if why:
            print(why, file=sys.stderr, flush=True)

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.tell("passed", test)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.tell("skipped", test)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self.tell("failed", test, self._exc_info_to_string(err, test))

    addError = addFailure


def run(names: list[str]) -> dict[str, str]:
    """How each case ended."""
    lines = Lines()
    suite = unittest.TestSuite(TestDistBackendWithForkServer(name) for name in names)
    with ranks_of_fork_server():
        suite.run(lines)
    return lines.outcomes


if __name__ == "__main__":
    logging.disable(logging.INFO)
    # by its name, as Python below 3.13 does not preload __main__
    multiprocessing.set_forkserver_preload(["torch.testing._internal.distributed.distributed_test", "torch._dynamo"])
    if VENDORS:
        wanted = sys.argv[1:] or passed_by_gloo(len(VENDORS))
        wrong = surprises(wanted, run(wanted), exceptions(VENDORS))
        print("".join(f"{line}\n" for line in wrong), end="")
        sys.exit(1 if wrong else 0)
    run(sys.argv[1:] or list(unittest.TestLoader().getTestCaseNames(TestDistBackendWithForkServer)))
