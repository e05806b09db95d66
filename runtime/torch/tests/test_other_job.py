# SPDX-License-Identifier: Apache-2.0
"""Jobs that were started apart meet, exchange messages, and outlive each other."""

from __future__ import annotations

import os
import secrets
import signal
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

import tombolo
from ranks import TIMEOUT, free_port, run

TRAINERS = 2  # the first processes, one job; each of the others is a job of its own
VENDORS = ["host", "host", "emu-intel", "emu-intel"]
VALUES = [
    torch.arange(7, dtype=torch.int64),
    torch.arange(12, dtype=torch.float32).view(3, 4).t(),
    torch.tensor(3.5, dtype=torch.bfloat16),
    torch.empty(0, 3),
    torch.arange(1 << 20, dtype=torch.int32),
]


def told_by(call: Callable[[], object]) -> str:
    """The text of the error that a call ends with."""
    try:
        call()
    except RuntimeError as error:  # DistBackendError among them
        return str(error)
    raise AssertionError("there was no error")


def join(folder: str, job: str, rank: int, size: int) -> None:
    dist.init_process_group("tombolo", init_method=f"file://{folder}/{job}", rank=rank, world_size=size, timeout=TIMEOUT)


def meet(process: int, folder: str, address: str, token: str) -> tombolo.OtherJob:
    """Joins this process's own job; the trainers' accepts."""
    if process < TRAINERS:
        join(folder, "trainers", process, TRAINERS)
        return tombolo.accept(address, token, TIMEOUT)
    join(folder, f"generator {process}", 0, 1)
    return tombolo.connect(address, token, TIMEOUT)


def all_come(process: int, folder: str, place: str) -> None:
    """Returns once the trainers and the first generator have come to a place. That a call has returned to one of them says
    nothing of the others, and the news of its end overtakes what they still wait for."""
    Path(folder, f"{process} {place}").touch()
    while not all(Path(folder, f"{each} {place}").exists() for each in range(TRAINERS + 1)):
        time.sleep(0.02)  # fixed time: between two looks


def exchange(process: int, folder: str, address: str, token: str) -> tuple[int, list[int]]:
    """How many ranks the other job has, and which messages came wrong."""
    wrong = []
    with meet(process, folder, address, token) as other:
        works = []
        if process < TRAINERS:
            works += [other.isend(value, 0, tag=i) for i, value in enumerate(VALUES)]
            answer = torch.zeros(1)
            other.recv(answer, 0)
            wrong += [] if answer.item() == process else [-1]
        else:
            rooms = [[torch.zeros_like(value) for value in VALUES] for _ in range(TRAINERS)]
            for source in reversed(range(TRAINERS)):  # tags may come in any order
                works += [other.irecv(rooms[source][i], source, tag=i) for i in reversed(range(len(VALUES)))]
            for work in works:
                work.wait()
            wrong += [i for room in rooms for i, value in enumerate(VALUES) if not torch.equal(value, room[i])]
            for trainer in range(TRAINERS):
                other.send(torch.full((1,), float(trainer)), trainer)
        for work in works:
            work.wait()
        return other.size, wrong


def outlive(process: int, folder: str, address: str, token: str) -> str:
    """What the trainers are told of the first generator's death; the second one then gets what they have summed."""
    if process == TRAINERS + 1:
        end = time.monotonic() + TIMEOUT.total_seconds()
        while not Path(folder, "first is here").exists() and time.monotonic() < end:
            time.sleep(0.02)  # fixed time: between two looks
    other = meet(process, folder, address, token)
    if process <= TRAINERS:
        all_come(process, folder, "has met")
    if process == TRAINERS:
        other.isend(torch.ones(3), 0)
        Path(folder, "first is here").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if process > TRAINERS:
        got = torch.zeros(1)
        other.recv(got, 0)
        other.close()
        return str(got.item())
    told = told_by(lambda: other.recv(torch.zeros(3), 0, tag=9))  # which never comes
    cause = told_by(other.check)
    assert cause.split(": ", 1)[1] in told, f"{cause} is not the cause of {told}"
    other.close()
    total = torch.ones(1)
    dist.all_reduce(total)
    with tombolo.accept(address, token, TIMEOUT) as second:
        if process == 0:
            second.send(total, 0)
    return told


def leave(process: int, folder: str, address: str, token: str) -> object:
    """The trainers leave their group, in which a call is under way, and a message of the other job that never comes. They
    answer with the call's sum, what the message ended with and whether leaving waited for it; the generator with what it is
    told then."""
    other = meet(process, folder, address, token)
    room = torch.zeros(3)
    under_way = other.irecv(room, 0, tag=9)
    all_come(process, folder, "receives")
    if process < TRAINERS:
        total = torch.ones(1 << 20)
        dist.all_reduce(total, async_op=True)
        start = time.monotonic()
        dist.destroy_process_group()
        held_up = time.monotonic() - start > TIMEOUT.total_seconds() / 2
        return total.unique().tolist(), told_by(under_way.wait), held_up
    told = [told_by(under_way.wait)]
    other.abort()
    other.close()
    other.abort()
    told += [told_by(lambda: other.isend(room, 0)), told_by(other.check)]
    try:
        with other:
            raise ValueError("the program's own")
    except ValueError as error:
        told += [str(error)]
    return told


