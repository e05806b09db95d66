# SPDX-License-Identifier: Apache-2.0
"""Messages between single ranks meet those of their tag, in the order of the calls."""

from __future__ import annotations

import os
import random
import unittest

import torch
import torch.distributed as dist

from ranks import run

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


class MessagesTest(unittest.TestCase):
    def test_should_meet_messages_of_the_same_tag_in_their_order(self) -> None:
        print(f"seed {SEED}: TOMBOLO_SEED={SEED} repeats it", flush=True)
        self.assertEqual([[]] * 3, run(exchange, 3, SEED))

    def test_should_receive_from_any_source(self) -> None:
        received = run(from_any_source, 3, 4)[0]
        for source in (1, 2):
            self.assertEqual([source + number / 10 for number in range(4)], [got for who, got in received if who == source])


if __name__ == "__main__":
    unittest.main()
