# SPDX-License-Identifier: Apache-2.0
"""The programs that are compared: our jobs, the peers, and the probes in C; where they are, and how they are run.

Each runs once for all sizes of an operation. Each rank of peers and probes prints a line for each, as times.h does: SIZE
MEDIAN_US P99_US PROCESSOR_US_PER_CALL.
"""
import glob
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TORCH = pathlib.Path.home() / ".cache/tombolo/torch/bin/python"  # where .ci/torch installs it
LIMIT_S = 60
SAME_SIZE = ("all_reduce", "broadcast", "reduce", "send_receive")  # whose vectors are not cut into a block for each rank
TELLING = 1 << 20  # the largest size with enough calls for a 99th percentile


def least_size(operation, ranks):
    """An element, or one for each rank; no less than 8 bytes."""
    return 8 if operation in SAME_SIZE else max(8, 4 * ranks)


def sizes(ranges):
    """Of each range (first, last, factor, calls)."""
    found = []
    for first, last, factor, _ in ranges:
        while first <= last:
            found.append(first)
            first *= factor
    return found


def compiled(folder, compiler, source, *flags, name=None):
    program = pathlib.Path(folder) / (name or source.removesuffix(".c"))
    subprocess.run([compiler, "-O2", "-Wall", "-o", program, HERE / source, *flags], check=True)
    return str(program)


def build():
    """What is older than its sources: our jobs run what was built last, however old."""
    subprocess.run([ROOT / "tombolo", "--help"], stdout=subprocess.DEVNULL, check=True)


def newest(pattern):
    found = glob.glob(f"{ROOT}/{pattern}", recursive=True)
    return max(found, key=os.path.getmtime) if found else None


def engine():
    library = newest("adaptors/target/**/linux-*/libtombolo_host_ccl.so")
    return library or sys.exit("the project is not built: ./tombolo --help builds it")


def emulated_cuda():
    return newest("adaptors/emulated/target/**/linux-*/libtombolo_emu_nvidia.so")


def oneccl():
    folder = os.environ.get("TOMBOLO_ONECCL_DIR")
    found = [folder] if folder else glob.glob(os.path.expanduser("~/.cache/tombolo/oneccl/*"))
    libraries = [path for at in found for path in glob.glob(f"{at}/**/libccl.so.2", recursive=True)]
    return libraries[0] if libraries else None


def oneccl_environment(library):
    """What it is fastest with on one host."""
    lib = str(pathlib.Path(library).parent)
    return {
        "LD_LIBRARY_PATH": lib, "CCL_PLUGIN": "ONECCL_LEGACY_CPU", "FI_PROVIDER_PATH": lib, "CCL_ATL_TRANSPORT": "ofi",
        "FI_PROVIDER": "shm", "CCL_ATL_SHM": "1", "CCL_WORKER_OFFLOAD": "0", "CCL_YIELD": "sched_yield",
        "CCL_LOG_LEVEL": "error", "CCL_ZE_ENABLE": "0",  # it fails at old Level Zero loaders
    }


def mpi_environment():
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}


def torch_python():
    for python in filter(shutil.which, (str(TORCH), "python3", "/usr/bin/python3")):
        if subprocess.run([python, "-c", "import torch.distributed"], capture_output=True).returncode == 0:
            return python
    return None


