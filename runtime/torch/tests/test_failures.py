# SPDX-License-Identifier: Apache-2.0
"""What goes wrong is an error with Tombolo's text, in time: never a hang, never a crash."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

import tombolo
from ranks import TIMEOUT, free_port, run

INTERRUPT_S = 120  # until two processes that start have taken an interrupt
PROMPT = TIMEOUT.total_seconds() / 4  # far more than a busy machine needs, and far from the group's timeout


def error_of(call, *arguments, **options):  # noqa: ANN001, ANN201
    """The text of the DistBackendError that a call ends with."""
    try:
        work = call(*arguments, **options)
        if work is not None:
            work.wait()
    except dist.DistBackendError as error:
        return str(error)
    raise AssertionError("there was no DistBackendError")


@contextmanager
def rank_0_alone() -> Iterator[bool]:
    """Whether this is rank 0; the others stay until it is done."""
    store = dist.distributed_c10d._get_default_store()
    is_rank_0 = dist.get_rank() == 0
    try:
        yield is_rank_0
    finally:
        if is_rank_0:
            store.set("rank 0 is done", "")
        else:
            store.wait(["rank 0 is done"], TIMEOUT)


def error_of_rank_0_alone(call, *arguments, **options) -> str:  # noqa: ANN001, ANN003
    """The text on rank 0; the others do not call, and stay until it has it."""
    with rank_0_alone() as is_rank_0:
        return error_of(call, *arguments, **options) if is_rank_0 else ""


def alone(rank: int) -> str:
    set_timeout = getattr(dist, "set_timeout", dist.distributed_c10d._set_pg_timeout)  # torch 2.15 brought the former
    set_timeout(timedelta(seconds=2))
    return error_of_rank_0_alone(dist.all_reduce, torch.ones(3))


def alone_in_groups_with_timeouts(rank: int, place: str) -> list[str]:
    """The errors in a group of 10 s, and in the default group of 30 s: time enough for a busy machine to join them."""
    dist.init_process_group("tombolo", init_method=place, rank=rank, world_size=2, timeout=timedelta(seconds=30))
    group = dist.new_group(timeout=timedelta(seconds=10))
    with rank_0_alone() as is_rank_0:
        if not is_rank_0:
            return []
        works = [dist.all_reduce(torch.ones(3), group=each, async_op=True) for each in (group, None)]
        return [error_of(lambda work=work: work) for work in works]


def milliseconds_of(text: str) -> int:
    """How long the call of an error went on, as it says."""
    head = r"tombolo:all_reduce: rank 0: all_reduce of 3 f32 by sum \(#1, 12 bytes, ([0-9]+) ms\): not done in time"
    found = re.match(head, text)
    assert found, text
    return int(found[1])


def never_joined(rank: int, folder: str) -> str:
    return error_of(
        dist.init_process_group, "tombolo", init_method=f"file://{folder}/meeting", rank=0, world_size=3,
        timeout=timedelta(seconds=2),
    )  # fmt: skip


def impatient(rank: int) -> bool:
    tensor = torch.ones(3)
    if rank == 0:
        work = dist.all_reduce(tensor, async_op=True)
        text = error_of(lambda: work.wait(timedelta(milliseconds=300)))
        assert "goes on" in text, text
        dist.monitored_barrier()
        work.wait()
    else:
        dist.monitored_barrier()
        dist.all_reduce(tensor)
    return torch.equal(tensor, torch.full((3,), 2.0))


def group_error() -> str:
    """torch's name for what the group has failed of."""
    return dist.group.WORLD._get_backend(torch.device("cpu")).get_error().name


def how_it_ends(work: dist.Work) -> tuple[int, str]:
    """torch's WorkResult, as a number, and then the group's error."""
    return int(work.get_future_result().wait()), group_error()


def result_of_a_call_alone(rank: int) -> tuple[int, str]:
    assert group_error() == "SUCCESS", group_error()
    dist.distributed_c10d._set_pg_timeout(timedelta(seconds=2))
    with rank_0_alone() as is_rank_0:
        return how_it_ends(dist.all_reduce(torch.ones(3), async_op=True)) if is_rank_0 else (0, "")


def result_of_a_call_with_a_peer_that_dies(rank: int) -> tuple[int, str]:
    store = dist.distributed_c10d._get_default_store()
    dist.barrier()
    if rank == 1:
        store.wait(["rank 0 has called"], TIMEOUT)
        os.kill(os.getpid(), signal.SIGKILL)
    work = dist.all_reduce(torch.ones(3), async_op=True)
    store.set("rank 0 has called", "")
    return how_it_ends(work)


