# SPDX-License-Identifier: Apache-2.0
"""How groups end, in any order; and programs that do not say goodbye, as processes of their own, for the interpreter's end
is what is tested."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

import tombolo  # noqa: F401
from ranks import TIMEOUT, run

PROMPT = TIMEOUT.total_seconds() / 2  # far more than a busy machine needs, and far from a wait for others
TAGS = [1, 2, 7]

FORGETFUL = """
import sys, time, torch, torch.distributed as dist, tombolo
rank = int(sys.argv[1])
dist.init_process_group("tombolo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
more = dist.new_group()
tensor = torch.ones(1 << 20)
dist.broadcast(tensor, 0)
dist.all_reduce(tensor, group=more)
part = dist.split_group(split_ranks=[[0, 1]])
for group in (dist.group.WORLD, more):  # the end must not wait for the other in these
    group._get_backend(torch.device("cpu")).shutdown()
last = torch.full((1 << 20,), 3.0 if rank == 0 else 0.0)
if rank == 0:
    dist.broadcast(last, 0, group=part, async_op=True)  # and rank 0 ends
else:
    time.sleep(1)  # fixed time: the other's end waits
    dist.broadcast(last, 0, group=part)
print(tensor[0].item(), last[0].item())
"""

HALF_FORGETFUL = """
import sys, torch, torch.distributed as dist, tombolo
rank = int(sys.argv[1])
dist.init_process_group("tombolo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
first, second = dist.new_group(), dist.new_group()
tensor = torch.ones(3)
for group in (first, second, None):
    dist.all_reduce(tensor, group=group)
if rank == 0:
    dist.destroy_process_group(first)  # till the other ends, who leaves all of them
print(tensor[0].item())
"""

# When the program that fails is left, and when the other hears of it, on the clock of both.
FAILING = """
import atexit, sys, time, torch, torch.distributed as dist, tombolo
rank = int(sys.argv[1])
dist.init_process_group("tombolo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
dist.barrier()
store = dist.distributed_c10d._get_default_store()
if rank == 0:
    store.wait(["rank 1 has passed it, too"])  # the news of an abort overtakes what others still wait for
    atexit.register(lambda: print(time.monotonic(), flush=True))  # runs before what was registered earlier, as ours
    raise ValueError("a defect of the program")
store.set("rank 1 has passed it, too", "")
try:
    dist.all_reduce(torch.ones(2))
finally:
    print(time.monotonic(), flush=True)
"""


LEAVING = """
import sys, time, torch, torch.distributed as dist, tombolo
rank = int(sys.argv[1])
dist.init_process_group("tombolo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
dist.barrier()
if rank == 0:
    sys.exit(1)
started = time.monotonic()
try:
    dist.all_reduce(torch.ones(2))
except dist.DistBackendError as error:
    print(time.monotonic() - started)
    print(error, file=sys.stderr)
"""

KEEPING = """
import sys, time, torch, torch.distributed as dist, tombolo
from pathlib import Path
rank, left = int(sys.argv[1]), Path(sys.argv[2] + ".left")
dist.init_process_group("tombolo", init_method="file://" + sys.argv[2], rank=rank, world_size=2)
tensor = torch.ones(3)
dist.all_reduce(tensor)
if rank == 0:
    dist.destroy_process_group()
    left.touch()
while not left.exists():
    time.sleep(0.01)  # fixed time: between two looks
print(tensor[0].item())
"""


def fail_on_rank_0(rank: int, folder: str) -> None:
    """Leaves there when it did, on the clock of all."""
    dist.init_process_group("tombolo", init_method=f"file://{folder}/store", rank=rank, world_size=2, timeout=TIMEOUT)
    dist.barrier()
    if rank == 0:
        Path(folder, "failed").write_text(str(time.monotonic()))
        raise ValueError("a defect of the program")
    try:
        dist.all_reduce(torch.ones(2))
    except dist.DistBackendError:
        threading.Event().wait(TIMEOUT.total_seconds())  # torch tells what the process failed of that ends first
        raise


def ended_in_any_order(rank: int, port: int) -> int:
    """How many ways there are."""
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    orders = list(itertools.permutations(["abort", "shutdown", "destroy"]))
    for number, order in enumerate(orders):
        meeting = dist.PrefixStore(str(number), store)
        dist.init_process_group("tombolo", store=meeting, rank=rank, world_size=2)
        backend = dist.group.WORLD._get_backend(torch.device("cpu"))
        dist.barrier()
        # an abort is not for the other to be in a call that is over here
        store.set(f"{number} left by {rank}", "")
        store.wait([f"{number} left by {other}" for other in range(2)])
        for step in order:
            {"abort": backend.abort, "shutdown": backend.shutdown, "destroy": dist.destroy_process_group}[step]()
    return len(orders)


def destroyed(rank: int, port: int, orders_differ: bool) -> tuple[list[float], float]:
    """Sums of three groups, and how many seconds it then took to destroy them."""
    store = dist.PrefixStore(f"differ: {orders_differ}", dist.TCPStore("127.0.0.1", port, is_master=False))
    dist.init_process_group("tombolo", store=store, rank=rank, world_size=2, timeout=TIMEOUT)
    groups = [dist.new_group(timeout=TIMEOUT) for _ in range(2)]
    sums = []
    for group in (*groups, None):
        tensor = torch.ones(1)
        dist.all_reduce(tensor, group=group)
        sums.append(tensor.item())
    if orders_differ and rank == 0:
        groups.reverse()
    started = time.monotonic()
    for group in groups:
        dist.destroy_process_group(group)
    dist.destroy_process_group()
    return sums, time.monotonic() - started


def destroyed_by_one(rank: int, port: int) -> tuple[float, list[float], str]:
    """How long rank 0 took to leave a group; what rank 1 receives there from it afterwards, and what a further call says."""
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group(
        "tombolo", store=dist.PrefixStore("ranks", store), rank=rank, world_size=2, timeout=TIMEOUT
    )
    group = dist.new_group(timeout=TIMEOUT)
    started = time.monotonic()
    received, error = [], ""
    if rank == 0:
        for tag in TAGS:
            dist.send(torch.full((5,), float(tag)), 1, group, tag)
        dist.destroy_process_group(group)
        store.set("one has left", "")
    else:
        store.wait(["one has left"], TIMEOUT)
        for tag in reversed(TAGS):
            room = torch.zeros(5)
            dist.recv(room, 0, group, tag)
            received.append(room[4].item())
        try:
            dist.all_reduce(torch.ones(1), group=group)
        except dist.DistBackendError as failure:
            error = str(failure)
    seconds = time.monotonic() - started
    dist.barrier()  # what has failed in one group concerns no other
    return seconds, received, error


def collected_by_one(rank: int, port: int) -> float:
    """How long rank 0 took to have a group collected, and rank 1 to shut it down afterwards."""
    from tombolo import _C  # loads libtombolo.so, which the fork server has not

    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    group = _C.join(dist.PrefixStore("ranks", store), rank, 2, TIMEOUT, "by hand", "host", 0)
    if rank == 1:
        store.wait(["collected"], TIMEOUT)
    started = time.monotonic()
    if rank == 1:
        group.shutdown()
    del group
    gc.collect()
    seconds = time.monotonic() - started
    store.set("collected", "")
    return seconds


def collected_from_a_family(rank: int, port: int) -> tuple[int, str]:
    """How many groups of its family live once a group was collected on rank 0, and what a call on rank 1 then says. Python
    holds the families, as it does where torch makes groups."""
    from tombolo import _C  # loads libtombolo.so, which the fork server has not

    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    group = _C.join(dist.PrefixStore("family", store), rank, 2, TIMEOUT, "by hand", "host", 0)
    family = _C.family(group)
    error = ""
    if rank == 0:
        del group
        gc.collect()
        store.set("collected", "")
        store.wait(["called"], TIMEOUT)
    else:
        store.wait(["collected"], TIMEOUT)
        try:
            group.allreduce([torch.ones(1)]).wait()
        except dist.DistBackendError as failure:
            error = str(failure)
        store.set("called", "")
    return len(family.groups()), error


def ticked_while_collected(rank: int, port: int) -> int:
    """How often another thread of rank 0 ran while a group was collected there, which waits for what rank 1 joins late."""
    from tombolo import _C  # loads libtombolo.so, which the fork server has not

    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    group = _C.join(dist.PrefixStore("ticking", store), rank, 2, TIMEOUT, "by hand", "host", 0)
    if rank == 1:
        store.wait(["collecting"], TIMEOUT)
        time.sleep(1)  # fixed time: that the other waits
        group.allreduce([torch.ones(1)]).wait()
        store.wait(["collected once"], TIMEOUT)
        return 0
    over, times = threading.Event(), []
    sum_of_all = torch.ones(1)
    group.allreduce([sum_of_all])

    def tick() -> None:
        while not over.is_set():
            times.append(time.monotonic())
            time.sleep(0.01)  # fixed time: a fraction of that second

    thread = threading.Thread(target=tick)
    thread.start()
    store.set("collecting", "")
    started = time.monotonic()
    del group
    gc.collect()
    ended = time.monotonic()
    over.set()
    thread.join()
    store.set("collected once", "")
    return sum(started < at < ended for at in times)


def run_both(program: str, *arguments: str) -> list[tuple[int, str, str]]:
    """Status, output and errors of two ranks of it, which get their rank, a place to meet, and the arguments."""
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            subprocess.Popen(
                [sys.executable, "-c", program, str(rank), f"{folder}/store", *arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for rank in range(2)
        ]
        try:
            outputs = [process.communicate(timeout=240) for process in ranks]
        finally:
            for process in ranks:
                process.kill()
                process.wait()
        return [(process.returncode, *output) for process, output in zip(ranks, outputs)]


class EndingsTest(unittest.TestCase):
    maxDiff = None  # what the ranks have said is the only trace of them

    def test_should_end_groups_in_any_order(self) -> None:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # outlives the ranks
        self.assertEqual([6, 6], run(ended_in_any_order, 2, store.port, join=False))

    def test_should_end_cleanly_though_nobody_destroyed_the_groups(self) -> None:
        self.assertEqual([(0, "2.0 3.0\n", "")] * 2, run_both(FORGETFUL))

    def test_should_end_cleanly_though_only_one_has_destroyed_a_group(self) -> None:
        self.assertEqual([(0, "8.0\n", "")] * 2, run_both(HALF_FORGETFUL))

    def test_should_destroy_groups_in_other_orders_at_once_and_leave_no_keys(self) -> None:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # outlives the ranks
        kept = []
        for orders_differ in (False, True):
            before = store.num_keys()
            for sums, seconds in run(destroyed, 2, store.port, orders_differ, join=False):
                self.assertEqual([2.0] * 3, sums)
                self.assertLess(seconds, PROMPT)
            kept.append(store.num_keys() - before)
        self.assertEqual(kept[0], kept[1])

    def test_should_not_wait_for_who_keeps_a_group_and_leave_it_what_was_sent(self) -> None:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # outlives the ranks
        (first, _, _), (second, received, error) = run(destroyed_by_one, 2, store.port, join=False)
        self.assertLess(max(first, second), PROMPT)
        self.assertEqual([float(tag) for tag in reversed(TAGS)], received)
        self.assertIn("rank 0 has closed this communicator", error)

    def test_should_not_wait_for_others_when_a_group_is_collected(self) -> None:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # outlives the ranks
        self.assertLess(max(run(collected_by_one, 2, store.port, join=False)), PROMPT)

    def test_should_leave_a_group_that_is_collected_though_its_family_lives(self) -> None:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # outlives the ranks
        (living, _), (kept, error) = run(collected_from_a_family, 2, store.port, join=False)
        self.assertEqual((0, 1), (living, kept))
        self.assertIn("rank 0 has closed this communicator", error)

    def test_should_let_other_threads_run_while_a_group_is_collected(self) -> None:
        store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # outlives the ranks
        ticks, _ = run(ticked_while_collected, 2, store.port, join=False)
        self.assertGreater(ticks, 20)  # of a hundred

    def test_should_not_wait_for_who_ends_later_and_never_destroys(self) -> None:
        self.assertEqual([(0, "2.0\n", "")] * 2, run_both(KEEPING))

    def test_should_fail_the_others_at_once_when_a_program_fails(self) -> None:
        (first, failed, cause), (second, heard, consequence) = run_both(FAILING)
        self.assertEqual((1, 1), (first, second))
        self.assertIn("a defect of the program", cause)
        self.assertIn("DistBackendError", consequence)
        self.assertIn("rank 0 aborted the communicator", consequence)  # one that ends well has closed it
        self.assertLess(float(heard) - float(failed), PROMPT)

    def test_should_fail_the_others_calls_when_one_has_ended(self) -> None:
        (first, _, _), (second, seconds, errors) = run_both(LEAVING)
        self.assertEqual((1, 0), (first, second), errors)
        self.assertLess(float(seconds), PROMPT)
        self.assertIn("rank 0 has closed this communicator", errors)

    def test_should_end_a_job_of_spawned_ranks_when_one_fails(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(multiprocessing.ProcessRaisedException, "a defect of the program"):
                multiprocessing.spawn(fail_on_rank_0, args=(folder,), nprocs=2)
            failed = float(Path(folder, "failed").read_text())
            self.assertLess(time.monotonic() - failed, TIMEOUT.total_seconds() / 2)


if __name__ == "__main__":
    unittest.main()
