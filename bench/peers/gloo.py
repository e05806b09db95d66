# SPDX-License-Identifier: Apache-2.0
"""gloo.py RANKS SIZE...: all_reduce of f32 by Gloo, through torch.distributed."""
import os, socket, statistics, sys, time
import torch, torch.distributed as dist, torch.multiprocessing as mp


def measure(rank, ranks, port, sizes):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    for size in sizes:
        calls = max(7, min(500, 100_000_000 // (size + 200_000)))
        vector = torch.zeros(max(1, size // 4))
        times = []
        for call in range(-calls // 4 - 2, calls):
            start = time.perf_counter()
            dist.all_reduce(vector)
            if call >= 0:
                times.append((time.perf_counter() - start) * 1e6)
        if rank == 0:
            print(size, f"{statistics.median(times):.3f}", flush=True)


if __name__ == "__main__":
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ranks = int(sys.argv[1])
    mp.spawn(measure, args=(ranks, port, [int(size) for size in sys.argv[2:]]), nprocs=ranks)