def result_of_different_calls(rank: int) -> tuple[int, str]:
    return how_it_ends(dist.all_reduce(torch.ones(3 + rank), async_op=True))


def disagreeing(rank: int) -> str:
    return error_of(dist.all_reduce, torch.ones(3 + rank))


def one_group_of_three_fails(rank: int) -> list[float]:
    """What the others sum afterwards: the default group, and one that is made only then."""
    failing = dist.new_group()
    room = [torch.zeros(3)] * 2 if rank == 0 else None
    text = error_of(dist.gather, torch.ones(3 + rank), room, group=failing)
    assert "TOMBOLO_MISMATCH" in text, text
    sums = []
    for group in (dist.group.WORLD, dist.new_group()):
        tensor = torch.ones(1)
        dist.all_reduce(tensor, group=group)
        sums.append(tensor.item())
    return sums


def absent_at_the_barrier(rank: int) -> str:
    return error_of_rank_0_alone(dist.monitored_barrier, timeout=timedelta(seconds=1))


def half_at_the_barrier(rank: int) -> str:
    """The error on ranks 0 and 2; the others stay until they have it."""
    store = dist.distributed_c10d._get_default_store()
    dist.barrier()
    if rank % 2:
        store.wait(["rank 0 is told", "rank 2 is told"], TIMEOUT)
        return ""
    text = error_of(dist.monitored_barrier, timeout=timedelta(seconds=3))
    store.set(f"rank {rank} is told", "")
    return text


def with_a_dead_peer(rank: int) -> tuple[str, float]:
    dist.barrier()
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    started = time.monotonic()
    return error_of(dist.all_reduce, torch.ones(3)), time.monotonic() - started


def wrong_types(rank: int) -> list[tuple[str, str]]:
    """Of each error, its type and the first line of its text. Each rank gathers to itself."""
    errors = []
    for call, arguments in [
        (dist.all_reduce, (torch.zeros(2, dtype=torch.float8_e4m3fnuz),)),
        (dist.all_gather, ([torch.ones(2)] * 2, torch.ones(3))),
        (dist.gather, (torch.ones(2), [torch.ones(2), torch.ones(3)], rank)),
    ]:
        try:
            call(*arguments)
            errors.append(("", ""))
        except (TypeError, ValueError) as error:
            errors.append((type(error).__name__, str(error).partition("\n")[0]))
    return errors


def forked_child_calls(rank: int, dump: str) -> tuple[int, bool]:
    dist.all_reduce(torch.ones(2))
    child = os.fork()
    if child == 0:
        try:
            dist.all_reduce(torch.ones(2))
        except dist.DistBackendError as error:
            os._exit(5 if "fork" in str(error).lower() else 6)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    dist.barrier()
    return os.waitstatus_to_exitcode(status), os.path.exists(f"{dump}{rank}")


class Numbers(torch.utils.data.Dataset):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 32

    def __getitem__(self, at: int) -> torch.Tensor:
        return torch.tensor([float(at)])


def loading_by_fork(rank: int) -> float:
    dist.barrier()
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=4, num_workers=2, multiprocessing_context="fork")
    total = torch.zeros(1)
    for batch in loader:
        part = batch.sum(0)
        dist.all_reduce(part)
        total += part
    return total.item()


class Waiting:
    """A rank's calls that wait for the other one, which stays away."""

    def __init__(self, rank: int, place: Path) -> None:
        self.rank, self.place = rank, place

    def join(self) -> None:
        dist.init_process_group("tombolo", init_method=f"file://{self.place}", rank=self.rank, world_size=2)

    def is_joining(self) -> bool:
        return self.has_shown(b"tombolo/0/host/0")

    def begin(self) -> None:
        """What both do, before one stays away from the rest."""
        self.join()
        dist.barrier()
        self.backend = dist.group.WORLD._get_backend(torch.device("cpu"))
        self.calls = self.backend._get_sequence_number_for_group()

    def call(self) -> None:
        dist.all_reduce(torch.ones(2))

    def is_in_the_call(self) -> bool:
        return self.backend._get_sequence_number_for_group() > self.calls

    def destroy(self) -> None:
        dist.all_reduce(torch.ones(2), async_op=True)
        dist.destroy_process_group()

    def is_leaving(self) -> bool:
        try:
            tombolo._C.describe(self.backend)
            return False
        except RuntimeError:  # it has been shut down
            return True

    def meet(self) -> None:
        dist.monitored_barrier()

    def is_meeting(self) -> bool:
        return self.has_shown(b"/meetings/")

    def has_shown(self, key: bytes) -> bool:
        return self.place.exists() and key in self.place.read_bytes()


