# SPDX-License-Identifier: Apache-2.0
"""The tensor store from Python: every type, layout and device, in shared memory and over the connection."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import random
import signal
import threading
import unittest
import warnings
from typing import Any
from unittest import mock

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

from ranks import preload, run
from tombolo import _volume
from tombolo._memory import TYPES
from tombolo._parts import Maker, Outgoing, tensor_of
from tombolo.store import Cast, Part, Spec, Store, StoreError, StoreTimeoutError, Volume, Writers

preload("torch.distributed.tensor")

SEED = int(os.environ.get("TOMBOLO_SEED", random.randrange(1 << 30)))
WAYS = (True, False)


def bits(tensor: torch.Tensor) -> bytes:
    plain = tensor.detach().cpu().clone(memory_format=torch.contiguous_format).reshape(-1)
    return plain.view(torch.uint8).numpy().tobytes()


def drawn(dice: random.Random, dtype: torch.dtype, shape: list[int]) -> torch.Tensor:
    """Random bits of any type, of which a bool has but two."""
    size = dtype.itemsize
    raw = torch.randint(0, 2 if dtype == torch.bool else 256, (*shape, size), dtype=torch.uint8)
    return raw.view(dtype).reshape(shape) if shape else raw.view(dtype).reshape(())


class OneVolume(unittest.TestCase):
    volume: Volume

    @classmethod
    def setUpClass(cls) -> None:
        cls.volume = Volume(memory_bytes=64 << 20)
        cls.addClassCleanup(cls.volume.close)

    def connect(self, share: bool = True) -> Store:
        store = Store(self.volume.address, self.volume.token, share_memory=share)
        self.addCleanup(store.close)
        self.assertEqual(share, store.shares_memory)
        return store


class StoreTest(OneVolume):
    def test_should_give_back_all_types_and_layouts_bit_by_bit(self) -> None:
        print(f"seed {SEED}: TOMBOLO_SEED={SEED} repeats it", flush=True)
        dice = random.Random(SEED)
        torch.manual_seed(SEED)
        for share in WAYS:
            store = self.connect(share)
            put = {}
            for dtype in TYPES:
                for dims in range(4):
                    shape = [dice.randrange(0, 6) for _ in range(dims)]
                    tensor = drawn(dice, dtype, shape)
                    put[f"{dtype}/{dims}/plain"] = tensor
                    if dims > 1:
                        put[f"{dtype}/{dims}/turned"] = tensor.transpose(0, 1)
                        put[f"{dtype}/{dims}/cut"] = drawn(dice, dtype, [9, *shape[1:]])[1:8:2]
            version = store.put_state_dict("all", put)
            with store.open_state_dict("all") as snapshot:
                self.assertEqual(version, snapshot.version)
                self.assertEqual(list(put), snapshot.names)
                for name, tensor in put.items():
                    self.assertEqual(Spec(tensor.dtype, tuple(tensor.shape)), snapshot.spec(name))
                    self.assertEqual(bits(tensor), bits(snapshot.get(name)), name)
                    snapshot.verify(name)
                    place = torch.empty([2 * n for n in tensor.shape], dtype=tensor.dtype)
                    into = place[tuple(slice(None, None, 2) for _ in tensor.shape)]
                    self.assertIs(into, snapshot.get(name, into=into))
                    self.assertEqual(bits(tensor), bits(into), name)

    def test_should_give_parts(self) -> None:
        whole = torch.arange(4 * 5 * 6, dtype=torch.float64).reshape(4, 5, 6)
        for share in WAYS:
            store = self.connect(share)
            store.put("whole", whole)
            for part in [(slice(1, 3), slice(0, 5), slice(2, 4)), (slice(2, None),), (slice(1, 1),), ()]:
                self.assertTrue(torch.equal(whole[part], store.get("whole", part)), part)
            for wrong in [(slice(0, 5),), (slice(0, 4, 2),), (slice(0, 1),) * 4]:
                with self.assertRaises(ValueError):
                    store.get("whole", wrong)

    def test_should_load_many_in_few_calls(self) -> None:
        values = {f"w{rows}": torch.arange(rows * 4.0).reshape(rows, 4) for rows in range(20)}
        # bytes and reads of a call, and bytes in blocks; and how many calls there are then
        much = 1 << 20
        limits = [(much, much, much, 1), (1000, much, much, 3), (much, 6, much, 4), (much, much, 100, 8)]
        for share in WAYS:
            store = self.connect(share)
            store.put_state_dict("many", values)
            for most_bytes, most_reads, most_in_blocks, calls in limits:
                with (
                    self.subTest(share=share, calls=calls),
                    mock.patch("tombolo._snapshot.CALL_BYTES", most_bytes),
                    mock.patch("tombolo._volume.MAX_READS", most_reads),
                    mock.patch("tombolo._snapshot.BLOCK_BYTES", most_in_blocks),
                    mock.patch("tombolo._snapshot.call", wraps=_volume.call) as called,
                    store.open_state_dict("many") as snapshot,
                ):
                    # every second one is strided, and read to a block first
                    targets = {
                        name: torch.zeros(4, rows).t() if rows % 2 else torch.zeros(rows, 4)
                        for rows, name in enumerate(values)
                    }
                    snapshot.load(targets)
                    made = [each.args[0] for each in called.call_args_list].count("tombolo_snapshot_read_all")
                    self.assertEqual(0 if share else calls, made)
                    for got in (targets, snapshot.state_dict()):
                        self.assertEqual(list(values), list(got))
                        for name, value in values.items():
                            self.assertTrue(torch.equal(value, got[name]), name)

    def test_should_close_a_snapshot_again_that_could_not_be_given_back(self) -> None:
        store = self.connect()
        store.put("again", torch.ones(3))
        snapshot = store.open(["again"])
        refused = StoreError("TOMBOLO_DEADLINE", "other threads used it")
        with mock.patch("tombolo._snapshot.call", side_effect=refused), self.assertRaises(StoreError):
            snapshot.close()
        self.assertTrue(torch.equal(torch.ones(3), snapshot.get("again")))
        snapshot.close()
        with self.assertRaises(StoreError):
            snapshot.get("again")
        snapshot.close()

    def test_should_give_bytes_back(self) -> None:
        config = b'{"lora": 8}\0\xff'
        values: dict[str, bytes | bytearray | memoryview] = {
            "config": config, "none": b"", "changing": bytearray(config), "view": memoryview(config)[2:],
        }  # fmt: skip
        for share in WAYS:
            store = self.connect(share)
            store.put_batch({**values, "tensor": torch.tensor([[1, 2], [3, 4]], dtype=torch.int16).t()})
            for name, value in values.items():
                self.assertEqual(bytes(value), store.get_bytes(name))
            self.assertEqual(Spec(torch.uint8, (len(config),)), store.open(["config"]).spec("config"))
            self.assertEqual(bytes([1, 0, 3, 0, 2, 0, 4, 0]), store.get_bytes("tensor"))
            store.put_state_dict("described", {"w": torch.ones(2), "config": config})
            store.put_state_dict("described", {"config": config}, Writers(f"shared {share}", 1, 0))
            with store.open_state_dict("described") as snapshot:
                self.assertEqual(config, snapshot.get_bytes("config"))
                for kept in (config, bytearray(config), memoryview(config)):  # which would stay as they are
                    with self.assertRaisesRegex(TypeError, "get_bytes"):
                        snapshot.load({"config": kept})  # type: ignore[dict-item]

    def test_should_name_list_and_delete(self) -> None:
        store = self.connect()
        store.put_batch({f"layer/{i}": torch.ones(1) for i in range(3)})
        self.assertEqual([f"layer/{i}" for i in range(3)], store.keys("layer/"))
        with mock.patch.object(store, "keys", side_effect=AssertionError("lists all that begin so")):
            self.assertTrue(store.exists("layer/1"))
            self.assertFalse(store.exists("layer"))
        self.assertEqual(2, store.delete("layer/0", "layer/2", "nobody"))
        self.assertEqual(["layer/1"], store.keys("layer/"))
        store.put_batch({f"many/{i:04}/{'x' * 100}": torch.ones(1) for i in range(200)})
        self.assertEqual(200, len(store.keys("many/")))

    def test_should_not_disturb_readers_of_a_version(self) -> None:
        for share in WAYS:
            writer, reader = self.connect(share), self.connect(share)
            name = f"policy {share}"
            first = writer.put_state_dict(name, {"w": torch.full((100,), 1.0)})
            with reader.open_state_dict(name) as snapshot:
                for value in range(2, 6):
                    writer.put_state_dict(name, {"w": torch.full((100,), float(value))})
                self.assertTrue(torch.equal(torch.full((100,), 1.0), snapshot.get("w")))
                self.assertEqual(first, snapshot.version)
            with reader.open_state_dict(name) as snapshot:
                self.assertTrue(torch.equal(torch.full((100,), 5.0), snapshot.get("w")))
            self.assertIn(name, reader.state_dicts())
            self.assertEqual(2, writer.drop_state_dict(name))

    def test_should_open_the_versions_that_are_kept(self) -> None:
        for share in WAYS:
            store = self.connect(share)
            name = f"dated {share}"
            self.assertEqual([], list(store.versions(name)))
            put = [store.put_state_dict(name, {"w": torch.full((3,), float(value))}) for value in range(4)]
            self.assertEqual(put[2:], list(store.versions(name)))
            for version, value in zip(put[2:], (2.0, 3.0)):
                with store.open_kept(name, version) as snapshot:
                    self.assertEqual(version, snapshot.version)
                    self.assertEqual([value] * 3, snapshot.get("w").tolist())
            with self.assertRaisesRegex(StoreError, f"versions {put[2]} to {put[3]} are kept"):
                store.open_kept(name, put[1])

    def test_should_wait_for_what_is_newer(self) -> None:
        store, writer = self.connect(), self.connect()
        version = store.put_state_dict("awaited", {"w": torch.zeros(2)})
        with self.assertRaises(StoreTimeoutError) as late:
            store.open_state_dict("awaited", newer_than=version, timeout=0.05)
        self.assertEqual("TOMBOLO_DEADLINE", late.exception.status)
        thread = threading.Thread(target=writer.put_state_dict, args=("awaited", {"w": torch.ones(2)}))
        thread.start()
        with store.open_state_dict("awaited", newer_than=version, timeout=60) as snapshot:
            self.assertEqual(1.0, snapshot.get("w")[0].item())
        thread.join()

    def test_should_say_what_is_wrong(self) -> None:
        store = self.connect()
        store.put("x", torch.ones(2))
        cases = [
            (StoreError, "nobody", lambda: store.get("nobody")),
            (StoreError, "no state dict", lambda: store.open_state_dict("nobody")),
            (StoreError, "free", lambda: store.put("large", torch.empty(1 << 25))),
            (StoreError, "free", lambda: store.put("large", torch.empty(1 << 26)[::2])),
            (StoreError, "HOST:PORT", lambda: Store("nowhere", self.volume.token)),
            (StoreError, "TOMBOLO_TOKEN", lambda: Store(self.volume.address, "00" * 32)),
            (StoreError, "does not answer", lambda: Store("127.0.0.1:9", self.volume.token)),
            (TypeError, "complex64", lambda: store.put("x", torch.ones(2, dtype=torch.complex64))),
            (TypeError, "float", lambda: store.put("x", 1.0)),  # type: ignore[arg-type]
            (TypeError, "writers", lambda: store.put_state_dict("x", {"x": Part(torch.ones(1), (0,), (2,))})),
            (ValueError, "float32", lambda: store.get("x", into=torch.ones(2, dtype=torch.float64))),
            (ValueError, "shape", lambda: store.get("x", into=torch.ones(3))),
            (ValueError, "character 0", lambda: store.put("a\0b", torch.ones(1))),
        ]
        for kind, words, wrong in cases:
            with self.assertRaisesRegex(kind, words):
                wrong()
        self.assertEqual([1.0, 1.0], store.get("x").tolist())
        with store.open(["x"]) as snapshot:
            with self.assertRaises(KeyError):
                snapshot.get("y")
            store.close()
        with self.assertRaisesRegex(StoreError, "no volume"):
            store.put("x", torch.ones(1))

    def test_should_make_nothing_of_what_does_not_fit(self) -> None:
        tensors = {"small": torch.ones(4, 2).t(), "large": torch.empty(1 << 27)[::2]}
        for share in WAYS:
            store = self.connect(share)
            for cast in (None, Cast(torch.bfloat16, scaled=True)):
                for writers in (None, Writers(f"{share}, {cast}", 1, 0)):
                    with (
                        self.subTest(share=share, cast=cast, writers=writers),
                        mock.patch.object(Outgoing, "_copied") as copied,
                        mock.patch("tombolo._cast._found_scale") as scaled,
                        self.assertRaisesRegex(StoreError, "free"),
                    ):
                        store.put_state_dict("too large", tensors, writers, cast)
                    self.assertEqual((0, 0), (copied.call_count, scaled.call_count))

    def test_should_go_on_after_a_tensor_that_cannot_be_made(self) -> None:
        tensors = {"first": torch.ones(4, 2).t(), "second": torch.ones(2, 4).t()}
        for share in WAYS:
            store = self.connect(share)
            for writers in (None, Writers(f"failing {share}", 1, 0)):
                copied = mock.patch.object(Outgoing, "_copied", side_effect=[None, MemoryError("on purpose")])
                with self.subTest(share=share, writers=writers):
                    with copied, self.assertRaisesRegex(MemoryError, "on purpose"):
                        store.put_state_dict("unmade", tensors, writers)
                    self.assertNotIn("unmade", store.state_dicts())
            store.put_state_dict("made", tensors, Writers(f"made {share}", 1, 0))
            store.put_state_dict("made", tensors)
            with store.open_state_dict("made") as snapshot:
                self.assertTrue(torch.equal(tensors["second"], snapshot.get("second")))

    def test_should_go_on_after_a_close_in_the_middle_of_a_put(self) -> None:
        turned = torch.arange(8.0).reshape(4, 2).t()
        for share in WAYS:
            store = self.connect(share)
            closing = mock.patch.object(Outgoing, "_copied", side_effect=lambda *_: store.close())
            with self.subTest(share=share):
                with closing, self.assertRaisesRegex(StoreError, "close"):
                    store.put("closing", turned)
                self.assertFalse(store.exists("closing"))
                store.put("closing", turned)
                self.assertTrue(torch.equal(turned, store.get("closing")))
                self.assertEqual(1, store.delete("closing"))
                store.close()
                store.close()

    def test_should_put_bytes_from_where_they_lie(self) -> None:
        config = b"config" * 1000
        changing = bytearray(config)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for value in (config, memoryview(changing), changing):
                one, other = tensor_of(value), tensor_of(value)  # both at once: one after the other may lie in the same place
                self.assertEqual(one.data_ptr(), other.data_ptr())
            del value, other
            with self.assertRaises(BufferError):
                changing.append(0)  # would have the memory elsewhere
            del one
            changing.append(0)
            changing.pop()
            for view in (memoryview(config), memoryview(changing)[::2]):
                self.assertEqual(bytes(view), bits(tensor_of(view)))
            kept = [tensor_of(bytes([number]) * 5000) for number in range(50)]
        for number, tensor in enumerate(kept):  # which nobody else has
            self.assertEqual(bytes([number]) * 5000, bits(tensor))

    def test_should_see_nothing_of_a_writer_that_dies(self) -> None:
        store = self.connect()
        store.put_state_dict("mortal", {"w": torch.zeros(1 << 20)})
        context = multiprocessing.get_context("spawn")
        for _ in range(2):
            told = context.SimpleQueue()
            writer = context.Process(target=write_for_ever, args=(self.volume.address, self.volume.token, told))
            writer.start()
            told.get()  # it has put its first
            os.kill(writer.pid or 0, signal.SIGKILL)
            writer.join()
            with store.open_state_dict("mortal") as snapshot:
                seen = snapshot.get("w")
                snapshot.verify("w")
                self.assertTrue(torch.equal(seen, seen[0].expand(1 << 20)))


def write_for_ever(address: str, token: str, told: multiprocessing.SimpleQueue[None]) -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with the tests
    store = Store(address, token)
    value = 0.0
    while True:
        value += 1
        store.put_state_dict("mortal", {"w": torch.full((1 << 20,), value)})
        if value == 1:
            told.put(None)


def whole_matrix() -> torch.Tensor:
    return torch.arange(7 * 5, dtype=torch.float32).reshape(7, 5)


def write_shards(rank: int, address: str, token: str) -> int:
    mesh = init_device_mesh("cpu", (4,))
    rows = distribute_tensor(whole_matrix(), mesh, [Shard(0)])
    same = distribute_tensor(whole_matrix() + 100, mesh, [Replicate()])
    grid = init_device_mesh("cpu", (2, 2))
    tiles = distribute_tensor(whole_matrix() + 200, grid, [Shard(0), Shard(1)])
    pairs = distribute_tensor(whole_matrix() + 300, grid, [Replicate(), Shard(0)])
    with Store(address, token) as store:
        writers = Writers("step 1", 4, rank, patience=120)
        tensors = {"rows": rows, "same": same, "tiles": tiles, "pairs": pairs, "plain": torch.ones(3)}
        return store.put_state_dict("sharded", tensors, writers)


def read_grid(rank: int, address: str, token: str) -> list[bool]:
    grid = init_device_mesh("cpu", (2, 2))
    placements = {"tiles": [Replicate(), Shard(0)], "pairs": [Shard(0), Shard(1)], "rows": [Shard(1), Shard(0)]}
    found = {name: distribute_tensor(torch.zeros(7, 5), grid, each) for name, each in placements.items()}
    with Store(address, token) as store, store.open_state_dict("sharded", newer_than=0, timeout=60) as snapshot:
        snapshot.load(found)
    wanted = {"tiles": whole_matrix() + 200, "pairs": whole_matrix() + 300, "rows": whole_matrix()}
    return [torch.equal(found[name].full_tensor(), whole) for name, whole in wanted.items()]


def read_shards(rank: int, address: str, token: str) -> list[bool]:
    mesh = init_device_mesh("cpu", (2,))
    columns = distribute_tensor(torch.zeros(7, 5), mesh, [Shard(1)])
    mine = distribute_tensor(torch.zeros(7, 5), mesh, [Shard(0)])
    with Store(address, token) as store, store.open_state_dict("sharded", newer_than=0, timeout=60) as snapshot:
        snapshot.load({"rows": columns, "same": mine})
    found: list[DTensor] = [columns, mine]
    wanted = [whole_matrix(), whole_matrix() + 100]
    return [torch.equal(one.full_tensor(), other) for one, other in zip(found, wanted)]


class MakerTest(unittest.TestCase):
    """What a maker does with what its tensors cannot be made for, whatever C does then."""

    def call(self, failures: list[BaseException | None], end: BaseException | None) -> list[int]:
        """Asks for a tensor so often, of which each time fails so, and ends so; what C was answered."""
        answers = []

        def asking(function: str, maker: Any, version: None) -> None:
            for _ in failures:
                answers.append(maker._obj.make(None, 0, ctypes.pointer(_volume.Made())))
            if end is not None:
                raise end

        part = mock.Mock()
        part.made.side_effect = [(torch.ones(1), None) if failure is None else failure for failure in failures]
        with mock.patch("tombolo._volume.call", side_effect=asking):
            Maker({"w": part}, mock.Mock()).call("put", None)
        return answers

    def test_should_forget_what_failed_and_then_went_well(self) -> None:
        self.assertEqual([1, 0], self.call([MemoryError(), None], None))
        with self.assertRaisesRegex(StoreError, "another"):
            self.call([MemoryError(), None], StoreError("TOMBOLO_DEADLINE", "another"))

    def test_should_raise_what_the_last_try_failed_with(self) -> None:
        with self.assertRaisesRegex(MemoryError, "last"):
            self.call([None, MemoryError("last")], StoreError("TOMBOLO_USAGE", "could not make"))

    def test_should_raise_an_interrupt_whatever_came_of_it(self) -> None:
        for end in (None, StoreError("TOMBOLO_USAGE", "could not make")):
            with self.subTest(end=end), self.assertRaises(KeyboardInterrupt):
                self.call([KeyboardInterrupt(), None], end)


class ShardedTest(OneVolume):
    def test_should_bring_shards_of_4_ranks_to_others(self) -> None:
        versions = run(write_shards, 4, self.volume.address, self.volume.token, timeout=600)
        self.assertEqual({versions[0]}, set(versions))
        read = run(read_shards, 2, self.volume.address, self.volume.token, timeout=600)
        self.assertEqual([[True, True]] * 2, read)
        with self.connect().open_state_dict("sharded") as snapshot:
            self.assertTrue(torch.equal(whole_matrix() + 200, snapshot.get("tiles")))
            self.assertTrue(torch.equal(whole_matrix() + 300, snapshot.get("pairs")))
        read = run(read_grid, 4, self.volume.address, self.volume.token, timeout=600)
        self.assertEqual([[True, True, True]] * 4, read)


if __name__ == "__main__":
    unittest.main()
