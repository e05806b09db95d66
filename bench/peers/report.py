# SPDX-License-Identifier: Apache-2.0
"""The rounds as tables in Markdown, with the marks of judge.py."""
import os

import judge
import programs
from rounds import OPERATIONS

PEERS = ("Open MPI", "Gloo", "oneCCL", "engine")


def number(value):
    return "-" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cell(size, figures):
    """Time/p99/processor time."""
    if figures is None:
        return "-"
    time, p99, used = figures[:3]
    return f"{number(time)}/{number(programs.told(size, p99))}/{number(used)}"


def print_markdown(titles, rows):
    widths = [max(len(line[i]) for line in [titles, *rows]) for i in range(len(titles))]
    for line in [titles, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(text.ljust(width) for text, width in zip(line, widths)) + " |")


def measured(rounds, job, operation, size, mine, beside):
    """What the judge wants to know."""
    time, p99, _, cold = mine
    median = {name: figures[0] for name, figures in beside.items() if figures}
    firsts = [first for first, *_ in rounds.ranges(operation)]
    return judge.Measured(
        size=size, ranks=rounds.ranks, processors=os.cpu_count(), is_emulated=job.is_emulated, time=time,
        p99=programs.told(size, p99), cold=cold if size in firsts else None,
        bound=rounds.stages[operation, job.clusters].get(size, {}).get("bound_us"),
        open_mpi=median.get("Open MPI"), gloo=median.get("Gloo"), device=median.get("device floor"))


def row(rounds, job, operation, size, mine, beside):
    """Its cells, and its mark."""
    known = measured(rounds, job, operation, size, mine, beside)
    asked = judge.conditions(known)
    cells = [operation, str(size), str(rounds.count_at(operation, job.clusters, size)), cell(size, mine), number(mine[3]),
             f"{100 * known.bound / known.time:.0f}%" if known.bound else "-"]
    for figures in beside.values():
        cells += [cell(size, figures), f"{figures[0] / known.time:.2f}x" if figures else "-"]
    return cells + [judge.verdict(asked)], judge.mark(asked)


def print_job(rounds, job):
    titles = ["operation", "bytes", "rounds", "ours", "cold", "share"]
    titles += [title for name in (*PEERS, "floor") for title in (name, "x")] + ["asked"]
    rows = []
    for operation in OPERATIONS:
        beside = {name: rounds.medians(operation, name) for name in (*PEERS, job.floor)}
        for size, mine in rounds.medians(operation, job.clusters).items():
            at_size = {name: figures.get(size) for name, figures in beside.items()}
            rows.append(row(rounds, job, operation, size, mine, at_size))
    marks = [mark for _, mark in rows]
    print(f"\n## {job.clusters}\n")
    print_markdown(titles, [cells for cells, _ in rows])
    print(f"\n{marks.count('met')} rows met, {marks.count('MISSED')} missed, {marks.count('?')} without a peer or the bound,"
          f" {marks.count('-')} of which nothing is asked")


def print_stages(rounds, job):
    """Where the time of one more run went."""
    rows = []
    for operation in OPERATIONS:
        for size, found in rounds.stages.get((operation, job.clusters), {}).items():
            stages = ", ".join(f"{stage} {number(spread['p50_us'])}" for stage, spread in found.get("breakdown", {}).items())
            rows.append([operation, str(size), number(found["time_us"]), number(found.get("bound_us")), stages])
    print(f"\nMedians of each stage of {job.clusters}, of a run with --breakdown, us; stages overlap:\n")
    print_markdown(["operation", "bytes", "time", "bound", "stages"], rows)


def print_waits(rounds):
    """What it costs to wait for each other, where the vectors are short."""
    print(f"\nall_reduce by {rounds.ranks} processes in C over shared memory (floor.c), by how they wait, us:\n")
    print_by_way(rounds.waiting)


def print_copies(rounds):
    """What an emulated device's copies cost, and what it costs to hand over what they bring."""
    if rounds.devices:
        print("\nA vector to the host and back by emulated devices (device_floor.c), alone or handed over there, us:\n")
        print_by_way(rounds.copying)


def print_by_way(measured):
    sizes = [8, judge.SHORT]
    found = measured(sizes)
    print_markdown(["bytes", *found], [[str(size)] + [cell(size, of.get(size)) for of in found.values()] for size in sizes])


def print_all(rounds, jobs):
    if rounds.is_quick:
        print("\nQuick: one short round, to see that everything runs. The figures say nothing.")
    for job in jobs:
        print_job(rounds, job)
        print_stages(rounds, job)
    print_waits(rounds)
    if any(job.is_emulated for job in jobs):
        print_copies(rounds)
    print(f"\n{rounds.processors.text()}; load {os.getloadavg()[0]:.1f}")
