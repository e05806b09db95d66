# SPDX-License-Identifier: Apache-2.0
"""State dicts that processes hold in their own memory, and readers of them: one hop, from trainers to generators."""

from __future__ import annotations

import gc
import random
import threading
import unittest

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

from ranks import preload, run
from test_store import SEED, WAYS, bits, drawn, whole_matrix
from tombolo._memory import TYPES
from tombolo.store import Holder, Holders, Part, StoreError, StoreTimeoutError

preload("torch.distributed.tensor")


class HoldersTest(unittest.TestCase):
    def holder(
        self, rank: int = 0, count: int = 1, memory_bytes: int = 16 << 20, token: str | None = None, replicas: int = 1
    ) -> Holder:
        holder = Holder("policy", "run 1", count, rank, token=token, memory_bytes=memory_bytes, replicas=replicas)
        self.addCleanup(holder.close)
        return holder

    def reader(self, *holders: Holder, share: bool = True) -> Holders:
        reader = Holders([each.address for each in holders], holders[0].token, share_memory=share)
        self.addCleanup(reader.close)
        self.assertEqual(len(holders) if share else 0, reader.sharing)
        return reader

    def test_should_bring_all_types_and_layouts_bit_by_bit(self) -> None:
        print(f"seed {SEED}: TOMBOLO_SEED={SEED} repeats it", flush=True)
        dice = random.Random(SEED)
        torch.manual_seed(SEED)
        holder = self.holder()
        values = {f"{dtype}": drawn(dice, dtype, [4, 6]) for dtype in TYPES}
        values |= {f"{dtype} turned": drawn(dice, dtype, [6, 4]).t() for dtype in TYPES}
        values |= {"scalar": torch.tensor(7.5), "none": torch.empty(0, 3)}
        holder.show(3, {**values, "config": b"lora"})
        for share in WAYS:
            with self.reader(holder, share=share).open_state_dict("policy", timeout=60) as policy:
                self.assertEqual(3, policy.version)
                for name, value in values.items():
                    self.assertEqual(bits(value), bits(policy.get(name)), name)
                middle = policy.get("torch.float32", (slice(1, 3), slice(2, 6)))
                self.assertEqual(bits(values["torch.float32"][1:3, 2:]), bits(middle))
                self.assertEqual(b"lora", policy.get_bytes("config"))

    def test_should_write_the_next_version_while_the_last_is_read(self) -> None:
        for share in WAYS:
            first = 7
            holder = self.holder(memory_bytes=2 * 4096)
            reader = self.reader(holder, share=share)
            holder.show(first, {"w": torch.full((1000,), 1.0)})
            with reader.open_state_dict("policy", newer_than=first - 1, timeout=60) as policy:
                holder.show(first + 1, {"w": torch.full((1000,), 2.0)})
                with self.assertRaisesRegex(StoreError, "readers"):
                    holder.show(first + 2, {"w": torch.full((1000,), 3.0)}, timeout=0.05)
                self.assertEqual(1.0, policy.get("w").max().item())
            holder.show(first + 2, {"w": torch.full((1000,), 3.0)})
            with reader.open_state_dict("policy", newer_than=first + 1, timeout=60) as policy:
                self.assertEqual(3.0, policy.get("w").min().item())

    def test_should_show_a_version_once_all_holders_do(self) -> None:
        one = self.holder(0, 2)
        other = self.holder(1, 2, token=one.token)
        reader = self.reader(one, other)

        def show(holder: Holder, rank: int) -> None:
            holder.show(1, {"m": Part(whole_matrix()[:, 3 * rank : 3 + 2 * rank], (0, 3 * rank), (7, 5))})

        show(one, 0)
        with self.assertRaisesRegex(StoreTimeoutError, other.address):
            reader.open_state_dict("policy", timeout=0.05)
        thread = threading.Thread(target=show, args=(other, 1))
        thread.start()
        with reader.open_state_dict("policy", timeout=60) as policy:
            self.assertTrue(torch.equal(whole_matrix(), policy.get("m")))
        thread.join()
        other.close()
        with self.assertRaisesRegex(StoreError, other.address):
            reader.open_state_dict("policy", newer_than=1, timeout=60)

    def test_should_take_from_readers_what_is_withdrawn(self) -> None:
        for share in WAYS:
            holder = self.holder(memory_bytes=4096)
            reader = self.reader(holder, share=share)
            holder.show(1, {"w": torch.full((1000,), 1.0)})
            policy = reader.open_state_dict("policy", timeout=60)
            view = policy.view("w") if share else policy.get("w")
            policy.check()
            holder.withdraw()
            holder.show(2, {"w": torch.full((1000,), 2.0)}, timeout=0)
            for read in (policy.check, lambda: policy.get("w"), lambda: policy.load({"w": torch.empty(1000)})):
                with self.assertRaisesRegex(StoreError, "has withdrawn version 1") as refused:
                    read()
                self.assertEqual("TOMBOLO_ABORTED", refused.exception.status)
            self.assertEqual(2.0 if share else 1.0, view.max().item())  # which is why the copy was refused
            policy.close()
            with reader.open_state_dict("policy", timeout=60) as policy:
                self.assertEqual(2.0, policy.get("w").min().item())

    def test_should_read_tensors_where_they_lie(self) -> None:
        print(f"seed {SEED}: TOMBOLO_SEED={SEED} repeats it", flush=True)
        dice = random.Random(SEED)
        torch.manual_seed(SEED)
        for share in WAYS:
            holder = self.holder(memory_bytes=64)  # too few for what is read
            reader = self.reader(holder, share=share)
            values = {f"{dtype}": drawn(dice, dtype, [4, 6]) for dtype in TYPES}
            values |= {f"{dtype} turned": drawn(dice, dtype, [6, 4]).t() for dtype in TYPES}
            values |= {f"{dtype} cut": drawn(dice, dtype, [9, 5, 4])[1:8:2, :, 1:3] for dtype in TYPES}
            values |= {"scalar": torch.tensor(7.5), "none": torch.empty(0, 3), "same": torch.ones(1).expand(5)}
            holder.register(3, {**values, "columns": Part(whole_matrix()[:, :3], (0, 0), (7, 3)), "config": b"lora"})
            with reader.open_state_dict("policy", timeout=60) as policy:
                for name, value in values.items():
                    self.assertEqual(bits(value), bits(policy.get(name)), name)
                    policy.verify(name)
                middle = policy.get("torch.float32 turned", (slice(1, 3), slice(2, 6)))
                self.assertEqual(bits(values["torch.float32 turned"][1:3, 2:]), bits(middle))
                self.assertTrue(torch.equal(whole_matrix()[:, :3], policy.get("columns")))
                self.assertEqual(b"lora", policy.get_bytes("config"))
                values["torch.int32"][3, 5] += 1
                with self.assertRaisesRegex(StoreError, "not what it shows") as changed:
                    policy.get("torch.int32")
                self.assertEqual("TOMBOLO_CORRUPT", changed.exception.status)
                with self.assertRaisesRegex(StoreError, "withdraw it first"):
                    holder.register(4, values)
                holder.withdraw()
                with self.assertRaisesRegex(StoreError, "has withdrawn version 3"):
                    policy.get("scalar")
            holder.register(4, values)
            with reader.open_state_dict("policy", newer_than=3, timeout=60) as policy:
                self.assertEqual(bits(values["torch.int32"]), bits(policy.get("torch.int32")))
            holder.withdraw()
            with self.assertRaisesRegex(TypeError, "show it"):
                holder.register(5, {"w": torch.empty(3, device="meta")})

    def test_should_withdraw_what_a_holder_registered_that_nobody_has_any_more(self) -> None:
        for share in WAYS:
            holder = Holder("policy", "run 1", memory_bytes=64)
            self.addCleanup(holder._volume.close)
            holder.register(1, {"w": torch.ones(1000)})
            with self.assertRaisesRegex(StoreError, "withdraw it first"):
                holder.register(2, {"w": torch.zeros(1000)})
            with self.reader(holder, share=share).open_state_dict("policy", timeout=60) as policy:
                gc.collect()
                self.assertTrue(torch.equal(torch.ones(1000), policy.get("w")))
                del holder
                gc.collect()
                with self.assertRaisesRegex(StoreError, "has withdrawn version 1"):
                    policy.get("w")

    def test_should_read_on_from_a_replica_of_a_holder_that_has_gone(self) -> None:
        for share in WAYS:
            one = self.holder(0, 2)
            other = self.holder(1, 2, token=one.token)
            for holder, own in ((one, "first"), (other, "second")):
                holder.show(1, {"both": whole_matrix(), own: torch.ones(3)})
            with self.reader(one, other, share=share).open_state_dict("policy", timeout=60) as policy:
                self.assertTrue(torch.equal(whole_matrix(), policy.get("both")))
                one.close()
                for _ in range(2):
                    self.assertTrue(torch.equal(whole_matrix(), policy.get("both")))
                self.assertTrue(torch.equal(torch.ones(3), policy.get("second")))
                with self.assertRaisesRegex(StoreError, one.address) as gone:
                    policy.get("first")
                self.assertEqual("TOMBOLO_PEER_FAILED", gone.exception.status)

    def test_should_open_new_versions_from_a_replica(self) -> None:
        for share in WAYS:
            one = self.holder(0, 2, replicas=2)
            other = self.holder(1, 2, token=one.token, replicas=2)
            for holder in (one, other):
                holder.show(1, {"w": torch.full((3,), 1.0)})
            reader = self.reader(one, other, share=share)
            reader.open_state_dict("policy", timeout=60).close()
            one.close()
            other.show(2, {"w": torch.full((3,), 2.0)})
            with reader.open_state_dict("policy", newer_than=1, timeout=60) as policy:
                self.assertEqual((2, [2.0] * 3), (policy.version, policy.get("w").tolist()))

    def test_should_refuse_replicas_that_differ(self) -> None:
        one = self.holder(0, 2, replicas=2)
        other = self.holder(1, 2, token=one.token, replicas=2)
        for value, holder in enumerate((one, other)):
            holder.show(1, {"w": torch.full((3,), float(value))})
        with self.assertRaisesRegex(StoreError, "are replicas, but") as refused:
            self.reader(one, other).open_state_dict("policy", timeout=60)
        self.assertEqual("TOMBOLO_MISMATCH", refused.exception.status)

    def test_should_bring_shards_of_ranks_to_others(self) -> None:
        self.assertEqual([[True, True]] * 4, run(hold_and_read, 4, self.holder().token, timeout=600))


def hold_and_read(rank: int, token: str) -> list[bool]:
    """Ranks 0 and 1 hold a matrix by rows, all read it by columns."""
    mesh = init_device_mesh("cpu", (4,))
    columns = distribute_tensor(torch.zeros(7, 5), mesh, [Shard(1)])
    same = distribute_tensor(torch.zeros(7, 5), mesh, [Replicate()])
    addresses: list[str | None] = [None] * 4
    holder = Holder("policy", "run 1", 2, rank, token=token) if rank < 2 else None
    dist.all_gather_object(addresses, holder and holder.address)
    if holder is not None:
        rows = slice(0, 4) if rank == 0 else slice(4, 7)
        holder.show(1, {"m": Part(whole_matrix()[rows], (rows.start, 0), (7, 5)), "same": whole_matrix() + 100})
    with Holders([each for each in addresses if each], token) as holders:
        with holders.open_state_dict("policy", timeout=120) as policy:
            policy.load({"m": columns, "same": same})
    dist.barrier()
    return [torch.equal(columns.full_tensor(), whole_matrix()), torch.equal(same.to_local(), whole_matrix() + 100)]


if __name__ == "__main__":
    unittest.main()
