# SPDX-License-Identifier: Apache-2.0
"""Processes that are ranks of one case after the other: each case sees what a new process would show it."""

from __future__ import annotations

import os
import sys
import time
import unittest
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any
from unittest import mock

from kept_ranks import KeptRanks, Turn

LIMIT_S = 60


def tell(pipe: Connection, names: list[str]) -> None:
    """Who this is, and what these variables are; and leaves one more."""
    pipe.send([os.getpid(), *(os.environ.get(name) for name in names)])
    os.environ["LEFT"] = "here"


def end_by(what: Any) -> None:
    sys.exit(what)


def fail() -> None:
    raise ValueError("as told")


def end_at_once(status: int) -> None:
    os._exit(status)


def read_to_the_end() -> None:
    raise EOFError("as told")


def wait_for_ever() -> None:
    own, _far = Pipe()
    own.recv()


def end_of(turn: Turn) -> int | None:
    end = time.monotonic() + LIMIT_S
    while turn.exitcode is None and time.monotonic() < end:
        time.sleep(0.01)  # fixed time: between two looks
    return turn.exitcode


class KeptRanksTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ranks = KeptRanks()
        self.addCleanup(self.ranks.leave)

    def status(self, call: Any, *arguments: Any, rank: int = 0) -> int | None:
        turn = self.ranks.turn(rank, call, *arguments)
        turn.start()
        return end_of(turn)

    def told(self, *names: str, rank: int = 0) -> list[Any]:
        own, far = Pipe()
        self.assertEqual(0, self.status(tell, far, list(names), rank=rank))
        return own.recv()

    def test_should_use_a_process_again_after_a_good_end(self) -> None:
        first, other = self.told()[0], self.told(rank=1)[0]
        self.assertNotEqual(first, other)
        self.assertEqual(0, self.status(end_by, 0))
        self.assertEqual(0, self.status(end_by, None))
        self.assertEqual([first], self.told())
        self.assertEqual([other], self.told(rank=1))

    def test_should_begin_with_new_processes_after_any_other_end(self) -> None:
        ends = [(end_by, (10,), 10), (end_by, ("why",), 1), (fail, (), 1), (read_to_the_end, (), 1)]
        for call, arguments, status in [*ends, (end_at_once, (0,), 1), (end_at_once, (7,), 7)]:
            with self.subTest(call=call, arguments=arguments):
                before = {self.told(rank=rank)[0] for rank in (0, 1)}
                self.assertEqual(status, self.status(call, *arguments, rank=1))
                self.assertFalse(before & {self.told(rank=rank)[0] for rank in (0, 1)})

    def test_should_end_what_does_not_end(self) -> None:
        before = self.told()[0]
        turn = self.ranks.turn(0, wait_for_ever)
        turn.start()
        self.assertIsNone(turn.exitcode)
        turn.terminate()
        self.assertEqual(-9, end_of(turn))
        self.assertNotEqual(before, self.told()[0])

    def test_should_give_each_call_the_environment_of_its_time(self) -> None:
        with mock.patch.dict(os.environ, OWN="first"):
            first = self.told("OWN", "LEFT")
        self.assertEqual([first[0], None, None], self.told("OWN", "LEFT"))
        self.assertEqual(["first", None], first[1:])

    def test_should_leave_no_process(self) -> None:
        pids = [self.told(rank=rank)[0] for rank in (0, 1)]
        self.ranks.leave()
        self.assertFalse([pid for pid in pids if Path(f"/proc/{pid}").exists()])


if __name__ == "__main__":
    unittest.main()
