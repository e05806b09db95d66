# SPDX-License-Identifier: Apache-2.0
"""Tensors of a device with streams: every operation is right, in the order of torch's streams. The device is emulated CUDA,
or with DEVICES=nvidia the machine's GPU, which all ranks share."""

from __future__ import annotations

import ctypes
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import emulated_device
import tombolo
from calls import Call
from cases import draw
from devices import DEVICES, device_library, fill_late, own_device, run_on
from followers import STORE_RL, Followers
from oracle import furthest
from ranks import oneccl_is_here, preload
from test_values import differing
from tombolo import _volume
from tombolo._parts import Outgoing
from tombolo._sums import Sums
from tombolo.store import Cast, Holder, Holders, Snapshot, Store, StoreError, Volume, Writers

CASES = int(os.environ.get("TOMBOLO_CASES", "60"))
SEED = int(os.environ.get("TOMBOLO_SEED", random.randrange(1 << 30)))
LATE_S = 0.5

preload("torch._dynamo")  # DDP and optimizers import it


def make_random_calls(rank: int, seed: int, count: int) -> list[str]:
    """Half of them on a stream of their own."""
    size = dist.get_world_size()
    wrong = []
    for case in draw(seed, count, size):
        call = Call(case, seed, rank, size, dist.group.WORLD, own_device())
        if case.number % 2 == 0 or own_device() == "cpu":
            got, expected = call.make()
        else:
            with torch.Stream(device=own_device()):
                got, expected = call.make()
                got = [tensor.cpu() for tensor in got]
        if differing(got, expected):
            wrong.append(f"{case}: {got} is not {expected}")
    return wrong


def make_random_calls_in_the_hosts_order(rank: int, seed: int, count: int, why: str) -> list[str]:
    wrong = make_random_calls(rank, seed, count)
    routes = tombolo.describe()
    if own_device() != "cpu" and f"calls in the host's order: {why}" not in routes:
        wrong.append(routes)
    return wrong


def sum_what_comes_late(rank: int) -> list[list[int]]:
    """Twice on each stream: what a call reads is written long after it was made, and what is read, by a copy that is
    queued at once, is what it wrote."""
    answers = []
    for stream in (torch.accelerator.current_stream(), torch.Stream(device=own_device())):
        for asynchronous in (False, True):
            with stream:
                tensor = torch.zeros(1 << 16, dtype=torch.uint8, device=own_device())
                fill_late(tensor, rank + 1)
                work = dist.all_reduce(tensor, async_op=asynchronous)
                if work is not None:
                    work.wait()
                answers.append(tensor.clone().cpu().unique().tolist())
    return answers


def pass_barriers(rank: int) -> list[tuple[float, float]]:
    """When this rank came to each barrier, and when it had passed it, on the clock of all; rank 1 comes late."""
    store = dist.distributed_c10d._get_default_store()
    times = []
    for asynchronous in (False, True):
        if rank == 1:
            store.wait([f"rank 0 comes, {asynchronous}"])
            time.sleep(LATE_S)  # fixed time: the others are to wait
        came = time.monotonic()
        if rank == 0:
            store.set(f"rank 0 comes, {asynchronous}", "")
        work = dist.barrier(async_op=asynchronous)
        if work is not None:
            work.wait()
        times.append((came, time.monotonic()))
    return times


def receive_from_anybody(rank: int) -> list[int]:
    """Who sent, and what, as rank 0 sees it."""
    tensor = torch.full((4,), rank + 4, dtype=torch.int32, device=own_device())
    if rank == 0:
        source = dist.recv(tensor)
        return [source, *tensor.tolist()]
    time.sleep(LATE_S)  # fixed time: the others are to wait
    dist.send(tensor, 0)
    return []


def sum_on_the_cpu(rank: int) -> list[float]:
    """A tensor that is not the device's."""
    tensor = torch.full((5,), rank + 1.0)
    dist.all_reduce(tensor)
    return tensor.tolist()


