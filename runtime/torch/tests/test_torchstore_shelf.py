# SPDX-License-Identifier: Apache-2.0
"""The memory that a storage volume of torchstore shares, each side of it alone."""

from __future__ import annotations

import itertools
import unittest
import unittest.mock
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import torch

from tombolo._shelf import Gone, Place, Reach, Shelf, as_bytes, part_of, view_of
from tombolo.store import Store, StoreError, Volume


class PlaceTest(unittest.TestCase):
    """Which part of a tensor's bytes a view of it is."""

    def test_should_find_every_slice(self) -> None:
        whole = torch.arange(3 * 4 * 5, dtype=torch.int16).reshape(3, 4, 5)
        rows = as_bytes(whole)
        spans = [[(begin, end) for end in range(1, length + 1) for begin in range(end)] for length in whole.shape]
        for each in itertools.product(*spans):
            view = whole[tuple(slice(*span) for span in each)]
            part = part_of(rows.shape, Place("w", view.stride(), view.storage_offset()), view)
            self.assertEqual([*map(slice, *zip(*each[:-1])), slice(2 * each[-1][0], 2 * each[-1][1])], part)

    def test_should_take_no_other_view_for_a_part(self) -> None:
        whole = torch.arange(24.0).reshape(4, 6)
        for view in (whole.t(), whole[::2], whole[:, ::3], whole.view(6, 4), whole.view(-1), whole[0]):
            place = Place("w", view.stride(), view.storage_offset())
            self.assertIsNone(part_of(as_bytes(whole).shape, place, view), view.stride())
            self.assertTrue(torch.equal(view, view_of(as_bytes(whole), place, view)))
        scalar = torch.tensor(7.0)
        self.assertEqual([slice(0, 4)], part_of(as_bytes(scalar).shape, Place("s", (), 0), scalar))


class ReachTest(unittest.TestCase):
    """A client, on a volume's memory."""

    def test_should_leave_nothing_that_was_copied_for_a_get_in_vain(self) -> None:
        with Volume() as volume, Store(volume.address, volume.token) as store:
            store.put("copied", torch.zeros(4, dtype=torch.uint8))
            places = [Place("copied", (1,), 0, passing=True), Place("replaced", (1,), 0)]
            with self.assertRaises(Gone):
                Reach("client", store).get([(place, torch.zeros(1)) for place in places])
            self.assertEqual([], store.keys())

    def test_should_withdraw_in_silence_what_can_be_reached_no_more(self) -> None:
        """Nobody waits for that, so asyncio would print the error, after the one that the request has failed by."""
        with Volume() as volume, Store(volume.address, volume.token) as store:
            store.put("w", torch.zeros(1))
            reach = Reach("client", store)
            reach.withdraw(["w"])
            self.assertEqual([], store.keys())
            reach.leave()
            reach.withdraw(["w"])

    def test_should_have_who_gets_ask_again_once_the_store_has_been_left(self) -> None:
        """As a request does that fails, also under those beside it."""
        with Volume() as volume, Store(volume.address, volume.token) as store:
            reach = Reach("client", store)
            reach.leave()
            with self.assertRaises(Gone):
                reach.get([(Place("copied", (1,), 0, passing=True), torch.zeros(1))])

    def test_should_leave_nothing_that_was_copied_for_a_get_that_is_refused(self) -> None:
        store = unittest.mock.Mock()
        store.open.side_effect = StoreError("TOMBOLO_RESOURCE", "")
        with self.assertRaises(StoreError):
            Reach("client", store).get([(Place("copied", (1,), 0, passing=True), torch.zeros(1))])
        store.delete.assert_called_once_with("copied")

    def test_should_unmap_nothing_that_is_being_copied(self) -> None:
        with Volume() as volume, Store(volume.address, volume.token) as store:
            store.put("w", torch.arange(3.0).view(torch.uint8))
            target = torch.zeros(3)
            free = list[bool]()

            def try_turn() -> None:  # as who closes does
                free.append(store._turn.acquire(blocking=False))
                if free[-1]:
                    store._turn.release()

            def looks(*arguments: Any) -> torch.Tensor:
                with ThreadPoolExecutor(1) as another:
                    another.submit(try_turn).result()
                return view_of(*arguments)

            with unittest.mock.patch("tombolo._shelf.view_of", looks):
                Reach("client", store).get([(Place("w", (1,), 0), target)])
            self.assertEqual([False], free)
            self.assertEqual([0.0, 1.0, 2.0], target.tolist())


