# SPDX-License-Identifier: Apache-2.0
"""Groups: made by their members, split, destroyed in any order, and used by torch's own wrappers."""

from __future__ import annotations

import math
import threading
import time
import unittest
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import tombolo
from ranks import TIMEOUT, free_port, mixed, oneccl_is_here, run


def sum_of_ranks(group: dist.ProcessGroup | None = None) -> float:
    tensor = torch.tensor([float(dist.get_rank())])
    dist.all_reduce(tensor, group=group)
    return tensor.item()


def in_groups_of_their_members(rank: int) -> list[float]:
    whole = dist.new_group()
    pairs = [dist.new_group([0, 1], use_local_synchronization=True)] if rank < 2 else []  # last: torch counts groups
    return [sum_of_ranks(group) for group in [*pairs, whole]]


def in_parts(rank: int) -> float:
    part = dist.split_group(split_ranks=[[0, 2], [1]])
    return sum_of_ranks(part)


def again_and_again(rank: int, folder_of_store: str) -> list[float]:
    sums = []
    for number in range(5):
        dist.init_process_group(
            "tombolo", init_method=f"file://{folder_of_store}/{number}", rank=rank, world_size=2
        )
        more = dist.new_group()
        sums.append(sum_of_ranks(more))
        if number % 2:
            dist.destroy_process_group(more)
        dist.destroy_process_group()
    return sums


def again_on_one_store(rank: int, port: int) -> list[float]:
    store = dist.TCPStore("127.0.0.1", port, 2, is_master=rank == 0)
    sums = []
    for _ in range(3):
        dist.init_process_group("tombolo", store=store, rank=rank, world_size=2)
        sums.append(sum_of_ranks())
        dist.destroy_process_group()
    return sums


