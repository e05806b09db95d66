# SPDX-License-Identifier: Apache-2.0
"""Rounds of jobs of two vendors and of all that they are held against, and what they gave."""
import os
import sys
import time

import near
import programs

OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_receive")
FIRST = OPERATIONS[0]


class Job:
    """As many ranks of each of two vendors."""

    def __init__(self, vendors, each):
        self.clusters = ",".join(f"{vendor}:{each}" for vendor in vendors.split(","))
        self.is_emulated = all(vendor.startswith("emu-") for vendor in vendors.split(","))
        self.floor = "device floor" if self.is_emulated else "floor"


def candidates(folder, ranks, floor, device_floor):
    """All that a job is held against: by name, what times an operation at some sizes; without what is not installed."""
    found = {"Open MPI": programs.open_mpi(folder, ranks), "Gloo": programs.gloo(ranks),
             "oneCCL": programs.intel(folder, ranks), "engine": programs.host_engine(folder, ranks),
             "floor": floor, "device floor": device_floor}
    for name in (name for name, run in found.items() if not run):
        print(f"{name} is left out: it is not installed", file=sys.stderr)
    return {name: run for name, run in found.items() if run}


def ranges(operation, ranks, is_quick):
    """Of sizes, each for one start of a job: first, last, factor, timed calls. As many as it takes to tell a 99th percentile up to
    programs.TELLING, where one late call more or less must not be all of it."""
    least = programs.least_size(operation, ranks)
    if is_quick:
        return [(least, 4096, 4096 // least, 100), (1 << 20, 16 << 20, 16, 10)]
    calls = (1000, 1000, 200, 50, 10) if ranks <= 2 else (200, 200, 100, 25, 5)
    short = (least, 4096, 4096 // least, calls[0])
    return [short] + [(size, size, 2, of) for size, of in zip((64 << 10, 1 << 20, 16 << 20, 64 << 20), calls[1:])]


class Rounds:
    """The figures are kept by operation and name, one for each round. A job's name are its clusters."""

    def __init__(self, folder, ranks, most, minutes, is_quick):
        self.ranks = ranks
        self.most = most
        self.is_quick = is_quick
        self.limit = time.monotonic() + 60 * minutes
        waits = ("spin", "yield", "sleep") if ranks <= os.cpu_count() else ("yield", "sleep")
        floor = programs.floor(folder, ranks)
        self.waits = {way: floor(way) for way in waits}
        device_floor = programs.device_floor(folder, ranks)
        self.devices = {how: device_floor(how) for how in ("alone", "together")} if device_floor else {}
        self.candidates = candidates(folder, ranks, self.waits[waits[0]], self.devices.get("alone"))
        self.processors = near.Processors(folder)
        self.kept = {}
        self.stages = {}  # by operation and job: size -> the row of a run with --breakdown
        self.took_s = {}  # the last round of each operation

    def ranges(self, operation):
        """As the function of this name."""
        return ranges(operation, self.ranks, self.is_quick)

    def sizes(self, operation):
        return programs.sizes(self.ranges(operation))

    def measure(self, operations, jobs):
        """Rounds of each operation in turn, as long as another one is likely to end in time."""
        for number in range(self.most):
            for operation in operations:
                likely_s = self.took_s.get(operation, max(self.took_s.values(), default=0))
                if time.monotonic() + likely_s > self.limit:
                    print(f"no time is left for round {number + 1} of {operation}", file=sys.stderr)
                    return
                begun = time.monotonic()
                self._round(operation, jobs, number)
                self.took_s[operation] = time.monotonic() - begun
                print(f"round {number + 1} of {operation}: {self.took_s[operation]:.0f} s", file=sys.stderr, flush=True)

    def _round(self, operation, jobs, number):
        for job in jobs:
            self._keep(operation, job.clusters, self.processors.near_while(self._ours, job, operation))
        for name, run in self.candidates.items():
            if self._runs(name, operation, jobs, number):
                self._keep(operation, name, self.processors.near_while(run, operation, self.sizes(operation)))

    def _ours(self, job, operation):
        few = ("-w", "20") if self.is_quick else ()
        stages = self.stages.setdefault((operation, job.clusters), {})
        if len(stages) < len(self.sizes(operation)):  # each round, until all sizes have been told
            stages |= programs.ours(job.clusters, operation, self.ranges(operation), "--breakdown", *few)
        return programs.figures(programs.ours(job.clusters, operation, self.ranges(operation), *few))

    def _runs(self, name, operation, jobs, number):
        """oneCCL sends nothing on processors. But for all_reduce, every other round will do for all but Open MPI."""
        if name.endswith("floor") and name not in [job.floor for job in jobs]:
            return False
        if name == "oneCCL" and operation == "send_receive":
            return False
        return operation == FIRST or name == "Open MPI" or number % 2 == 0

    def _keep(self, operation, name, figures):
        self.kept.setdefault((operation, name), []).append(figures)

    def medians(self, operation, name):
        """Size -> figures."""
        return programs.medians(self.kept.get((operation, name), []))

    def count(self, operation, name):
        return len(self.kept.get((operation, name), []))

    def count_at(self, operation, name, size):
        """The rounds that have this size."""
        return sum(size in figures for figures in self.kept.get((operation, name), []))

    def gaps(self, operation, name):
        """The sizes at which `name` was asked, and gave nothing, or is a job and told no stages."""
        asked = self.sizes(operation) if self.count(operation, name) else []
        staged = self.stages.get((operation, name), asked)
        return [size for size in asked if size not in staged or not self.count_at(operation, name, size)]

    def waiting(self, sizes):
        """Way to wait -> size -> figures of an all_reduce by the floor's program."""
        return {way: run(FIRST, sizes) for way, run in self.waits.items()}

    def copying(self, sizes):
        """Whether ranks are alone or together -> size -> figures of an emulated device's copies."""
        return {how: run(FIRST, sizes) for how, run in self.devices.items()}
