# SPDX-License-Identifier: Apache-2.0
"""Checksums that a device does not compute: a put goes on without them wherever it went on before devices did."""

from __future__ import annotations

import unittest
from unittest import mock

import torch

from tombolo import _volume
from tombolo._sums import Sums


def on_a_device(index: int = 0) -> torch.Tensor:
    """What is asked of a tensor that lies on a device, of which this host need have none."""
    answers = {"numel.return_value": 2, "data_ptr.return_value": 64}
    return mock.Mock(device=torch.device("cuda", index), nbytes=8, **answers)


class SumsTest(unittest.TestCase):
    def times_asked(self, status: str) -> int:
        """For the checksums of two tensors, by a library that answers each with that status."""
        sums = Sums()
        with mock.patch.object(_volume, "call", side_effect=_volume.StoreError(status, "")) as call:
            for _ in range(2):
                self.assertIsNone(sums.of(on_a_device()))
        return call.call_count

    def test_should_ask_a_device_once_that_computes_none_or_is_full(self) -> None:
        for status in ("TOMBOLO_UNSUPPORTED", "TOMBOLO_UNAVAILABLE", "TOMBOLO_RESOURCE"):
            with self.subTest(status):
                self.assertEqual(1, self.times_asked(status))

    def test_should_ask_on_after_memory_that_is_not_the_devices_own(self) -> None:
        self.assertEqual(2, self.times_asked("TOMBOLO_USAGE"))

    def test_should_not_keep_quiet_about_a_device_that_fails(self) -> None:
        for status in ("TOMBOLO_VENDOR", "TOMBOLO_DEADLINE"):
            with self.subTest(status), self.assertRaises(_volume.StoreError):
                self.times_asked(status)

    def test_should_have_no_more_time_than_its_connection(self) -> None:
        for sums, wanted in ((Sums(1500), 1500), (Sums(), 0)):
            with self.subTest(wanted), mock.patch.object(_volume, "call") as call:
                self.assertEqual(0, sums.of(on_a_device()))
                self.assertEqual(wanted, call.call_args.args[1]._obj.timeout_ms)

    def test_should_ask_each_device_and_only_for_bytes(self) -> None:
        sums = Sums()
        with mock.patch.object(_volume, "call") as call:
            self.assertEqual([0, 0], [sums.of(on_a_device(index)) for index in range(2)])
            self.assertIsNone(sums.of(mock.Mock(device=torch.device("cuda", 0), **{"numel.return_value": 0})))
        self.assertEqual([0, 1], [asked.args[1]._obj.device for asked in call.call_args_list])


if __name__ == "__main__":
    unittest.main()
