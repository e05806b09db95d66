#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python3 bench/peers/rounds_test.py: which calls are asked for, and what is made of the ranks' answers."""
import unittest

import programs
import rounds


class RoundsTest(unittest.TestCase):
    def test_should_time_enough_calls_wherever_a_tail_is_told(self):
        for operation in rounds.OPERATIONS:
            for ranks in (2, 4):
                for first, last, _, calls in rounds.ranges(operation, ranks, is_quick=False):
                    if last <= programs.TELLING:
                        self.assertGreaterEqual(calls * ranks, 400, (operation, ranks, first))

    def test_should_measure_each_operation_at_all_sizes(self):
        for operation in rounds.OPERATIONS:
            sizes = programs.sizes(rounds.ranges(operation, 4, is_quick=False))
            self.assertEqual(sizes, [programs.least_size(operation, 4), 4096, 64 << 10, 1 << 20, 16 << 20, 64 << 20])

    def test_should_take_the_times_of_the_slowest_rank(self):
        told = programs.slowest("8 1.5 9 4\n8 2.5 3 2\n", 2)
        self.assertEqual(told, {8: (2.5, 9, 3)})

    def test_should_leave_out_a_size_that_a_rank_has_not_told(self):
        told = programs.slowest("8 1 2 3\n\nrank 1: not yet there\n8 1 2 3\n64 1 2 3\n", 2)
        self.assertEqual(list(told), [8])


if __name__ == "__main__":
    unittest.main()