def many_in_flight(rank: int) -> bool:
    tensors = [torch.full((100,), float(i)) for i in range(500)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    for work in works:
        work.wait()
    return all(torch.equal(tensor, torch.full((100,), 2.0 * i)) for i, tensor in enumerate(tensors))


def dropped_in_flight(rank: int) -> float:
    for _ in range(200):
        dist.all_reduce(torch.ones(1000), async_op=True)
    return sum_of_ranks()


def polled_while_another_thread_waits(rank: int) -> int:
    """The operation alone holds its input: whoever sees its end first frees a tensor that Python has made."""
    ended = 0
    for _ in range(300):
        outputs = torch.empty(16)
        work = dist.all_gather_into_tensor(outputs, torch.ones(8), async_op=True)
        waiter = threading.Thread(target=work.wait)
        waiter.start()
        while not work.is_completed():
            pass
        waiter.join()
        ended += int(outputs.sum().item() == 16)
    return ended


def has_java() -> bool:
    return "/libjvm.so" in Path("/proc/self/maps").read_text()


def has_java_before_and_after_joining(rank: int) -> list[bool]:
    """In a process that has imported tombolo."""
    before = has_java()
    dist.init_process_group("tombolo", store=dist.HashStore(), rank=0, world_size=1)
    return [before, has_java()]


def sum_while_another_thread_runs(rank: int) -> float:
    """By a call that blocks: rank 1 joins in when a thread of rank 0 has run beside it."""
    store = dist.distributed_c10d._get_default_store()
    backend = dist.group.WORLD._get_backend(torch.device("cpu"))
    dist.barrier()
    calls = backend._get_sequence_number_for_group()

    def run_beside() -> None:
        while backend._get_sequence_number_for_group() == calls:
            time.sleep(0.001)  # fixed time: between two looks
        for _ in range(100):
            time.sleep(0.001)  # fixed time: whoever sleeps has to get the interpreter's lock back
        store.set("it has run", "")

    if rank == 0:
        threading.Thread(target=run_beside).start()
    else:
        store.wait(["it has run"], TIMEOUT)
    tensor = torch.ones(1)
    dist.all_reduce(tensor)
    return tensor.item()


def result_of_a_sparse_sum(rank: int) -> int:
    tensor = torch.sparse_coo_tensor([[rank]], [1.0], (4,))
    work = dist.all_reduce(tensor, async_op=True)
    return int(work.get_future_result().wait())


def futures(rank: int) -> list[float]:
    tensor = torch.ones(4)
    work = dist.all_reduce(tensor, async_op=True)

    def wait_inside(future: torch.futures.Future[list[torch.Tensor]]) -> torch.Tensor:
        second = future.value()[0].clone()
        dist.all_reduce(second, async_op=True).get_future().wait()
        return second

    return work.get_future().then(wait_inside).wait().tolist()


def objects(rank: int) -> list[object]:
    gathered: list[object] = [None] * 2
    dist.all_gather_object(gathered, {"rank": rank})
    sent = [{"from": 0}] if rank == 0 else [None]
    dist.broadcast_object_list(sent, src=0)
    got: list[object] = [None]
    dist.scatter_object_list(got, [["a"], ["b"]] if rank == 0 else None, src=0)
    at_one: list[object] | None = [None] * 2 if rank == 1 else None
    dist.gather_object({"of": rank}, at_one, dst=1)
    received: list[object] = [rank, None]
    if rank == 0:
        dist.send_object_list(["c", {"d": 1}], dst=1)
    else:
        dist.recv_object_list(received, src=0)
    return [gathered, sent, got, at_one, received]


def register_hook(name: str, model: DistributedDataParallel, group: dist.ProcessGroup) -> None:
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, post_localSGD_hook, powerSGD_hook

    if name == "fp16":
        model.register_comm_hook(group, default_hooks.fp16_compress_hook)
    elif name == "bf16":
        model.register_comm_hook(group, default_hooks.bf16_compress_hook)
    elif name == "power":
        state = powerSGD_hook.PowerSGDState(group, matrix_approximation_rank=2, start_powerSGD_iter=2)
        model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    elif name == "local":  # each by itself, from the third step on
        alone = dist.new_subgroups(1, backend=dist.get_backend(group))[0]
        state = post_localSGD_hook.PostLocalSGDState(group, alone, start_localSGD_iter=2)
        model.register_comm_hook(state, post_localSGD_hook.post_localSGD_hook)


def gradients_with_hook(name: str, group: dist.ProcessGroup, rank: int) -> torch.Tensor:
    """After each of four steps."""
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(32, 32), process_group=group)
    register_hook(name, model, group)
    gradients = []
    for step in range(4):
        model.zero_grad()
        # random: gradients of a lower rank than PowerSGD's give NaN on some processors, over Gloo too
        inputs = torch.randn(4, 32, generator=torch.Generator().manual_seed(2 * step + rank))
        model(inputs).square().mean().backward()
        gradients += [p.grad.flatten() for p in model.parameters()]
    return torch.stack([torch.cat(gradients[at : at + 2]) for at in range(0, len(gradients), 2)])


def ddp_with_hooks(rank: int) -> dict[str, tuple[bool, bool, bool]]:
    """With each hook: whether all gradients are as with Gloo, and the first and the last as without a hook."""
    gloo = dist.new_group(backend="gloo")
    plain = gradients_with_hook("plain", dist.group.WORLD, rank)
    answers = {}
    for name in ("plain", "fp16", "bf16", "power", "local"):
        ours = gradients_with_hook(name, dist.group.WORLD, rank)
        as_gloos = torch.equal(ours, gradients_with_hook(name, gloo, rank))
        answers[name] = as_gloos, torch.equal(ours[0], plain[0]), torch.equal(ours[-1], plain[-1])
    return answers


def coalesced(rank: int) -> list[list[float]]:
    tensors = [torch.full((3,), float(rank + i)) for i in range(4)]
    with dist._coalescing_manager():
        for tensor in tensors:
            dist.all_reduce(tensor)
    return [tensor.tolist() for tensor in tensors]