def call_by_name(rank: int) -> list[Any]:
    """The device's name, a sum, what is gathered, and what rank 1 has of rank 0."""
    summed = torch.full((3,), rank + 1.0, device=own_device())
    dist.all_reduce(summed)
    gathered = torch.zeros(4, device=own_device())
    dist.all_gather_into_tensor(gathered, torch.full((2,), float(rank), device=own_device()))
    passed = torch.full((1,), rank + 5.0, device=own_device())
    if rank == 0:
        dist.send(passed, 1)
    else:
        dist.recv(passed, 0)
    return [passed.device.type, summed.tolist(), gathered.tolist(), passed.tolist()]


def call_and_describe(rank: int) -> list[Any]:
    return [tombolo.describe().partition("\n")[0], *call_by_name(rank)]


def bind_a_device(rank: int, place: str, other: bool) -> list[float] | str:
    """Sums, of rank 0 alone first, under a default group that is told its device, or another one: the error then."""
    own = torch.accelerator.current_device_index()
    device = torch.device(own_device(), 1 - own if other else own)
    try:
        dist.init_process_group("tombolo", init_method=place, rank=rank, world_size=2, device_id=device)
    except ValueError as error:
        return str(error)
    first = dist.new_group([0])
    tensor = torch.ones(3, device=device)
    if rank == 0:
        dist.all_reduce(tensor, group=first)
    dist.all_reduce(tensor)
    return tensor.tolist()


