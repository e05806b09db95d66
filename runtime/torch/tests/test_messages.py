# SPDX-License-Identifier: Apache-2.0
"""Messages between single ranks meet those of their tag, in the order of the calls."""

from __future__ import annotations

import os
import random
import time
import unittest

import torch
import torch.distributed as dist

from ranks import TIMEOUT, run

SEED = int(os.environ.get("TOMBOLO_SEED", random.randrange(1 << 30)))
TAGS = [0, 1, 7, 2**31 - 1]
Way = tuple[int, int, int]  # from, to, tag


def message(way: Way, number: int) -> torch.Tensor:
    """The `number`th of one way: as many elements as nobody would guess, and nobody else's."""
    dice = random.Random(hash((way, number)))
    return torch.arange(dice.randrange(500), dtype=torch.int64) + dice.randrange(1 << 40)


def drawn(seed: int, size: int) -> list[Way]:
    dice = random.Random(seed)
    pairs = [dice.sample(range(size), 2) for _ in range(80)]
    return [(source, to, dice.choice(TAGS)) for source, to in pairs]


def exchange(rank: int, seed: int) -> list[str]:
    ways = drawn(seed, dist.get_world_size())
    random.Random(seed + rank).shuffle(ways)
    numbers: dict[Way, int] = {}
    under_way = []
    for way in ways:
        source, to, tag = way
        number = numbers[way] = numbers.get(way, 0) + 1
        sent = message(way, number)
        if rank == source:
            under_way.append((dist.isend(sent, to, tag=tag), sent, way, number))
        elif rank == to:
            room = torch.zeros_like(sent)
            under_way.append((dist.irecv(room, source, tag=tag), room, way, number))
    for work, _, _, _ in under_way:
        work.wait()
    return [f"{way} number {number}" for _, got, way, number in under_way if not torch.equal(got, message(way, number))]


def from_any_source(rank: int, each: int) -> list[tuple[int, float]]:
    """On rank 0, who sent and what, in the order of its receives."""
    if rank > 0:
        for number in range(each):
            dist.send(torch.full((5,), rank + number / 10), 0, tag=4)
        return []
    received = []
    for _ in range(each * (dist.get_world_size() - 1)):
        room = torch.zeros(5)
        source = dist.recv(room, tag=4)
        received.append((source, round(room[4].item(), 1)))
    return received


def to_and_from_the_other(value: float, room: torch.Tensor) -> list[dist.P2POp]:
    other = 1 - dist.get_rank()
    return [dist.P2POp(dist.isend, torch.full((2,), float(value)), other), dist.P2POp(dist.irecv, room, other)]


def arrived(room: torch.Tensor) -> list[float]:
    """What is in it once all of it has come."""
    end = time.monotonic() + TIMEOUT.total_seconds()
    while 0 in room and time.monotonic() < end:
        time.sleep(0.01)  # fixed time: between two looks
    return room.tolist()


def after_batches_that_fail(rank: int) -> list[list[float]]:
    """For a message that torch refuses, and one that we do: what came of the batch that has it, and what the group then does."""
    values = []
    for refused in (torch.eye(2).to_sparse(), torch.ones(1)):
        before, after, total = torch.zeros(2), torch.zeros(2), torch.ones(1)
        wrong = dist.P2POp(dist.isend, refused, 1 - rank, tag=0 if refused.is_sparse else -1)
        try:
            dist.batch_isend_irecv([*to_and_from_the_other(rank + 1, before), wrong])
        except RuntimeError:
            dist.all_reduce(total)
            for work in dist.batch_isend_irecv(to_and_from_the_other(rank + 3, after)):
                work.wait()
        values += [arrived(before), after.tolist(), total.tolist()]
    return values


def coalesced(rank: int, ends: bool, refused: bool) -> tuple[int, list[float]]:
    """How many results a group of calls has, and what came in it: after another that may never have been ended, and perhaps
    with a message in it that is refused.
    """
    cpu, group = torch.device("cpu"), dist.group.WORLD
    rooms = [torch.zeros(2), torch.zeros(2)]
    for turn, room in enumerate(rooms):
        group._start_coalescing(cpu)
        works = [op.op(op.tensor, op.peer) for op in to_and_from_the_other(rank + turn, room)]
        if refused:
            try:
                dist.isend(torch.ones(1), 1 - rank, tag=-1)
            except RuntimeError:
                pass
        if turn or ends:
            works.append(group._end_coalescing(cpu))
        for work in works:
            work.wait()
    return len(works[-1].result()), rooms[1].tolist()


class MessagesTest(unittest.TestCase):
    def test_should_meet_messages_of_the_same_tag_in_their_order(self) -> None:
        print(f"seed {SEED}: TOMBOLO_SEED={SEED} repeats it", flush=True)
        self.assertEqual([[]] * 3, run(exchange, 3, SEED))

    def test_should_receive_from_any_source(self) -> None:
        received = run(from_any_source, 3, 4)[0]
        for source in (1, 2):
            self.assertEqual([source + number / 10 for number in range(4)], [got for who, got in received if who == source])

    def test_should_go_on_after_a_batch_in_which_a_message_is_refused(self) -> None:
        for rank, values in enumerate(run(after_batches_that_fail, 2)):
            peer = 1 - rank
            self.assertEqual([[peer + 1.0] * 2, [peer + 3.0] * 2, [2.0]] * 2, values)

    def test_should_forget_coalescing_that_nobody_has_ended(self) -> None:
        for rank, answer in enumerate(run(coalesced, 2, False, False)):
            self.assertEqual((2, [2.0 - rank] * 2), answer)

    def test_should_end_coalescing_in_which_a_message_was_refused(self) -> None:
        for rank, answer in enumerate(run(coalesced, 2, True, True)):
            self.assertEqual((2, [2.0 - rank] * 2), answer)


if __name__ == "__main__":
    unittest.main()