def interrupted(rank: int, what: str, place: str) -> bool:
    """Whether Ctrl-C ends what rank 0 waits in."""
    waiting = Waiting(rank, Path(place))
    step, is_in_it = {
        "join": (waiting.join, waiting.is_joining),
        "call": (waiting.call, waiting.is_in_the_call),
        "destroy": (waiting.destroy, waiting.is_leaving),
        "meet": (waiting.meet, waiting.is_meeting),
    }[what]

    def interrupt() -> None:
        while not is_in_it():
            time.sleep(0.01)  # fixed time: between two looks
        time.sleep(0.1)  # fixed time: what comes while Python runs ends it whatever the call does
        os.kill(os.getpid(), signal.SIGINT)

    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit that it is ignored
    if what != "join":
        waiting.begin()
    if rank == 1:
        threading.Event().wait()
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        step()
        return False
    except KeyboardInterrupt:
        if dist.is_initialized():
            dist.distributed_c10d._abort_process_group()
        return True


WITHOUT_JAVA = """
import torch.distributed as dist, tombolo
try:
    dist.init_process_group("tombolo", store=dist.HashStore(), rank=0, world_size=1)
except dist.DistBackendError as error:
    print(error)
"""
# Hides the JDKs of this machine from whoever loads it first.
NO_JDKS = """
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

DIR* opendir(const char* name) {
  if (strcmp(name, "/usr/lib/jvm") == 0) {
    errno = ENOENT;
    return NULL;
  }
  return ((DIR * (*)(const char*)) dlsym(RTLD_NEXT, "opendir"))(name);
}
"""