def output(command, environment=None):
    """What it prints; where it fails, what it had printed, with the reason on standard error. None of it stays behind."""
    with subprocess.Popen(command, env=os.environ | (environment or {}), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as running:
        try:
            out, errors = running.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            out, _ = running.communicate()
            errors = f"not done in {LIMIT_S} s"
        except BaseException:
            os.killpg(running.pid, signal.SIGKILL)
            raise
    if running.returncode != 0:
        print(f"{' '.join(map(str, command[:6]))}: {errors.strip()[-200:]}", file=sys.stderr)
    return out


def ours(clusters, operation, ranges, *options):
    """Size -> what `tombolo bench --json` says of it, out of place. A wrong result ends the program."""
    found = {}
    for first, last, factor, calls in ranges:
        lines = output([str(ROOT / "tombolo"), "bench", operation, "--clusters", clusters, "-b", str(first), "-e", str(last),
                        "-f", str(factor), "-n", str(calls), "--blocking", "--json", *options], {"TOMBOLO_BUILD": "never"})
        for row in (json.loads(line) for line in lines.splitlines() if line.startswith("{")):
            if row["wrong"]:
                sys.exit(f"{operation} of {clusters}: {row['wrong']} wrong elements at {row['size']} bytes")
            if not row["in_place"]:
                found[row["size"]] = row
    return found


def figures(rows):
    """Size -> (median, p99, processor time, cold), of our rows."""
    return {size: (row["time_us"], row["p99_us"], row["cpu_us"], row.get("cold_us")) for size, row in rows.items()}


def slowest(printed, ranks):
    """Size -> (median, p99, processor time) of what all ranks have told: the largest of the times, as of ours, and the mean of
    the processor times."""
    told_of = {}
    for line in printed.splitlines():
        size, *numbers = line.split() or [""]
        if size.isdigit() and len(numbers) == 3:
            told_of.setdefault(int(size), []).append([float(number) for number in numbers])
    return {size: (max(medians), max(p99s), statistics.mean(used))
            for size, (medians, p99s, used) in ((size, zip(*lines)) for size, lines in told_of.items() if len(lines) == ranks)}


def peer(ranks, command, environment=None):
    """Size -> (median, p99, processor time)."""
    return slowest(output(command, environment), ranks)


def words(of):
    return [str(size) for size in of]


def open_mpi(folder, ranks):
    """What times an operation at some sizes, as all of these; None where it is not installed."""
    if not shutil.which("mpicc.openmpi"):
        return None
    program = compiled(folder, "mpicc.openmpi", "mpi.c")
    start = ["mpirun.openmpi", "--oversubscribe", "-n", str(ranks), program]
    return lambda operation, of: peer(ranks, start + [operation] + words(of), mpi_environment())


def gloo(ranks):
    python = torch_python()
    start = [python, str(HERE / "gloo.py"), str(ranks)]
    return python and (lambda operation, of: peer(ranks, start + [operation] + words(of)))


def host_engine(folder, ranks):
    start = [compiled(folder, "gcc", "nccl_shape.c", "-ldl"), str(ranks), engine(), "tombolo", "128", "private"]
    return lambda operation, of: peer(ranks, start + [operation] + words(of))


def intel(folder, ranks):
    """oneCCL: it spins, so that ranks that share a core take a time slice for a call, and make few."""
    library = oneccl()
    if not library:
        return None
    few = ["-DMOST_CALLS=20"] if ranks > os.cpu_count() else []
    program = compiled(folder, "gcc", "nccl_shape.c", "-ldl", *few, name="oneccl")
    start = [program, str(ranks), library, "oneccl", "4096", "private"]

    def measured(operation, of):
        found = peer(ranks, start + [operation] + words(of), oneccl_environment(library))
        return {size: (median, None if few else p99, used) for size, (median, p99, used) in found.items()}

    return measured


def floor(folder, ranks):
    """What gives, for a way to wait, what times an operation."""
    program = compiled(folder, "gcc", "floor.c", "-O3")
    return lambda waiting: lambda operation, of: peer(ranks, [program, waiting, str(ranks), operation] + words(of))


def device_floor(folder, ranks):
    """What gives, for ranks that are alone or together, what takes as long for every operation; None without devices."""
    library = emulated_cuda()
    program = compiled(folder, "gcc", "device_floor.c", "-ldl")
    return library and (lambda how: lambda operation, of: peer(ranks, [program, how, str(ranks), library] + words(of)))


def told(size, p99):
    """The 99th percentile, where there are enough calls to tell it."""
    return p99 if size <= TELLING else None


def medians(rounds):
    """Of each figure of each size, over the rounds that have it; None where none has."""
    found = {}
    for size in sorted({size for measured in rounds for size in measured}):
        cells = [measured[size] for measured in rounds if size in measured]
        columns = [[cell[i] for cell in cells if cell[i] is not None] for i in range(len(cells[0]))]
        found[size] = [statistics.median(column) if column else None for column in columns]
    return found
