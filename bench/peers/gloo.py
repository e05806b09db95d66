# SPDX-License-Identifier: Apache-2.0
"""gloo.py RANKS OPERATION SIZE...: an operation on f32 by Gloo, through torch.distributed.

SIZE is that of the larger of a rank's vectors. Each rank prints SIZE MEDIAN_US P99_US PROCESSOR_US_PER_CALL, as times.h has it.
"""
import socket, statistics, sys, time
import torch, torch.distributed as dist, torch.multiprocessing as mp


def send_receive(vector, other, rank, ranks):
    sent = dist.isend(vector, (rank + 1) % ranks)
    dist.recv(other, (rank - 1) % ranks)
    sent.wait()


def calls_of(operation, elements, rank, ranks):
    vector, other = torch.zeros(elements), torch.zeros(elements)
    block = torch.zeros(elements // ranks)
    whole, others = vector[: len(block) * ranks], other[: len(block) * ranks]  # that divide into blocks
    return {
        "all_reduce": lambda: dist.all_reduce(vector),
        "reduce": lambda: dist.reduce(vector, 0),
        "broadcast": lambda: dist.broadcast(vector, 0),
        "all_gather": lambda: dist.all_gather_into_tensor(whole, block),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(block, whole),
        "all_to_all": lambda: dist.all_to_all_single(whole, others),
        "send_receive": lambda: send_receive(vector, other, rank, ranks),
    }[operation]


def measure(rank, ranks, port, operation, sizes):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    for size in sizes:
        calls = max(7, min(500, 125_000_000 // (size + 200_000)))
        call = calls_of(operation, max(1, size // 4), rank, ranks)
        times = []
        for number in range(-calls // 4 - 2, calls):
            if number == 0:
                used = time.process_time()
            start = time.perf_counter()
            call()
            if number >= 0:
                times.append((time.perf_counter() - start) * 1e6)
        used_us = (time.process_time() - used) * 1e6 / calls
        p99 = sorted(times)[(calls - 1) * 99 // 100]
        print(f"{size} {statistics.median(times):.3f} {p99:.3f} {used_us:.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ranks = int(sys.argv[1])
    mp.spawn(measure, args=(ranks, port, sys.argv[2], [int(size) for size in sys.argv[3:]]), nprocs=ranks)