class FailuresTest(unittest.TestCase):
    def test_should_say_that_a_rank_did_not_come_in_time(self) -> None:
        text = run(alone, 2)[0]
        self.assertTrue(2_000 <= milliseconds_of(text) < TIMEOUT.total_seconds() * 500, text)
        self.assertIn("no vote from rank 1: it has not made this call; see what it does instead (tombolo stat PID", text)
        self.assertTrue(text.endswith("(TOMBOLO_DEADLINE: its timeout is over)"), text)

    def test_should_give_each_group_the_timeout_that_it_was_made_with(self) -> None:
        first, second = run(alone_in_groups_with_timeouts, 2, f"tcp://127.0.0.1:{free_port()}", join=False)[0]
        self.assertTrue(10_000 <= milliseconds_of(first) < 30_000, first)
        self.assertTrue(30_000 <= milliseconds_of(second) < TIMEOUT.total_seconds() * 500, second)

    def test_should_name_who_did_not_join_in_time(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text = run(never_joined, 1, folder, join=False)[0]
        self.assertRegex(
            text,
            "^rank 0 of group [^ ]+: ranks 1 2 did not come within 2000 ms: look at their output, and check that they run "
            "with WORLD_SIZE=3 and reach the same store, which says: [^\\n]+$",
        )

    def test_should_let_a_wait_end_and_the_operation_go_on(self) -> None:
        self.assertEqual([True, True], run(impatient, 2))

    def test_should_name_what_ranks_disagree_on(self) -> None:
        for rank, text in enumerate(run(disagreeing, 2)):
            own = f"tombolo:all_reduce: rank {rank}: all_reduce of {3 + rank} f32 by sum (#1, "
            self.assertEqual(own, text[: len(own)])
            self.assertIn(
                "rank 0 called all_reduce of 3 f32 by sum, but rank 1 called all_reduce of 4 f32 by sum; every rank must "
                "make the same calls in the same order; restart the job (TOMBOLO_MISMATCH)",
                text,
            )

    def test_should_let_no_other_group_fail(self) -> None:
        self.assertEqual([[2.0, 2.0]] * 2, run(one_group_of_three_fails, 2))

    def test_should_name_who_is_absent_at_a_monitored_barrier(self) -> None:
        text = run(absent_at_the_barrier, 2)[0]
        words = "Rank 1 failed to pass monitoredBarrier: barrier: 1 of 2 ranks did not come within 1000 ms: rank 1. "
        self.assertIn(words, text)
        self.assertIn("Look at their output, and check that they run with WORLD_SIZE=2 and reach torch's store", text)

    def test_should_name_all_who_are_absent_at_a_monitored_barrier_on_all_ranks(self) -> None:
        first, _, third, _ = run(half_at_the_barrier, 4)
        self.assertIn("Ranks 1, 3 failed to pass monitoredBarrier: ", first)
        self.assertIn("Rank 2 successfully reached monitoredBarrier, but received errors", third)
        for text in (first, third):
            self.assertIn("barrier: 2 of 4 ranks did not come within 3000 ms: ranks 1, 3. ", text)

    def test_should_fail_when_a_peer_has_died(self) -> None:
        unwatched = [{"TOMBOLO_LIVENESS_MS": "0"}] * 2  # by its connection alone, as nobody looks whether it lives
        text, seconds = run(with_a_dead_peer, 2, dying=[1], variables=unwatched)[0]
        self.assertRegex(text, "^tombolo:all_reduce: rank 0: all_reduce of 3 f32 by sum .*rank 1 \\(pid [0-9]+ on host ")
        self.assertIn("is gone: its process has ended; the last it said was that it had made ", text)
        self.assertLess(seconds, PROMPT)

    def test_should_give_timeouts_torchs_name_for_them(self) -> None:
        self.assertEqual((1, "TIMEOUT"), run(result_of_a_call_alone, 2)[0])  # WorkResult.TIMEOUT

    def test_should_give_the_death_of_a_peer_torchs_name_for_it(self) -> None:
        self.assertEqual((2, "REMOTE_ERROR"), run(result_of_a_call_with_a_peer_that_dies, 2, dying=[1])[0])  # COMM_ERROR

    def test_should_give_other_failures_torchs_name_for_them(self) -> None:
        self.assertEqual([(2, "COMM_ERROR")] * 2, run(result_of_different_calls, 2))

    def test_should_refuse_what_has_no_meaning_before_anything_starts(self) -> None:
        moved = "tombolo moves elements of Float8_e4m3fnuz, but does not combine them; convert them first"
        unequal = "all_gather: a tensor of 3 elements does not fit one of 2"
        uneven = "gather: a tensor of 2 elements does not fit one of 3"
        expected = [("TypeError", moved), ("ValueError", unequal), ("ValueError", uneven)]
        self.assertEqual([expected] * 2, run(wrong_types, 2))

    def test_should_name_the_package_that_a_machine_without_java_needs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            hiding = Path(folder, "no_jdks.so")
            compiler = [os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-o", hiding, "-x", "c", "-"]
            subprocess.run(compiler, input=NO_JDKS, text=True, check=True)
            own = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
            done = subprocess.run(
                [sys.executable, "-c", WITHOUT_JAVA],
                env={**own, "PATH": folder, "LD_PRELOAD": str(hiding)},
                capture_output=True,
                text=True,
                timeout=240,
            )
        self.assertEqual(
            "joining group 0: no Java virtual machine of release 17 or later: JAVA_HOME is not set, java on the PATH is not "
            "there, and nothing usable is under /usr/lib/jvm; install a JDK of release 17 or later "
            "(apt-get install openjdk-17-jdk-headless), or set JAVA_HOME (TOMBOLO_NO_JAVA)\n",
            done.stdout,
            done.stderr,
        )

    def test_should_fail_in_a_forked_child_and_go_on_in_its_parent(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            dump = f"{folder}/rank_"  # of the group, which has not failed
            answers = run(forked_child_calls, 2, dump, variables=[{"TORCH_FR_DUMP_TEMP_FILE": dump}] * 2)
        self.assertEqual([(5, False)] * 2, answers)

    def test_should_leave_forked_loader_workers_alone(self) -> None:
        self.assertEqual([992.0, 992.0], run(loading_by_fork, 2))

    def test_should_turn_ctrl_c_into_a_keyboard_interrupt(self) -> None:
        self.should_interrupt("call")

    def test_should_end_a_stuck_destruction_by_ctrl_c(self) -> None:
        self.should_interrupt("destroy")

    def test_should_end_a_monitored_barrier_by_ctrl_c(self) -> None:
        self.should_interrupt("meet")

    def test_should_end_joining_by_ctrl_c(self) -> None:
        self.should_interrupt("join")

    def should_interrupt(self, what: str) -> None:
        """Long before the group's timeout, which is torch's half an hour."""
        with tempfile.TemporaryDirectory() as folder:
            answers = run(interrupted, 2, what, f"{folder}/store", join=False, dying=[1], timeout=INTERRUPT_S)
        self.assertTrue(answers[0])


if __name__ == "__main__":
    unittest.main()