def coalesced_into_tensors(rank: int) -> list[list[float]]:
    """Of tensors of several sizes."""
    gathered = [torch.zeros(2 * count) for count in (3, 5)]
    with dist._coalescing_manager():
        for output in gathered:
            dist.all_gather_into_tensor(output, torch.full((len(output) // 2,), float(len(output) + rank)))
    scattered = [torch.zeros(count) for count in (3, 5)]
    with dist._coalescing_manager():
        for output in scattered:
            dist.reduce_scatter_tensor(output, torch.arange(2.0 * len(output)) + rank)
    return [tensor.tolist() for tensor in gathered + scattered]


def sparse(rank: int) -> list[list[float]]:
    tensor = torch.sparse_coo_tensor([[rank, 2]], [1.0, 2.0], (4,))
    dist.all_reduce(tensor)
    return tensor.to_dense().tolist()


def scaled_by_integers(rank: int) -> tuple[int, list[str]]:
    """A sum of ones, each times 2^53, and what is said of factors that are no doubles."""
    tensor = torch.ones(1, dtype=torch.int64)
    dist.all_reduce(tensor, dist._make_nccl_premul_sum(torch.tensor(1 << 53)))
    errors = []
    for factor in (torch.tensor(2**53 + 1), torch.tensor(-(2**53) - 1), torch.tensor(2**63 - 1)):
        try:
            dist.all_reduce(torch.ones(1, dtype=torch.int64), dist._make_nccl_premul_sum(factor))
        except ValueError as error:
            errors.append(str(error).partition("\n")[0].rpartition(" ")[2])
    return int(tensor.item()), errors


def numbered(rank: int) -> list[int]:
    """What a barrier, and then a sum of sparse tensors, adds to the number of the group, and to that of its back end."""
    group = dist.group.WORLD
    numbers = [each._get_sequence_number_for_group for each in (group, group._get_backend(torch.device("cpu")))]
    added = []
    for operation in (dist.barrier, lambda: dist.all_reduce(torch.eye(2).to_sparse())):
        before = [number() for number in numbers]
        operation()
        added += [number() - earlier for number, earlier in zip(numbers, before)]
    return added


def sum_with_a_nan(rank: int) -> tuple[str, float]:
    """How it is refused, and what the next call gives."""
    try:
        dist.all_reduce(torch.tensor([1.0, math.nan]))
    except RuntimeError as error:
        return str(error).splitlines()[0], sum_of_ranks()
    return "", sum_of_ranks()


def timed(rank: int) -> float:
    dist.group.WORLD._enable_collectives_timing()
    work = dist.all_reduce(torch.ones(8), async_op=True)
    work.wait()
    return work._get_duration()


def profiled(rank: int) -> list[str]:
    """One call of each kind; what torch's profiler calls them."""
    one, two = torch.ones(2), torch.ones(4)
    ones = list(two.chunk(2))
    group = dist.group.WORLD
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        dist.barrier()
        dist.broadcast(one, 0)
        dist.all_reduce(one)
        dist.reduce(one, 0)
        dist.all_gather(ones, one)
        dist.all_gather_into_tensor(two, one)
        dist.reduce_scatter(one, ones)
        dist.reduce_scatter_tensor(one, two)
        dist.all_to_all_single(two, two.clone())
        dist.gather(one, ones if rank == 0 else None)
        dist.gather_single(one, two if rank == 0 else None)
        dist.scatter(one, ones if rank == 0 else None)
        dist.all_gather_coalesced([[one.clone()], [one.clone()]], [one])
        group.allreduce_coalesced([one], dist.AllreduceCoalescedOptions()).wait()
        group.allgather_into_tensor_coalesced([two], [one]).wait()
        group.reduce_scatter_tensor_coalesced([one], [two]).wait()
        for source in (0, None):
            dist.send(one, 1) if rank == 0 else dist.recv(one, source)
    return sorted(event.key for event in profile.key_averages() if event.key.startswith("tombolo:"))


# What the profiler shows of NCCL's operations, behind "nccl:"; of all_gather_coalesced, which NCCL lacks, what torch calls it.
NAMES_OF_NCCL = [
    "_all_gather_base", "_reduce_scatter_base", "all_gather", "all_gather_coalesced", "all_gather_into_tensor_coalesced",
    "all_reduce", "all_reduce_barrier", "all_to_all", "allreduce_coalesced", "broadcast", "gather", "gather_single",
    "reduce", "reduce_scatter", "reduce_scatter_tensor_coalesced", "scatter",
]  # fmt: skip


class GroupsTest(unittest.TestCase):
    def test_should_make_groups_of_their_members_alone(self) -> None:
        self.assertEqual([[1, 3], [1, 3], [3]], run(in_groups_of_their_members, 3))

    def test_should_split_a_group(self) -> None:
        self.assertEqual([2, 1, 2], run(in_parts, 3, variables=mixed(3)))

    def test_should_join_again_after_leaving(self) -> None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual([[1] * 5] * 2, run(again_and_again, 2, folder, join=False))

    def test_should_join_again_on_the_same_store(self) -> None:
        self.assertEqual([[1] * 3] * 2, run(again_on_one_store, 2, free_port(), join=False))

    def test_should_take_more_calls_than_may_be_in_flight(self) -> None:
        self.assertEqual([True, True], run(many_in_flight, 2))

    def test_should_keep_tensors_of_works_that_nobody_holds(self) -> None:
        self.assertEqual([1, 1], run(dropped_in_flight, 2))

    def test_should_let_a_thread_poll_what_another_waits_for(self) -> None:
        self.assertEqual([300, 300], run(polled_while_another_thread_waits, 2))

    def test_should_start_no_java_before_the_first_group(self) -> None:
        self.assertEqual([[False, True]], run(has_java_before_and_after_joining, 1, join=False))

    def test_should_let_other_threads_run_while_a_call_blocks(self) -> None:
        self.assertEqual([2, 2], run(sum_while_another_thread_runs, 2))

    def test_should_complete_the_result_of_what_has_ended_before(self) -> None:
        self.assertEqual([0, 0], run(result_of_a_sparse_sum, 2))  # WorkResult.SUCCESS

    def test_should_complete_futures_whose_callbacks_wait_for_others(self) -> None:
        self.assertEqual([[4.0] * 4] * 2, run(futures, 2))

    def test_should_carry_objects(self) -> None:
        gathered, sent = [{"rank": 0}, {"rank": 1}], [{"from": 0}]
        sender = [gathered, sent, [["a"]], None, [0, None]]
        receiver = [gathered, sent, [["b"]], [{"of": 0}, {"of": 1}], ["c", {"d": 1}]]
        self.assertEqual([sender, receiver], run(objects, 2))

    def test_should_serve_ddp_with_compressing_hooks(self) -> None:
        """To the bit as with Gloo. fp16 and bf16 round all gradients, the other two change the later ones."""
        compressed, later = (True, False, False), (True, True, False)
        expected = {"plain": (True, True, True), "fp16": compressed, "bf16": compressed, "power": later, "local": later}
        self.assertEqual([expected] * 2, run(ddp_with_hooks, 2, variables=mixed(2)))

    def test_should_coalesce(self) -> None:
        self.assertEqual([[[2.0 * i + 1] * 3 for i in range(4)]] * 2, run(coalesced, 2))

    def test_should_coalesce_tensors_of_several_sizes(self) -> None:
        for rank, tensors in enumerate(run(coalesced_into_tensors, 2)):
            gathered = [[2.0 * count] * count + [2.0 * count + 1] * count for count in (3, 5)]
            scattered = [[2.0 * at + 1 for at in range(rank * count, (rank + 1) * count)] for count in (3, 5)]
            self.assertEqual(gathered + scattered, tensors)

    def test_should_sum_sparse_tensors(self) -> None:
        self.assertEqual([[1.0, 1.0, 4.0, 0.0]] * 2, run(sparse, 2))

    def test_should_multiply_by_integers_that_are_doubles(self) -> None:
        errors = ["9007199254740993", "-9007199254740993", "9223372036854775807"]
        self.assertEqual([(1 << 54, errors)] * 2, run(scaled_by_integers, 2))

    def test_should_number_its_operations(self) -> None:
        self.assertEqual([[1, 1, 3, 3]] * 2, run(numbered, 2))

    def test_should_refuse_nan_if_torch_is_to_look_for_it(self) -> None:
        found, looked_for = ("NaN found in input tensor.", 1.0), [{"TORCH_DIST_NAN_CHECK": "1"}] * 2
        self.assertEqual([found] * 2, run(sum_with_a_nan, 2, variables=looked_for))

    def test_should_show_its_operations_to_the_profiler(self) -> None:
        for rank, names in enumerate(run(profiled, 2)):
            messages = ["send 0->1"] if rank == 0 else ["recv 1<-0", "recvAnySource"]  # the last one is Gloo's
            self.assertEqual(sorted(f"tombolo:{name}" for name in [*NAMES_OF_NCCL, *messages]), names)

    def test_should_say_how_long_an_operation_took(self) -> None:
        for milliseconds in run(timed, 2):
            self.assertTrue(0 < milliseconds < 120_000, milliseconds)

    def test_should_describe_a_group_of_another_device_than_the_cpu(self) -> None:
        place = f"tcp://127.0.0.1:{free_port()}"
        for text in run(described, 2, place, join=False):
            self.assertEqual("cluster 0, host: ranks 0 1\n", text)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_describe_who_belongs_together_and_how_others_are_reached(self) -> None:
        clusters = ["cluster 0, intel: ranks 0", "cluster 1, host: ranks 1"]
        texts = run(described_here, 2, variables=[{"TOMBOLO_VENDOR": vendor} for vendor in ("intel", "host")])
        for peer, text in zip((1, 0), texts):
            self.assertEqual([*clusters, f"to rank {peer}: shm (shared): same host"], text.splitlines())

    def test_should_describe_and_compare_calls_under_the_debug_wrapper(self) -> None:
        for clusters, error in run(under_the_debug_wrapper, 2, prepare=in_detail):
            self.assertEqual("cluster 0, host: ranks 0 1\n", clusters)
            self.assertIn("Detected mismatch between collectives on ranks", error)

    def test_should_join_ranks_whose_tensors_are_on_different_devices(self) -> None:
        place = f"tcp://127.0.0.1:{free_port()}"
        for text in run(of_different_devices, 2, place, join=False):
            self.assertEqual("cluster 0, host: ranks 0 1\n", text)


def described(rank: int, place: str) -> str:
    """Of a group that serves no tensors of the CPU; torch asks for no such device here."""
    dist.init_process_group("cuda:tombolo", init_method=place, rank=rank, world_size=2)
    return tombolo.describe()


def described_here(rank: int) -> str:
    return tombolo.describe()


def of_different_devices(rank: int, place: str) -> str:
    """torch gives the store of each device a prefix of its own."""
    dist.init_process_group(["cpu:tombolo", "cuda:tombolo"][rank], init_method=place, rank=rank, world_size=2)
    return tombolo.describe()


def in_detail(rank: int) -> None:
    """As TORCH_DISTRIBUTED_DEBUG=DETAIL, which torch looks at when it is imported: before the fork server has children."""
    dist.set_debug_level(dist.DebugLevel.DETAIL)


def under_the_debug_wrapper(rank: int) -> tuple[str, str]:
    """What the group is, and how a call ends that differs: torch's wrapper compares before we do."""
    clusters = tombolo.describe()
    try:
        dist.all_reduce(torch.ones(3 + rank))
    except RuntimeError as error:
        return clusters, str(error)
    return clusters, ""


if __name__ == "__main__":
    unittest.main()