def train(device: str, rank: int, ranks: int) -> list[torch.Tensor]:
    """The parameters after some steps of this rank's share of each batch."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)).to(device, torch.float64)
    trained = DistributedDataParallel(model) if ranks > 1 else model
    optimizer = torch.optim.SGD(trained.parameters(), lr=0.1)
    data = torch.Generator().manual_seed(7)
    for _ in range(20):
        inputs = torch.randn(16, 8, generator=data)
        own = inputs.chunk(ranks)[rank].to(device, torch.float64)  # devices add up in another order than the CPU
        loss = (trained(own) - own.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [parameter.detach().cpu() for parameter in model.parameters()]


def train_with_ddp(rank: int) -> float:
    """How far it ends from the same training by one process on the CPU."""
    alone = train("cpu", 0, 1)
    together = train(own_device(), rank, dist.get_world_size())
    return furthest(together, alone)


def put_and_get(rank: int, address: str, token: str) -> list[str]:
    """What of a tensor of the device is not as it was put, with and without shared memory."""
    wrong = []
    weights = torch.arange(12.0).reshape(3, 4)
    for share in (True, False):
        with Store(address, token, share_memory=share) as store:
            there = weights.to(own_device())
            store.put_state_dict("device", {"w": there, "turned": there.t()})
            with store.open_state_dict("device") as policy:
                if not torch.equal(policy.get("w"), weights):
                    wrong.append(f"to the host, shared: {share}")
                target = torch.zeros(4, 3).to(own_device())
                policy.get("turned", into=target)
                if not torch.equal(target.cpu(), weights.t()):
                    wrong.append(f"to the device, shared: {share}")
    return wrong


def put_narrowed(rank: int, address: str, token: str) -> list[int]:
    """The bytes that come from the device to the host when a tensor of it is put narrower, with and without shared memory."""
    device = torch.get_device_module(own_device())
    there = torch.arange(12.0).reshape(3, 4).to(own_device())
    moved = []
    for share in (True, False):
        with Store(address, token, share_memory=share) as store:
            for tensor in (there, there.t()):
                before = device.bytes_to_host()
                store.put_state_dict("narrow", {"w": tensor}, cast=Cast(torch.bfloat16))
                moved.append(device.bytes_to_host() - before)
    return moved


def put_too_much(rank: int, address: str, token: str) -> list[int | str]:
    """How a put ends that has no room, and the bytes that come from the device to the host for it: as it is, narrowed, scaled
    and written together, with and without shared memory."""
    device = torch.get_device_module(own_device())
    tensors = {"small": torch.ones(3, device=own_device()), "large": torch.ones(1 << 20, device=own_device())}
    found: list[int | str] = []
    before = device.bytes_to_host()
    for share, cast in itertools.product((True, False), (None, Cast(torch.bfloat16, scaled=True))):
        with Store(address, token, share_memory=share) as store:
            for writers in (None, Writers(f"{share}, {cast}", 1, 0)):
                try:
                    store.put_state_dict("too much", tensors, writers, cast)
                except StoreError as error:
                    found.append(error.status)
    return [*found, device.bytes_to_host() - before]


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """How often each function of the library is called for checksums."""
    calls: Counter[str] = Counter()
    ask = _volume.call

    def counting(name: str, *arguments: Any) -> None:
        calls[name] += 1
        ask(name, *arguments)

    with mock.patch.object(_volume, "call", counting):
        yield calls


@contextmanager
def spoilt() -> Iterator[None]:
    """One bit of the first tensor that is put, or shown, changes in shared memory, after it was copied there and before the
    commit: a processor that read it for a checksum would find nothing wrong."""
    ask = tombolo.store.call
    places: list[int] = []

    def spoiling(name: str, *arguments: Any) -> None:
        if name == "tombolo_put_commit":
            ctypes.c_uint8.from_address(places[-1]).value ^= 1
        ask(name, *arguments)
        if name == "tombolo_volume_begin":
            places.append(arguments[2][0].data)
        elif name == "tombolo_server_hold":
            places.append(arguments[4][0].held.data)

    with mock.patch.object(tombolo.store, "call", spoiling):
        yield


def is_found(snapshot: Snapshot) -> bool:
    """Whether somebody who looks finds that `w` is not what was put."""
    try:
        snapshot.verify("w")
    except StoreError as error:
        return error.status == "TOMBOLO_CORRUPT"
    return False


def put_with_checksums(rank: int, address: str, token: str) -> list[str]:
    """What is wrong with the checksums of tensors of the device: each is to be computed by it, of the bytes that arrive."""
    wrong = []
    there = torch.arange(12.0).reshape(3, 4).to(own_device())
    tensors = {"w": there, "turned": there.t(), "part": there[1:], "on the host": torch.ones(3), "none": there[:0]}
    for share, cast in itertools.product((True, False), (None, Cast(torch.bfloat16))):
        case = f"shared: {share}, {cast}"
        with Store(address, token, share_memory=share) as store:
            with counted() as calls:
                store.put_state_dict("summed", tensors, cast=cast)
            if (calls["tombolo_device_checksum"], calls["tombolo_put_checksum"]) != (3, 3 if share else 0):
                wrong.append(f"{case}: {calls}")
            with store.open_state_dict("summed") as snapshot:
                for name in snapshot.names:
                    snapshot.verify(name)
                    snapshot.get(name)
    with Store(address, token) as store:
        with counted() as calls:
            store.put_state_dict("summed", tensors, Writers("step 1", 1, 0))
        if calls["tombolo_device_checksum"] != 3:
            wrong.append(f"written together: {calls}")
        with store.open_state_dict("summed") as snapshot:
            for name in snapshot.names:
                snapshot.verify(name)
    with Store(address, token) as store, Holder("summed", "run 1", token=token) as holder:
        with spoilt():
            store.put_state_dict("summed", tensors)
            holder.show(1, tensors)
        with store.open_state_dict("summed") as snapshot:
            if not is_found(snapshot):
                wrong.append("nobody finds a wrong bit in the volume")
        with Holders([holder.address], token) as holders, holders.open_state_dict("summed") as snapshot:
            if not is_found(snapshot):
                wrong.append("nobody finds a wrong bit in what is held")
    return wrong


def put_a_wrong_copy(rank: int, address: str, token: str) -> list[str]:
    """The errors if a tensor of the device comes to the host with a wrong bit, alone and written together, and what is in the
    store then."""
    there = torch.arange(12.0).to(own_device())
    made = Outgoing.made

    def wrongly(part: Outgoing, sums: Sums) -> tuple[torch.Tensor, int | None]:
        copy, checksum = made(part, sums)
        copy.view(torch.uint8)[5] ^= 1
        return copy, checksum

    found = []
    with mock.patch.object(Outgoing, "made", wrongly):
        for share, writers in ((False, None), (False, Writers("step 1", 1, 0)), (True, Writers("step 2", 1, 0))):
            with Store(address, token, share_memory=share) as store:
                try:
                    store.put_state_dict("wrong", {"w": there}, writers)
                except StoreError as error:
                    found.append(error.status)
                found.extend(store.state_dicts())
    return found


def put_what_comes_late(rank: int, address: str, token: str) -> list[list[int]]:
    """What a put on a stream of its own finds, when its tensor is written long after the call: what is written then, which
    has the checksum, with and without shared memory."""
    found = []
    for share in (True, False):
        with Store(address, token, share_memory=share) as store, torch.Stream(device=own_device()):
            tensor = torch.zeros(1 << 16, dtype=torch.uint8, device=own_device())
            fill_late(tensor, 7)
            store.put("late", tensor)
            with store.open(["late"]) as snapshot:
                snapshot.verify("late")
                found.append(snapshot.get("late").unique().tolist())
    return found


def put_without_checksums(rank: int, address: str, token: str) -> list[int]:
    """How often a device that computes no checksums is asked for one in a put of two tensors, and how many it gives."""
    there = torch.arange(12.0).reshape(3, 4).to(own_device())
    with Store(address, token) as store, counted() as calls:
        store.put_state_dict("unsummed", {"w": there, "turned": there.t()})
        with store.open_state_dict("unsummed") as snapshot:
            snapshot.verify("w")
            snapshot.verify("turned")
    return [calls["tombolo_device_checksum"], calls["tombolo_put_checksum"]]


# A program on the emulated device, if there is a library of one: the tests' folder, the library, the vendor whose driver that
# is to use, and the program's command. Says first which drivers the process has loaded.
ON_A_DEVICE = """
import os, re, runpy, sys
tests, library, vendor, *sys.argv = sys.argv[1:]
sys.path[:0] = [tests, os.path.dirname(sys.argv[0])]
if library:
    import emulated_device
    emulated_device.load(library, vendor)
    with open("/proc/self/maps") as maps:
        print("drivers", *sorted(set(re.findall(r"libtombolo_emu_\\w+", maps.read()))), flush=True)
