# SPDX-License-Identifier: Apache-2.0
"""Tensors narrowed on their way to readers, compared with the nearest number of the narrow type, found by search."""

from __future__ import annotations

import unittest
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from tombolo.store import Cast, Holder, Holders, Part, Snapshot, Store, Volume

NARROW = (torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2)


def floats() -> torch.Tensor:
    """Bit patterns of f32 all over its range, with those in whose middle narrow types round, and their neighbours."""
    all_over = torch.arange(-(1 << 31), 1 << 31, 9973)
    middles = torch.arange(-(1 << 31), 1 << 31, 1 << 15)
    return torch.cat([all_over, middles, middles[1:] - 1, middles[:-1] + 1]).to(torch.int32).view(torch.float32)


def nearest(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """What they round to, halves to even, as f64: even numbers have even bit patterns. Of no NaN."""
    unsigned = torch.arange(1 << 8 * dtype.itemsize - 1, dtype=torch.int32)
    numbers = unsigned.to(torch.uint8 if dtype.itemsize == 1 else torch.int16).view(dtype).double()
    numbers = numbers[numbers.isfinite()]
    step = numbers[-1] - numbers[-2]
    ladder = torch.cat([numbers, numbers[-1:] + step])  # where the next would be, which has an even pattern or none
    magnitudes = values.double().abs()
    above = torch.searchsorted(ladder, magnitudes).clamp(max=len(ladder) - 1)
    below = (above - 1).clamp(min=0)
    up, down = (ladder[above] - magnitudes).abs(), (magnitudes - ladder[below]).abs()
    chosen = torch.where((up < down) | ((up == down) & (above % 2 == 0)), above, below)
    rounded = torch.where(chosen == len(numbers), torch.tensor(torch.inf).double(), ladder[chosen])
    return rounded.copysign(values.double())


class CastTest(unittest.TestCase):
    @contextmanager
    def shown(self, tensors: dict[str, torch.Tensor], cast: Cast) -> Iterator[Iterator[Snapshot]]:
        """Snapshots of what was shown and put: in one hop and through a volume, by memory and by the connection."""

        def snapshots() -> Iterator[Snapshot]:
            for share in (True, False):
                with Holders([holder.address], holder.token, share_memory=share) as holders:
                    with holders.open_state_dict("policy", timeout=60) as policy:
                        yield policy
                with Store(volume.address, volume.token, share_memory=share) as store:
                    version = store.put_state_dict("policy", tensors, cast=cast)
                    with store.open_state_dict("policy", newer_than=version - 1) as policy:
                        yield policy

        with Holder("policy", "run 1", memory_bytes=64 << 20) as holder, Volume(memory_bytes=64 << 20) as volume:
            holder.show(1, tensors, cast=cast)
            yield snapshots()

    def test_should_round_to_the_nearest_and_keep_what_is_no_number(self) -> None:
        for dtype in NARROW:
            values = floats()
            if dtype == torch.float8_e4m3fn:  # larger ones become NaN or 448, by torch's version
                values = values[~(values.abs() > 464)]
            numbers = ~values.isnan()
            wanted = nearest(values[numbers], dtype)
            with self.shown({"w": values, "step": torch.tensor(7)}, Cast(dtype)) as snapshots:
                for policy in snapshots:
                    got = policy.get("w")
                    self.assertEqual(dtype, got.dtype)
                    wide = got.double()
                    self.assertTrue(torch.equal(wanted, wide[numbers]), dtype)
                    self.assertTrue(torch.equal(wanted.signbit(), wide[numbers].signbit()), dtype)
                    self.assertTrue(wide[~numbers].isnan().all().item(), dtype)
                    self.assertEqual(7, policy.get("step").item())

    def test_should_keep_a_scale_beside_what_is_scaled(self) -> None:
        values = torch.randn(200, 30, generator=torch.manual_seed(8)) * 1e-3
        values[3, 4] = -0.0625
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
            most = torch.finfo(dtype).max
            with self.shown({"w": values, "zero": torch.zeros(3)}, Cast(dtype, scaled=True)) as snapshots:
                for policy in snapshots:
                    scale = policy.get("w.scale")
                    self.assertEqual((torch.float32, ()), (scale.dtype, tuple(scale.shape)))
                    self.assertEqual(torch.tensor(0.0625 / most, dtype=torch.float32), scale)
                    self.assertEqual(-most, policy.get("w")[3, 4].item())
                    wanted = nearest((values / scale).reshape(-1), dtype).reshape(200, 30)
                    self.assertTrue(torch.equal(wanted, policy.get("w").double()))
                    restored = policy.widened("w", (slice(3, 5),))
                    self.assertTrue(torch.equal(wanted[3:5].float() * scale, restored))
                    self.assertEqual([0.0] * 3, policy.widened("zero").tolist())

    def test_should_need_the_scale_of_parts(self) -> None:
        whole = torch.arange(12.0).reshape(4, 3)
        with Holder("policy", "run 1", 2, 0) as one, Holder("policy", "run 1", 2, 1, token=one.token) as other:
            for rank, holder in enumerate((one, other)):
                part = Part(whole[2 * rank : 2 * rank + 2], (2 * rank, 0), (4, 3))
                with self.assertRaisesRegex(ValueError, "scales"):
                    holder.show(1, {"w": part}, cast=Cast(torch.float8_e5m2, scaled=True))
                holder.show(1, {"w": part}, cast=Cast(torch.float8_e5m2, scales={"w": 0.5}))
            with Holders([one.address, other.address], one.token) as holders:
                with holders.open_state_dict("policy", timeout=60) as policy:
                    self.assertTrue(torch.equal((whole / 0.5).to(torch.float8_e5m2).float() * 0.5, policy.widened("w")))
            with self.assertRaisesRegex(ValueError, "of that name"):
                one.show(2, {"w": whole, "w.scale": whole}, cast=Cast(torch.float8_e5m2, scaled=True))


if __name__ == "__main__":
    unittest.main()
