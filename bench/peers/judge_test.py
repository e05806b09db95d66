# SPDX-License-Identifier: Apache-2.0
"""python3 bench/peers/judge_test.py: what the targets say of made-up figures."""
import dataclasses
import unittest

import judge

PAIR = judge.Measured(size=8, ranks=2, processors=2, is_emulated=False, time=10, p99=90)
LONG = dataclasses.replace(PAIR, size=16 << 20, time=1000, p99=None, bound=700, open_mpi=1600, gloo=9000)
CROWD = dataclasses.replace(PAIR, ranks=4, gloo=60, open_mpi=5)
EMULATED = dataclasses.replace(PAIR, is_emulated=True, time=60, p99=100, device=45)


def mark(measured, **changed):
    return judge.mark(judge.conditions(dataclasses.replace(measured, **changed)))


class JudgeTest(unittest.TestCase):
    def test_should_ask_a_pair_for_a_time_where_vectors_are_short(self):
        self.assertEqual(mark(PAIR), "met")
        self.assertEqual(mark(PAIR, time=20.1), "MISSED")

    def test_should_ask_for_a_tail_where_ranks_have_cores_and_calls_tell_it(self):
        self.assertEqual(mark(PAIR, p99=101), "MISSED")
        self.assertEqual(mark(PAIR, p99=101, processors=1), "met")
        self.assertEqual(mark(PAIR, p99=None), "met")

    def test_should_ask_more_beside_open_mpi_at_64_kib(self):
        self.assertEqual(mark(PAIR, size=64 << 10, open_mpi=20), "met")
        self.assertEqual(mark(PAIR, size=64 << 10, open_mpi=19), "MISSED")
        self.assertEqual(mark(PAIR, size=1 << 20, open_mpi=15), "met")

    def test_should_ask_for_a_share_of_the_bound_where_vectors_are_long(self):
        self.assertEqual(mark(LONG), "met")
        self.assertEqual(mark(LONG, bound=590), "MISSED")
        self.assertEqual(mark(LONG, bound=None), "?")
        self.assertEqual(mark(LONG, bound=0), "met")
        self.assertIn("unknown: share of the bound ?%", judge.verdict(judge.conditions(dataclasses.replace(LONG, bound=None))))
        self.assertEqual(mark(LONG, open_mpi=1400), "MISSED")

    def test_should_hold_a_crowd_against_gloo_then_against_open_mpi(self):
        self.assertEqual(mark(CROWD), "met")
        self.assertEqual(mark(CROWD, gloo=49), "MISSED")
        self.assertEqual(mark(CROWD, size=64 << 10), "MISSED")

    def test_should_let_emulated_pairs_have_what_their_devices_take(self):
        self.assertEqual(mark(EMULATED), "met")
        self.assertEqual(mark(EMULATED, device=39), "MISSED")
        self.assertEqual(mark(EMULATED, size=64 << 10, p99=None), "-")
        self.assertEqual(mark(EMULATED, size=1 << 20, gloo=119), "MISSED")

    def test_should_hold_cold_calls_against_warm_ones_and_a_millisecond(self):
        self.assertEqual(mark(PAIR, cold=50), "met")
        self.assertEqual(mark(PAIR, cold=51), "MISSED")
        self.assertEqual(mark(LONG, cold=4900), "met")
        self.assertIn("not cold 1010 us (at most 1000)", judge.verdict(judge.conditions(dataclasses.replace(PAIR, cold=1010))))

    def test_should_not_call_met_what_nobody_knows(self):
        self.assertEqual(mark(CROWD, gloo=None), "?")
        self.assertEqual(mark(CROWD, gloo=None, cold=1000), "MISSED")
        self.assertEqual(judge.verdict([]), "-")


if __name__ == "__main__":
    unittest.main()
