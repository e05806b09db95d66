# SPDX-License-Identifier: Apache-2.0
"""all_reduce of 'intel' through torch beside oneCCL's own, called from the same processes, in turns:

    TOMBOLO_VENDOR=intel torchrun --standalone --nproc-per-node 2 oneccl.py LIBCCL [SECONDS per row]

LIBCCL is oneCCL's libccl.so.2: ~/.cache/tombolo/oneccl has it after `./tombolo get oneccl`. Turns are as compare.py's. Prints
the best and the median batch of rank 0, in microseconds a call, and the share of oneCCL's bandwidth that is left.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics

import torch
import torch.distributed as dist
from compare import SIZES, WARM_UP_CALLS, plan, timed

import tombolo  # noqa: F401

SUCCESS, SUM, FLOAT32 = 0, 0, 7  # oneapi/ccl.h


class UniqueId(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_ubyte * 4096),)


class OneCcl:
    """A communicator of its own, of the ranks of `gate`."""

    def __init__(self, library: str, gate: dist.ProcessGroup) -> None:
        self._library = ctypes.CDLL(library)
        self._library.onecclCommInitRank.argtypes = (ctypes.c_void_p, ctypes.c_size_t, UniqueId, ctypes.c_int)
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self._library.onecclAllReduce.argtypes = (pointer, pointer, ctypes.c_size_t, number, number, pointer, pointer)
        unique = UniqueId()
        if dist.get_rank() == 0:
            check("onecclGetUniqueId", self._library.onecclGetUniqueId(ctypes.byref(unique)))
        known = [bytes(unique)]
        dist.broadcast_object_list(known, 0, group=gate)
        self._communicator = ctypes.c_void_p()
        made = ctypes.byref(self._communicator)
        unique = UniqueId.from_buffer_copy(known[0])
        check("onecclCommInitRank", self._library.onecclCommInitRank(made, dist.get_world_size(), unique, dist.get_rank()))

    def all_reduce(self, tensor: torch.Tensor) -> None:
        at, count = tensor.data_ptr(), tensor.numel()
        check("onecclAllReduce", self._library.onecclAllReduce(at, at, count, FLOAT32, SUM, self._communicator, None))


def check(call: str, result: int) -> None:
    if result != SUCCESS:
        raise RuntimeError(f"{call}: result {result}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("seconds", type=float, nargs="?", default=1.0, help="for each row")
    given = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("tombolo")
    ours, gate = dist.group.WORLD, dist.new_group(backend="gloo")
    small = torch.zeros(2)
    timed(lambda group: dist.all_reduce(small, group=group), WARM_UP_CALLS, ours, gate)
    oneccl = OneCcl(given.library, gate)  # only now: by then the library has the settings that ours gives it
    if dist.get_rank() == 0:
        print(f"{'bytes':>9} {'ours best':>10} {'median':>10} {'oneCCL best':>11} {'median':>10}  share of the best, of medians")
    for size in SIZES:
        tensor = torch.zeros(size // 4)

        def call(group: dist.ProcessGroup | None, tensor: torch.Tensor = tensor) -> None:
            if group is None:
                oneccl.all_reduce(tensor)
            else:
                dist.all_reduce(tensor, group=group)

        calls, turns = plan(call, given.seconds, ours, None, gate)
        times: dict[str, list[float]] = {"ours": [], "oneccl": []}
        for _ in range(turns):
            for who, group in (("ours", ours), ("oneccl", None)):
                times[who].append(timed(call, calls, group, gate))
        if dist.get_rank() == 0:
            a, b = times["ours"], times["oneccl"]
            shares = f"{min(b) / min(a):.2f}, {statistics.median(b) / statistics.median(a):.2f}"
            print(
                f"{size:9} {min(a):10.1f} {statistics.median(a):10.1f} {min(b):11.1f} {statistics.median(b):10.1f}  {shares}",
                flush=True,
            )
    dist.barrier(gate)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
