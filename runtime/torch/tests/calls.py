# SPDX-License-Identifier: Apache-2.0
"""Makes a drawn call on a group, and says what it should have left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.distributed as dist

from cases import Case, laid_out, reduce_op, shape_of, values
from oracle import Order, combined

Tensors = list[torch.Tensor]


def part_sizes(case: Case, size: int) -> list[int]:
    """Rows of each rank's part: equal, or growing with the rank."""
    rows = shape_of(case)[0]
    return [rows + (rank if case.uneven else 0) for rank in range(size)]


class Call:
    """One rank's side of a case, on a group of `size` ranks of which this one is `rank`, with tensors of `device`."""

    def __init__(
        self,
        case: Case,
        seed: int,
        rank: int,
        size: int,
        group: dist.ProcessGroup,
        device: str = "cpu",
        orders: Sequence[Order] = (),
    ) -> None:
        self.case, self.seed, self.rank, self.size, self.group = case, seed, rank, size, group
        self.device = device
        self.orders = orders  # in which ranks may combine, too
        self.combinations: list[Tensors] = [[] for _ in orders]  # what a reducing call may leave, for each of them
        self.root = case.root % size
        self.sources: list[tuple[torch.Tensor, torch.Tensor]] = []  # what is only read, and what is in it

    def given(self, rank: int, shape: tuple[int, ...] | None = None, salt: int = 0) -> torch.Tensor:
        return values(self.case, self.seed, rank, shape_of(self.case) if shape is None else shape, salt)

    def tensor(self, plain: torch.Tensor) -> torch.Tensor:
        return laid_out(plain.to(self.device), self.case.layout)

    def source(self, plain: torch.Tensor) -> torch.Tensor:
        tensor = self.tensor(plain)
        self.sources.append((tensor, plain))
        return tensor

    def room(self, shape: tuple[int, ...]) -> torch.Tensor:
        return self.tensor(torch.zeros(shape, dtype=self.case.dtype))

    def combined(self, parts: list[torch.Tensor]) -> torch.Tensor:
        """In the order of ranks."""
        for order, found in zip(self.orders, self.combinations):
            found.append(combined(self.case.op, self.case.factor, parts, order))
        return combined(self.case.op, self.case.factor, parts)

    def global_root(self) -> int:
        return dist.get_global_rank(self.group, self.root)

    def make(self) -> tuple[Tensors, Tensors]:
        """What the call left on this rank, and what it should have left."""
        step: Callable[[], tuple[dist.Work | None, Tensors, Tensors]] = getattr(self, self.case.operation)
        work, got, expected = step()
        if work is not None:
            work.wait()
        return got, expected

    def only_read(self) -> tuple[Tensors, Tensors]:
        """After the call: what it only read, and what should still be in it."""
        return [tensor for tensor, _ in self.sources], [plain for _, plain in self.sources]

    def all_reduce(self):  # noqa: ANN201
        tensor = self.tensor(self.given(self.rank))
        work = dist.all_reduce(tensor, reduce_op(self.case), self.group, self.case.asynchronous)
        return work, [tensor], [self.combined([self.given(r) for r in range(self.size)])]

    def all_reduce_coalesced(self):  # noqa: ANN201
        tensors = [self.tensor(self.given(self.rank, salt=salt)) for salt in range(3)]
        options = dist.AllreduceCoalescedOptions()
        options.reduceOp = reduce_op(self.case)
        work = self.group.allreduce_coalesced(tensors, options)
        return work, tensors, [
            self.combined([self.given(r, salt=salt) for r in range(self.size)]) for salt in range(3)
        ]

    def reduce(self):  # noqa: ANN201
        own = self.given(self.rank)
        tensor = self.tensor(own) if self.rank == self.root else self.source(own)
        work = dist.reduce(tensor, self.global_root(), reduce_op(self.case), self.group, self.case.asynchronous)
        if self.rank != self.root:
            return work, [], []
        return work, [tensor], [self.combined([self.given(r) for r in range(self.size)])]

    def broadcast(self):  # noqa: ANN201
        tensor = self.tensor(self.given(self.rank))
        work = dist.broadcast(tensor, self.global_root(), self.group, self.case.asynchronous)
        return work, [tensor], [self.given(self.root)]

    def shapes(self) -> list[tuple[int, ...]]:
        width = shape_of(self.case)[1]
        return [(rows, width) for rows in part_sizes(self.case, self.size)]

    def all_gather(self):  # noqa: ANN201
        shapes = self.shapes()
        outputs = [self.room(shape) for shape in shapes]
        own = self.source(self.given(self.rank, shapes[self.rank]))
        work = dist.all_gather(outputs, own, self.group, self.case.asynchronous)
        return work, outputs, [self.given(r, shapes[r]) for r in range(self.size)]

    def all_gather_into_tensor(self):  # noqa: ANN201
        rows, width = shape_of(self.case)
        output = self.room((rows * self.size, width))
        work = dist.all_gather_into_tensor(
            output, self.source(self.given(self.rank)), self.group, self.case.asynchronous
        )
        return work, [output], [torch.cat([self.given(r) for r in range(self.size)])]

    def rows_of_three(self) -> list[tuple[int, int]]:
        """Shapes of one rank's tensors in a call of several, of several sizes."""
        rows, width = shape_of(self.case)
        return [(rows + more, width) for more in range(3)]

    def all_gather_into_tensor_coalesced(self):  # noqa: ANN201
        shapes = self.rows_of_three()
        outputs = [self.room((rows * self.size, width)) for rows, width in shapes]
        inputs = [self.source(self.given(self.rank, shape, salt)) for salt, shape in enumerate(shapes)]
        work = self.group.allgather_into_tensor_coalesced(outputs, inputs)
        return work, outputs, [
            torch.cat([self.given(r, shape, salt) for r in range(self.size)]) for salt, shape in enumerate(shapes)
        ]

    def reduce_scatter_tensor_coalesced(self):  # noqa: ANN201
        shapes = self.rows_of_three()
        outputs = [self.room(shape) for shape in shapes]
        wholes = [(rows * self.size, width) for rows, width in shapes]
        inputs = [self.source(self.given(self.rank, whole, salt)) for salt, whole in enumerate(wholes)]
        options = dist.ReduceScatterOptions()
        options.reduceOp = reduce_op(self.case)
        work = self.group.reduce_scatter_tensor_coalesced(outputs, inputs, options)
        expected = []
        for salt, (rows, width) in enumerate(shapes):
            own = slice(self.rank * rows, (self.rank + 1) * rows)
            expected.append(self.combined([self.given(r, wholes[salt], salt)[own] for r in range(self.size)]))
        return work, outputs, expected

    def reduce_scatter(self):  # noqa: ANN201
        shapes = self.shapes()
        inputs = [self.source(self.given(self.rank, shapes[to], to)) for to in range(self.size)]
        output = self.room(shapes[self.rank])
        work = dist.reduce_scatter(output, inputs, reduce_op(self.case), self.group, self.case.asynchronous)
        parts = [self.given(r, shapes[self.rank], self.rank) for r in range(self.size)]
        return work, [output], [self.combined(parts)]

    def reduce_scatter_tensor(self):  # noqa: ANN201
        rows, width = shape_of(self.case)
        shape = (rows * self.size, width)
        output = self.room((rows, width))
        work = dist.reduce_scatter_tensor(
            output,
            self.source(self.given(self.rank, shape)),
            reduce_op(self.case),
            self.group,
            self.case.asynchronous,
        )
        own = slice(self.rank * rows, (self.rank + 1) * rows)
        return work, [output], [self.combined([self.given(r, shape)[own] for r in range(self.size)])]

    def all_to_all_single(self):  # noqa: ANN201
        rows, width = shape_of(self.case)
        if not self.case.uneven:
            shape = (rows * self.size, width)
            output = self.room(shape)
            work = dist.all_to_all_single(
                output, self.source(self.given(self.rank, shape)), group=self.group, async_op=self.case.asynchronous
            )
            parts = [self.given(r, shape)[self.rank * rows : (self.rank + 1) * rows] for r in range(self.size)]
            return work, [output], [torch.cat(parts)]
        sent = [(rows + self.rank + to) % 7 for to in range(self.size)]
        received = [(rows + by + self.rank) % 7 for by in range(self.size)]
        parts = [self.given(self.rank, (sent[to], width), to) for to in range(self.size)]
        output = self.room((sum(received), width))
        work = dist.all_to_all_single(
            output, self.source(torch.cat(parts)), received, sent, self.group, self.case.asynchronous
        )
        return work, [output], [
            torch.cat([self.given(by, (received[by], width), self.rank) for by in range(self.size)])
        ]

    def all_to_all(self):  # noqa: ANN201
        shapes = self.shapes()
        inputs = [self.source(self.given(self.rank, shapes[self.rank], to)) for to in range(self.size)]
        outputs = [self.room(shapes[by]) for by in range(self.size)]
        work = dist.all_to_all(outputs, inputs, self.group, self.case.asynchronous)
        return work, outputs, [self.given(by, shapes[by], self.rank) for by in range(self.size)]

    def gather(self):  # noqa: ANN201
        shape = shape_of(self.case)
        is_root = self.rank == self.root
        outputs = [self.room(shape) for _ in range(self.size)] if is_root else None
        work = dist.gather(
            self.source(self.given(self.rank)), outputs, self.global_root(), self.group, self.case.asynchronous
        )
        return work, outputs or [], [self.given(r) for r in range(self.size)] if is_root else []

    def gather_single(self):  # noqa: ANN201
        rows, width = shape_of(self.case)
        is_root = self.rank == self.root
        output = self.room((rows * self.size, width)) if is_root else None
        work = dist.gather_single(
            self.source(self.given(self.rank)), output, self.global_root(), self.group, self.case.asynchronous
        )
        if output is None:
            return work, [], []
        return work, [output], [torch.cat([self.given(r) for r in range(self.size)])]

    def scatter(self):  # noqa: ANN201
        inputs = None
        if self.rank == self.root:
            inputs = [self.source(self.given(self.root, salt=to)) for to in range(self.size)]
        output = self.room(shape_of(self.case))
        work = dist.scatter(output, inputs, self.global_root(), self.group, self.case.asynchronous)
        return work, [output], [self.given(self.root, salt=self.rank)]

    def send_recv(self):  # noqa: ANN201
        after, before = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        output = self.room(shape_of(self.case))
        works = dist.batch_isend_irecv(
            [
                dist.P2POp(
                    dist.isend, self.source(self.given(self.rank)), dist.get_global_rank(self.group, after), self.group
                ),
                dist.P2POp(dist.irecv, output, dist.get_global_rank(self.group, before), self.group),
            ]
        )
        for work in works:
            work.wait()
        return None, [output], [self.given(before)]
