# SPDX-License-Identifier: Apache-2.0
"""torch.distributed.checkpoint loads what is in the store."""

from __future__ import annotations

import unittest

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

from ranks import preload, run
from tombolo.checkpoint import StoreReader
from tombolo.store import Holder, Holders, Part, Snapshot, Store, Volume

preload("torch.distributed.tensor", "torch.distributed.checkpoint")


def matrix() -> torch.Tensor:
    return torch.arange(35, dtype=torch.float32).reshape(7, 5)


def refusal(snapshot: Snapshot) -> str:
    try:
        dcp.load({"w": torch.zeros(3)}, storage_reader=StoreReader(snapshot))
    except dcp.CheckpointException as error:
        return str(error)
    return "loaded"


def load(rank: int, address: str, token: str) -> tuple[list[bool], str, str]:
    mesh = init_device_mesh("cpu", (2,))
    cut = distribute_tensor(torch.zeros(7, 5), mesh, [Shard(1)])
    same = distribute_tensor(torch.zeros(7, 5), mesh, [Replicate()])
    plain = torch.zeros(7, 5)
    with Store(address, token) as store:
        with store.open_state_dict("policy") as policy:
            dcp.load({"model": {"cut": cut, "same": same}, "plain": plain}, storage_reader=StoreReader(policy))
        found = [torch.equal(each, matrix() + i) for i, each in enumerate((cut.full_tensor(), same.to_local(), plain))]
        with store.open_state_dict(f"policy {rank}") as policy, store.open(["w"]) as tensors:
            return found, refusal(policy), refusal(tensors)


class CheckpointTest(unittest.TestCase):
    def setUp(self) -> None:
        self.volume = Volume(memory_bytes=16 << 20)
        self.addCleanup(self.volume.close)
        self.store = Store(self.volume.address, self.volume.token)
        self.addCleanup(self.store.close)

    def test_should_load_what_each_rank_wants_of_one_version(self) -> None:
        values = {"model.cut": matrix(), "model.same": matrix() + 1, "plain": matrix() + 2, "more": matrix()}
        self.store.put_state_dict("policy", values)
        for name in ("policy 0", "policy 1", "policy 1"):
            self.store.put_state_dict(name, {"w": torch.ones(3)})
        self.store.put("w", torch.ones(3))
        for found, unequal, unknown in run(load, 2, self.volume.address, self.volume.token, timeout=600):
            self.assertEqual([True, True, True], found)
            self.assertIn("ranks have opened versions [1, 2]", unequal)
            self.assertIn("no version that ranks could compare", unknown)

    def test_should_load_other_types_and_layouts(self) -> None:
        self.store.put_state_dict("policy", {"w": matrix(), "scalar": torch.tensor(7.5), "none": torch.zeros(0, 3)})
        columns, wide, scalar = torch.zeros(5, 7).t(), torch.zeros(7, 5, dtype=torch.float64), torch.tensor(0.0)
        none = torch.zeros(0, 3)
        for share in (True, False):
            with Store(self.volume.address, self.volume.token, share_memory=share) as store:
                with store.open_state_dict("policy") as policy:
                    dcp.load({"w": columns, "scalar": scalar, "none": none}, storage_reader=StoreReader(policy))
                    dcp.load({"w": wide}, storage_reader=StoreReader(policy))
            self.assertTrue(torch.equal(matrix(), columns))
            self.assertTrue(torch.equal(matrix().double(), wide))
            self.assertEqual(7.5, scalar.item())
            for each in (columns, wide, scalar):
                each.zero_()

    def test_should_load_from_holders_what_each_has_a_part_of(self) -> None:
        with Holder("policy", "run 1", 2, 0) as one, Holder("policy", "run 1", 2, 1, token=one.token) as other:
            for holder, begin, end in ((one, 0, 4), (other, 4, 7)):
                held = {"w": Part(matrix()[begin:end], (begin, 0), (7, 5)), "same": torch.ones(3)}
                holder.show(1, held)
            for share in (True, False):
                columns, same = torch.zeros(5, 7).t(), torch.zeros(3)
                with Holders([one.address, other.address], one.token, share_memory=share) as holders:
                    with holders.open_state_dict("policy", timeout=60) as policy:
                        dcp.load({"w": columns, "same": same}, storage_reader=StoreReader(policy))
                self.assertTrue(torch.equal(matrix(), columns))
                self.assertTrue(torch.equal(torch.ones(3), same))

    def test_should_refuse_what_is_not_there(self) -> None:
        self.store.put_state_dict("policy", {"w": matrix()})
        with self.store.open_state_dict("policy") as policy:
            for wanted, words in (({"v": matrix()}, "Missing key"), ({"w": torch.zeros(7)}, "Size mismatch")):
                with self.assertRaisesRegex(dcp.CheckpointException, words):
                    dcp.load(wanted, storage_reader=StoreReader(policy))


if __name__ == "__main__":
    unittest.main()