def give_up(process: int, folder: str, address: str, token: str) -> str:
    """What all are told of a message under way when one of them gives the connection up."""
    other = meet(process, folder, address, token)
    under_way = other.irecv(torch.zeros(3), 0, tag=9)
    all_come(process, folder, "receives")
    if process == 1:
        other.abort()
    return told_by(under_way.wait)


def close_at_once(process: int, folder: str, address: str, token: str) -> bool:
    """The trainers close while nobody receives what they have sent; whether the generator gets it all."""
    other = meet(process, folder, address, token)
    if process < TRAINERS:
        other.isend(torch.full((1 << 20,), float(process)), 0)
        Path(folder, f"{process} closes").touch()
        other.close()
        return True
    while not all(Path(folder, f"{trainer} closes").exists() for trainer in range(TRAINERS)):
        time.sleep(0.02)  # fixed time: between two looks
    time.sleep(1)  # fixed time: till they are in the call
    rooms = [torch.empty(1 << 20) for _ in range(TRAINERS)]
    for trainer, room in enumerate(rooms):
        other.recv(room, trainer)
    other.close()
    return all(torch.equal(room, torch.full_like(room, float(trainer))) for trainer, room in enumerate(rooms))


def interrupted(call: Callable[[], object]) -> bool:
    """Whether Ctrl-C ends a call that would not end for TIMEOUT. After such a call, Python would be interrupted, too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit that it is ignored
    start = time.monotonic()
    try:
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        call()
    except KeyboardInterrupt:
        return time.monotonic() - start < TIMEOUT.total_seconds() / 2
    return False


def interrupt_meeting(process: int, folder: str, address: str, token: str) -> bool:
    """Nobody comes to either of two jobs."""
    join(folder, f"alone {process}", 0, 1)
    meeting = tombolo.accept if process == 0 else tombolo.connect
    return interrupted(lambda: meeting(address if process == 0 else f"127.0.0.1:{free_port()}", token, TIMEOUT))


def interrupt_closing(process: int, folder: str, address: str, token: str) -> object:
    """The generator stops waiting for a message that never comes; what the trainers are told, who wait for others."""
    other = meet(process, folder, address, token)
    under_way = other.irecv(torch.zeros(3), 0, tag=9)
    all_come(process, folder, "receives")
    return interrupted(other.close) if process == TRAINERS else told_by(under_way.wait)


def wrong_calls(process: int, folder: str, address: str, token: str) -> list[str]:
    """What a call that cannot be made is told; no rank outside is waited for."""
    join(folder, "alone", 0, 1)
    return [
        told_by(call)
        for call in (
            lambda: tombolo.accept(address, "no token", TIMEOUT),
            lambda: tombolo.accept("nowhere", token, TIMEOUT),
            lambda: tombolo.accept(address, token, timedelta(seconds=1)),
        )
    ]


class OtherJobTest(unittest.TestCase):
    def start(self, worker: object, processes: int, dying: tuple[int, ...] = ()) -> list[object]:
        with tempfile.TemporaryDirectory() as folder:
            return run(
                worker, processes, folder, f"127.0.0.1:{free_port()}", secrets.token_hex(32),
                variables=[{"TOMBOLO_VENDOR": vendor} for vendor in VENDORS], join=False, dying=dying,
            )  # fmt: skip

    def test_should_exchange_messages_of_all_shapes_by_tags(self) -> None:
        self.assertEqual([(1, []), (1, []), (TRAINERS, [])], self.start(exchange, 3))

    def test_should_outlive_the_other_job_and_meet_the_next(self) -> None:
        first, second, _, generator = self.start(outlive, 4, dying=(TRAINERS,))
        for told in (first, second):
            self.assertIn("rank 2", told)  # of both jobs together, the accepting side's first
        self.assertEqual(str(float(TRAINERS)), generator)

    def test_should_fail_alone_and_hold_up_nothing_when_its_group_is_left(self) -> None:
        first, second, told = self.start(leave, 3)
        for total, _, held_up in (first, second):
            self.assertEqual([float(TRAINERS)], total)
            self.assertFalse(held_up)
        for text in (first[1], second[1], told[0]):
            self.assertRegex(text, "abort|closed|left|gone")
        for text in told[1:3]:
            self.assertIn("was closed: meet it again", text)
        self.assertEqual("the program's own", told[3])

    def test_should_be_given_up_by_one_for_all(self) -> None:
        for told in self.start(give_up, 3):
            self.assertIn("rank 1 aborted", told)

    def test_should_close_after_what_is_under_way(self) -> None:
        self.assertEqual([True] * 3, self.start(close_at_once, 3))

    def test_should_end_meeting_by_ctrl_c(self) -> None:
        self.assertEqual([True] * 2, self.start(interrupt_meeting, 2))

    def test_should_end_closing_by_ctrl_c(self) -> None:
        first, second, generator = self.start(interrupt_closing, 3)
        self.assertTrue(generator)
        for told in (first, second):
            self.assertIn("rank 2 aborted", told)

    def test_should_say_what_is_wrong_with_a_call(self) -> None:
        token, address, nobody = self.start(wrong_calls, 1)[0]
        self.assertIn("64 hexadecimal digits", token)
        self.assertIn("HOST:PORT", address)
        self.assertIn("within", nobody)


if __name__ == "__main__":
    unittest.main()