class DroppedTest(unittest.TestCase):
    """Tensors whose last views end in several threads, or in the middle of one another, and those that nobody gets."""

    def setUp(self) -> None:
        self.shelf = Shelf()
        self.shelf._volume, self.shelf._store, self.shelf._loop = unittest.mock.Mock(), unittest.mock.Mock(), self
        self.shelf._names = {1: "one", 2: "two"}
        self.soon: list[Callable[[], None]] = []

    def call_soon_threadsafe(self, call: Callable[..., None], *arguments: Any) -> None:
        self.soon.append(partial(call, *arguments))

    def run_in_executor(self, _: None, call: Callable[[], None]) -> None:
        self.soon.append(call)

    def deleted(self) -> list[str]:
        while self.soon:
            self.soon.pop(0)()
        return sorted(name for call in self.shelf._store.delete.call_args_list for name in call.args)

    def test_should_delete_what_ends_while_others_are_deleted(self) -> None:
        class Names(dict[int, str]):
            def pop(names, address: int) -> str:
                self.shelf._delete_dropped()
                return super().pop(address)

        self.shelf._names = Names(self.shelf._names)
        self.shelf._let_go(1)
        self.assertEqual(["one"], self.deleted())
        self.shelf._let_go(2)
        self.assertEqual(["one", "two"], self.deleted())

    def test_should_delete_what_ends_while_another_does(self) -> None:
        class Dropped(list[str]):
            def append(dropped, name: str) -> None:
                super().append(name)
                if len(dropped) == 1:
                    self.shelf._let_go(2)

        self.shelf._dropped = Dropped()
        self.shelf._let_go(1)
        self.assertEqual(["one", "two"], self.deleted())

    def test_should_look_for_what_it_has_copied_and_nobody_gets(self) -> None:
        """As a client that is cancelled does not hear of it."""
        self.shelf.places([torch.zeros(3)], "near")
        self.assertEqual([self.shelf._look], [call.func for call in self.soon])
        self.shelf._suspects = set()
        self.shelf._store.keys.return_value = ["near/0", "near/passing/0"]  # the first one the volume has yet to be told of
        for _ in range(2):
            self.shelf._delete_forgotten()
        self.shelf._store.delete.assert_called_once_with("near/passing/0")

    def test_should_leave_nothing_of_tensors_that_cannot_all_be_copied(self) -> None:
        self.shelf._store.put.side_effect = [None, None, StoreError("TOMBOLO_RESOURCE", "on purpose")]
        with self.assertRaisesRegex(StoreError, "on purpose"):
            self.shelf.places([torch.zeros(3), None, torch.zeros(3), torch.zeros(3)], "near")
        self.shelf._store.delete.assert_called_once_with("near/passing/0", "near/passing/1")

    def test_should_delete_what_a_far_client_has_left_unknown_for_long(self) -> None:
        self.shelf._names = {1: "far/a/0"}
        self.shelf._suspects = set()
        left = ["far/a/0", "far/a/1"]
        self.shelf._store.keys.side_effect = lambda prefix: [name for name in left if name.startswith(prefix)]
        self.shelf._delete_forgotten()
        self.shelf._store.delete.assert_not_called()
        left.append("far/a/2")  # which is new
        self.shelf._delete_forgotten()
        self.shelf._store.delete.assert_called_once_with("far/a/1")
        self.assertEqual({"far/a/2"}, self.shelf._suspects)
        with unittest.mock.patch.object(self.shelf._store, "keys", side_effect=StoreError("TOMBOLO_DEADLINE", "")):
            self.assertRaises(StoreError, self.shelf._delete_forgotten)
        self.shelf._volume = None
        self.shelf._delete_forgotten()
        self.assertIsNone(self.shelf._suspects)
        self.assertEqual(3, len(self.soon), "looks again as long as there is a volume")


if __name__ == "__main__":
    unittest.main()
