# SPDX-License-Identifier: Apache-2.0
"""The same program, started in all the ways in which people start one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from ranks import free_port

JOINED = """
import sys, torch, torch.distributed as dist, tombolo
from datetime import timedelta
dist.init_process_group("tombolo", init_method=sys.argv[1], timeout=timedelta(seconds=60))
sum = torch.ones(1)
dist.all_reduce(sum)
print(f"{dist.get_rank()} of {dist.get_world_size()}: {sum.item():.0f}\\n", end="", flush=True)
dist.destroy_process_group()
"""
SPAWNED = """
import sys, torch, torch.distributed as dist, tombolo

def work(rank, port):
    dist.init_process_group("tombolo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    sum = torch.ones(1)
    dist.all_reduce(sum)
    print(f"{rank} of 2: {sum.item():.0f}\\n", end="", flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    torch.multiprocessing.spawn(work, args=(int(sys.argv[1]),), nprocs=2)
"""
PROGRAM = [sys.executable, "-c", JOINED]
DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
OPEN_MPI = shutil.which("mpirun.openmpi")
HYDRA = shutil.which("mpiexec.hydra")
LAUNCHERS_VARIABLES = (
    "RANK", "WORLD_SIZE", "LOCAL_", "MASTER_", "OMPI_", "PMI", "PALS_", "MPI_", "SLURM_", "TORCHELASTIC_", "TOMBOLO_"
)  # fmt: skip


def environment() -> dict[str, str]:
    """Without any launcher's variables, and none of ours; two jobs of this machine do not meet."""
    own = {"MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    return {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS_VARIABLES)} | own


class LaunchersTest(unittest.TestCase):
    def should_be_one_job(self, *command: str) -> None:
        started = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=240)
        self.assertEqual(0, started.returncode, started.stderr[-4000:])
        said = sorted(line for line in started.stdout.split("\n") if " of " in line)
        self.assertEqual(["0 of 2: 2", "1 of 2: 2"], said)

    @unittest.skipUnless(OPEN_MPI, "no Open MPI: apt-get install openmpi-bin")
    def test_should_start_by_open_mpi(self) -> None:
        self.should_be_one_job(OPEN_MPI, "--oversubscribe", "--allow-run-as-root", "-n", "2", *PROGRAM, "tombolo://")

    @unittest.skipUnless(HYDRA, "no Hydra: apt-get install mpich")
    def test_should_start_by_hydra(self) -> None:
        self.should_be_one_job(HYDRA, "-n", "2", *PROGRAM, "tombolo://")

    def test_should_start_by_torchrun_and_its_own_rendezvous(self) -> None:
        self.should_be_one_job(
            sys.executable, "-m", "torch.distributed.run", "--nnodes", "1", "--nproc-per-node", "2",
            "--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{free_port()}", "--rdzv-id", "test",
            "--no-python", *PROGRAM, "env://",
        )  # fmt: skip

    def test_should_start_by_a_shell(self) -> None:
        shell = 'export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2; RANK=0 "$@" & RANK=1 "$@" && wait $!'
        for method in ("env://", "tombolo://") if DEEP else ("env://",):
            with self.subTest(method):
                self.should_be_one_job("sh", "-c", shell, "sh", *PROGRAM, method)

    def test_should_start_by_spawn(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "spawned.py")
            program.write_text(SPAWNED)
            self.should_be_one_job(sys.executable, str(program), str(free_port()))


if __name__ == "__main__":
    unittest.main()
