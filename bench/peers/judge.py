# SPDX-License-Identifier: Apache-2.0
"""What a job of several vendors has to reach, size by size, and whether it does. Pure."""
import dataclasses

SHORT = 4096
LONG = 16 << 20


@dataclasses.dataclass(frozen=True)
class Measured:
    """A size of an operation, in us: ours, and what it is held against; None for what is not known."""

    size: int
    ranks: int
    processors: int
    is_emulated: bool
    time: float
    p99: float | None
    cold: float | None = None  # the median of the first calls after the join, of the size that came first
    bound: float | None = None  # what a hierarchical call takes at least; 0 for messages, which have none
    open_mpi: float | None = None
    gloo: float | None = None
    device: float | None = None  # the device's own copies and waits


@dataclasses.dataclass(frozen=True)
class Condition:
    """`value` is at most `limit`, or at least; None where it is not known."""

    what: str
    value: float | None
    limit: float
    unit: str
    is_most: bool = True

    def is_met(self):
        """None where that cannot be told."""
        if self.value is None:
            return None
        return self.value <= self.limit if self.is_most else self.value >= self.limit

    def text(self):
        bound = "at most" if self.is_most else "at least"
        return f"{self.what} {_number(self.value)}{self.unit} ({bound} {_number(self.limit)})"


def _number(value):
    return "?" if value is None else f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _faster(than, peer, time, times):
    return Condition(f"faster than {than}", peer and peer / time, times, "x", is_most=False)


def _of_emulated(m):
    if m.size <= SHORT:
        return [Condition("beyond its device's copies and waits", m.device and m.time - m.device, 20, " us")]
    return [_faster("Gloo", m.gloo, m.time, 2)] if m.size >= 1 << 20 else []


def _of_pair(m):
    if m.size <= SHORT:
        return [Condition("time", m.time, 20, " us")]
    speed = [_faster("Open MPI", m.open_mpi, m.time, 2 if m.size < 1 << 20 else 1.5)]
    share = Condition("share of the bound", m.bound and 100 * m.bound / m.time, 60, "%", is_most=False)
    return speed + ([share] if m.size >= LONG and m.bound != 0 else [])


def _of_crowd(m):
    return [_faster("Gloo", m.gloo, m.time, 5) if m.size <= SHORT else _faster("Open MPI", m.open_mpi, m.time, 1)]


def _of_tail(m):
    has_cores = m.ranks <= m.processors
    return [Condition("p99 over p50", m.p99 / m.time, 10, "x")] if has_cores and m.p99 is not None else []


def _of_start(m):
    if m.cold is None:
        return []
    beside_warm = [Condition("cold over warm", m.cold / m.time, 5, "x")]
    return beside_warm + ([Condition("cold", m.cold, 1000, " us")] if m.size <= SHORT else [])


def conditions(m):
    """All that is asked of it."""
    speed = _of_emulated(m) if m.is_emulated else _of_pair(m) if m.ranks == 2 else _of_crowd(m)
    return speed + _of_tail(m) + _of_start(m)


def mark(asked):
    """met, MISSED, ? where a peer or the bound is missing, or - where nothing is asked."""
    answers = [condition.is_met() for condition in asked]
    return "-" if not asked else "MISSED" if False in answers else "?" if None in answers else "met"


def verdict(asked):
    """The mark, and what is behind it: what is missed first, then what cannot be told."""
    words = {False: "not ", None: "unknown: ", True: ""}
    told = [words[each.is_met()] + each.text() for each in sorted(asked, key=lambda each: list(words).index(each.is_met()))]
    return f"{mark(asked)}: {'; '.join(told)}" if asked else "-"