runpy.run_path(sys.argv[0], run_name="__main__")
"""

# Before torch's own device has its name, and after, on a machine that has none of these devices.
NAMED_LATE = """
import types, torch, torch.distributed as dist, tombolo
from tombolo._backend import _known_devices
print(*_known_devices())
torch.utils.rename_privateuse1_backend("emu")
torch._register_device_module("emu", types.SimpleNamespace(is_available=lambda: False))
print(*_known_devices())
for named in ("cpu:tombolo,emu:tombolo", "cpu:gloo,emu:tombolo"):
    dist.init_process_group(named, store=dist.HashStore(), rank=0, world_size=1)
    backends = [dist.group.WORLD._get_backend(torch.device(device)) for device in ("cpu", "emu")]
    print(*(backend.name() for backend in backends), "one" if backends[0] is backends[1] else "two")
    dist.destroy_process_group()
"""


class NamesTest(unittest.TestCase):
    def test_should_know_a_device_before_and_after_it_is_named(self) -> None:
        done = subprocess.run([sys.executable, "-c", NAMED_LATE], capture_output=True, text=True, timeout=240)
        self.assertEqual(0, done.returncode, done.stderr)
        before, after, both, one = (line.split() for line in done.stdout.splitlines())
        torchs = ["cpu", "cuda", "xpu", "hpu", "xla"]  # the others are names that their packages give to privateuseone
        self.assertEqual(([*torchs, "privateuseone"], [*torchs, "emu"]), (before, after))
        self.assertEqual((["tombolo", "tombolo", "one"], ["gloo", "tombolo", "two"]), (both, one))

    @unittest.skipUnless(DEVICES.startswith("emu-"), "a real device has a name")
    def test_should_serve_devices_by_the_names_that_packages_give_them(self) -> None:
        for name in ("npu", "mlu", "musa"):
            with self.subTest(name):
                for answer in run_on([DEVICES] * 2, call_by_name, named=name):
                    self.assertEqual([name, [3.0] * 3, [0.0, 0.0, 1.0, 1.0], [5.0]], answer)


class DevicesTest(Followers):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.library = device_library()

    def should_agree(self, vendors: list[str]) -> None:
        self.should_be_right(run_on(vendors, make_random_calls, SEED, CASES), CASES)

    def should_be_right(self, answers: list[list[str]], cases: int) -> None:
        print(f"seed {SEED}: TOMBOLO_SEED={SEED} repeats it", flush=True)
        for rank, wrong in enumerate(answers):
            self.assertEqual([], wrong[:3], f"rank {rank}: {len(wrong)} of {cases} calls, seed {SEED}")

    def should_agree_in_the_hosts_order(self, habit: str, why: str) -> None:
        """With a habit of NVIDIA's driver that the emulation has only if told so: no stream is held then."""
        cases = CASES // 2
        unkind = {"TOMBOLO_EMU_UNKIND": habit}
        answers = run_on([DEVICES, "host"], make_random_calls_in_the_hosts_order, SEED, cases, why, **unkind)
        self.should_be_right(answers, cases)

    def test_should_agree_with_the_oracle_on_devices(self) -> None:
        self.should_agree([DEVICES] * 2)

    def test_should_agree_with_the_oracle_on_a_device_and_the_host(self) -> None:
        self.should_agree([DEVICES, "host"])

    @unittest.skipUnless(DEVICES == "emu-nvidia", "a real device has habits of its own")
    def test_should_agree_with_the_oracle_where_frees_lock_out_other_threads(self) -> None:
        self.should_agree_in_the_hosts_order("locks", "while a thread frees memory")

    @unittest.skipUnless(DEVICES == "emu-nvidia", "a real device has habits of its own")
    def test_should_agree_with_the_oracle_where_streams_share_queues_whatever_their_priorities(self) -> None:
        self.should_agree_in_the_hosts_order("shares", "callers' streams share hardware queues with ours")

    def test_should_keep_the_order_of_the_callers_stream(self) -> None:
        self.assertEqual([[[3]] * 4] * 2, run_on([DEVICES] * 2, sum_what_comes_late))

    def test_should_hold_the_host_at_a_barrier(self) -> None:
        early, late = run_on([DEVICES] * 2, pass_barriers)
        for (_, passed), (came, _) in zip(early, late):
            self.assertLessEqual(came, passed)

    def test_should_say_whom_it_has_received_from(self) -> None:
        self.assertEqual([1, 5, 5, 5, 5], run_on([DEVICES] * 2, receive_from_anybody)[0])

    def test_should_train_with_ddp_on_devices(self) -> None:
        for distance in run_on([DEVICES, DEVICES], train_with_ddp):
            self.assertLess(distance, 1e-12)

    def test_should_train_with_ddp_on_a_device_and_the_host(self) -> None:
        for distance in run_on([DEVICES, "host"], train_with_ddp):
            self.assertLess(distance, 1e-12)

    @unittest.skipUnless(oneccl_is_here() and shutil.which("mpirun.openmpi"), "no oneCCL or no Open MPI")
    def test_should_train_with_ddp_over_four_vendors(self) -> None:
        for distance in run_on(["intel", DEVICES, "mpi", "host"], train_with_ddp):
            self.assertLess(distance, 1e-12)

    def test_should_take_tensors_of_the_cpu_in_the_same_group(self) -> None:
        self.assertEqual([[3.0] * 5] * 2, run_on([DEVICES] * 2, sum_on_the_cpu))

    @unittest.skipUnless(DEVICES.startswith("emu-"), "a real device has another name")
    def test_should_carry_tensors_of_a_device_by_way_of_the_host(self) -> None:
        """As those of an XPU are: the rank has an accelerator, and is of a vendor that takes host memory."""
        for vendor in ("host", *(["intel"] if oneccl_is_here() else [])):
            with self.subTest(vendor):
                expected = [f"cluster 0, {vendor}: ranks 0 1", "emu", [3.0] * 3, [0.0, 0.0, 1.0, 1.0], [5.0]]
                for answer in run_on([DEVICES] * 2, call_and_describe, TOMBOLO_VENDOR=vendor):
                    self.assertEqual(expected, answer)

    def place(self) -> str:
        """Where ranks meet; it outlives each of them."""
        return f"file://{tempfile.mkdtemp(dir=self.folder.name)}/store"

    def test_should_make_groups_when_a_device_is_bound(self) -> None:
        self.assertEqual([[2.0] * 3] * 2, run_on([DEVICES] * 2, bind_a_device, self.place(), False, join=False))

    @unittest.skipIf(DEVICES == "nvidia" and torch.cuda.device_count() < 2, "one GPU")
    def test_should_say_that_another_device_is_bound(self) -> None:
        for error in run_on([DEVICES] * 2, bind_a_device, self.place(), True, join=False):
            self.assertRegex(error, r"device_id says \w+:\d: call torch.accelerator.set_device_index\(\d\) before")

    def test_should_have_a_generator_on_the_host_follow_a_trainer_on_a_device(self) -> None:
        with Volume() as volume:
            trainer = self.begun_on(DEVICES, "train", volume)
            generator = self.begun(STORE_RL, "generate", volume.address, token=volume.token, CUDA_VISIBLE_DEVICES="")
            trained, followed = self.rows(trainer), self.rows(generator)
        self.assertIn(["device", "emu" if self.library else "cuda"], trained)
        self.assertIn(["device", "cpu"], followed)
        self.assertEqual(20, len(self.should_have_followed(trained, followed)))

    @unittest.skipUnless(DEVICES == "emu-nvidia", "no two real devices of different vendors")
    def test_should_have_a_generator_on_one_vendors_device_follow_a_trainer_on_anothers(self) -> None:
        with Volume() as volume:
            trainer, generator = (
                self.begun_on(vendor, role, volume)
                for vendor, role in zip(emulated_device.VENDORS, ("train", "generate"))
            )
            trained, followed = self.rows(trainer), self.rows(generator)
        for rows, vendor in ((trained, "nvidia"), (followed, "kunlunxin")):
            self.assertEqual([["drivers", f"libtombolo_emu_{vendor}"], ["device", "emu"]], rows[:2])
        seen = self.should_have_followed(trained, followed)
        print(f"{len(seen)} versions from emu-nvidia on emu-kunlunxin, bit by bit; {followed[-1][3]} of the digits read right")
        self.assertEqual(20, len(seen))

    def begun_on(self, vendor: str, role: str, volume: Volume) -> subprocess.Popen[str]:
        """A process of the example on a device of that vendor."""
        on_a_device = ("-c", ON_A_DEVICE, str(Path(__file__).parent), self.library, vendor)
        return self.begun(*on_a_device, STORE_RL, role, volume.address, token=volume.token)

    def test_should_put_tensors_of_a_device_into_the_store_and_get_them(self) -> None:
        with Volume() as volume:
            self.assertEqual([[]], run_on([DEVICES], put_and_get, volume.address, volume.token))

    def test_should_have_a_device_sum_what_is_put(self) -> None:
        with Volume() as volume:
            answers = run_on([DEVICES], put_with_checksums, volume.address, volume.token, join=False)
        self.assertEqual([[]], answers)

    def test_should_refuse_what_has_come_to_the_host_with_a_wrong_bit(self) -> None:
        with Volume() as volume:
            answers = run_on([DEVICES], put_a_wrong_copy, volume.address, volume.token, join=False)
        self.assertEqual([["TOMBOLO_CORRUPT"] * 3], answers)

    def test_should_put_and_sum_what_the_callers_stream_writes_late(self) -> None:
        with Volume() as volume:
            answers = run_on([DEVICES], put_what_comes_late, volume.address, volume.token, join=False)
        self.assertEqual([[[7], [7]]], answers)

    @unittest.skipUnless(DEVICES == "emu-nvidia", "no device of a vendor that computes no checksums")
    def test_should_put_as_before_where_a_device_computes_no_checksums(self) -> None:
        with Volume() as volume:
            at = (volume.address, volume.token)
            self.assertEqual([[1, 0]], run_on(["emu-kunlunxin"], put_without_checksums, *at, join=False))
            self.assertEqual([[]], run_on(["emu-kunlunxin"], put_and_get, *at, join=False))

    @unittest.skipUnless(DEVICES == "emu-nvidia", "a real device does not count the bytes that leave it")
    def test_should_narrow_tensors_of_a_device_before_they_leave_it(self) -> None:
        with Volume() as volume:
            self.assertEqual([[24] * 4], run_on([DEVICES], put_narrowed, volume.address, volume.token))

    @unittest.skipUnless(DEVICES.startswith("emu-"), "only the emulated device counts what it copies")
    def test_should_move_nothing_from_a_device_for_what_does_not_fit(self) -> None:
        with Volume(memory_bytes=1 << 20) as volume:
            refused = run_on([DEVICES], put_too_much, volume.address, volume.token, join=False)
            self.assertEqual([["TOMBOLO_RESOURCE"] * 8 + [0]], refused)


if __name__ == "__main__":
    unittest.main()
