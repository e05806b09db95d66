# SPDX-License-Identifier: Apache-2.0
"""What launchers say, and which torch will do."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist

from ranks import COMPILE_SECONDS, compilers, free_port, preload, run
from test_launchers import LAUNCHERS_VARIABLES
from tombolo._built_for import TORCH
from tombolo._launch import export, resolve
from tombolo._vendor import choose, load_compiler, vendor_of
from tombolo._versions import check_torch

preload("torch._dynamo")

NOTHING = (None, None, None)
INITIALIZED = """
import ctypes, tombolo
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(tombolo.initialize_distributed(local_rank=1))
print(*(getenv(name).decode() for name in (b"WORLD_SIZE", b"RANK", b"LOCAL_RANK", b"MASTER_ADDR", b"MASTER_PORT")))
"""


def chosen(accelerator: str | None, **variables: str) -> tuple[str, int]:
    """Vendor and device of a rank where torch has this accelerator, and 3 is the current one."""
    found = accelerator and torch.device(accelerator)
    own = {name: value for name, value in os.environ.items() if name != "TOMBOLO_VENDOR"}
    with (
        patch("torch.accelerator.current_accelerator", return_value=found),
        patch("torch.accelerator.current_device_index", return_value=3),
        patch("torch.version.hip", None),
        patch.dict(os.environ, {**own, **variables}, clear=True),
    ):
        return choose()


def meet(rank: int, method: str, forget: bool = False) -> tuple[int, int, float]:
    """Who this is, and the sum of all ranks, after PyTorch/XLA's four functions gave the same eagerly and compiled."""
    if forget:
        for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
            del os.environ[name]
    dist.init_process_group("tombolo", init_method=method)
    size = dist.get_world_size()
    last = dist.new_group([size - 1])  # one more group, where XLA has but one
    own = last if rank == size - 1 else dist.group.WORLD
    sends = [1 + peer for peer in range(size)]
    receives = [1 + rank] * size  # as many from each: uneven on the sender's side

    def all_of(tensor: torch.Tensor) -> list[torch.Tensor]:
        total = tensor.clone()
        dist.all_reduce(total)
        gathered = tensor.new_empty(size)
        dist.all_gather_into_tensor(gathered, tensor)
        share = tensor.new_empty(1)
        dist.reduce_scatter_tensor(share, gathered * 2)
        exchanged = tensor.new_empty(sum(receives))
        dist.all_to_all_single(exchanged, tensor.repeat(sum(sends)), receives, sends)
        return [total, gathered, share, exchanged]

    def of_group(tensor: torch.Tensor) -> torch.Tensor:
        dist.all_reduce(tensor, group=own)
        return tensor

    def each_way(function: Callable[..., Any]) -> list[Callable[..., Any]]:
        return [function, *(torch.compile(function, backend=compiler, fullgraph=True) for compiler in compilers())]

    ranks = [float(peer) for peer in range(size)]
    one = torch.tensor([float(rank)])
    expected = [[sum(ranks)], ranks, [2.0 * size * rank], [peer for peer in ranks for _ in range(1 + rank)]]
    for how in each_way(all_of):
        got = [tensor.tolist() for tensor in how(one)]
        assert got == expected, (how, got, expected)
    if own is last:
        for how in each_way(of_group):
            assert how(one.clone()).item() == rank
    return dist.get_rank(), size, sum(ranks)


class LaunchTest(unittest.TestCase):
    def test_should_take_what_is_given_first(self) -> None:
        torchrun = {"WORLD_SIZE": "8", "RANK": "5", "LOCAL_RANK": "1"}
        self.assertEqual((8, 5, 1), resolve(NOTHING, torchrun))
        self.assertEqual((8, 3, 1), resolve((None, 3, None), torchrun))

    def test_should_understand_other_launchers(self) -> None:
        mpi = {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "0"}
        slurm = {"SLURM_NTASKS": "2", "SLURM_PROCID": "1", "SLURM_LOCALID": "1"}
        self.assertEqual((4, 2, 0), resolve(NOTHING, mpi))
        self.assertEqual((2, 1, 1), resolve(NOTHING, slurm))

    def test_should_be_alone_without_a_launcher(self) -> None:
        self.assertEqual((1, -1, -1), resolve(NOTHING, {}))

    def test_should_take_each_variable_that_the_user_has_set(self) -> None:
        self.assertEqual((2, 1, -1), resolve(NOTHING, {"WORLD_SIZE": "2", "RANK": "1"}))
        self.assertEqual((1, 0, -1), resolve(NOTHING, {"RANK": "0"}))

    def test_should_take_the_users_variables_before_the_launchers(self) -> None:
        slurm = {"SLURM_NTASKS": "1", "SLURM_PROCID": "0", "SLURM_LOCALID": "0"}  # of the shell that starts the ranks
        self.assertEqual((2, 1, -1), resolve(NOTHING, {**slurm, "WORLD_SIZE": "2", "RANK": "1"}))
        tasks = {"SLURM_NTASKS": "8", "SLURM_PROCID": "3", "SLURM_LOCALID": "1"}
        self.assertEqual((4, 3, 1), resolve(NOTHING, {**tasks, "WORLD_SIZE": "4"}))

    def test_should_initialize_for_native_libraries_too(self) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS_VARIABLES)}
        done = subprocess.run(
            [sys.executable, "-c", INITIALIZED],
            env={**own, "WORLD_SIZE": "4", "RANK": "2", "MASTER_PORT": "4711"},
            capture_output=True,
            text=True,
            timeout=240,
        )
        self.assertEqual(["(4, 2, 1)", "4 2 1 localhost 4711"], done.stdout.splitlines(), done.stderr)

    def test_should_refuse_a_rank_that_there_is_not(self) -> None:
        with self.assertRaisesRegex(ValueError, "rank 4 is not one of 4 ranks"):
            resolve((4, 4, 0), {})

    def test_should_export_the_answer_and_keep_the_meeting_place(self) -> None:
        environment = {"MASTER_ADDR": "10.0.0.1"}
        export((2, 1, 0), environment)
        self.assertEqual(
            {"WORLD_SIZE": "2", "RANK": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "12345"},
            environment,
        )

    def test_should_export_only_what_is_known(self) -> None:
        environment: dict[str, str] = {}
        export((2, 1, -1), environment)
        self.assertNotIn("LOCAL_RANK", environment)

    def test_should_meet_by_its_own_scheme(self) -> None:
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        answers = run(meet, 2, "tombolo://", join=False, variables=[place] * 2, timeout=COMPILE_SECONDS)
        self.assertEqual([(0, 2, 1.0), (1, 2, 1.0)], answers)

    def test_should_meet_nobody_without_a_launcher(self) -> None:
        self.assertEqual([(0, 1, 0.0)], run(meet, 1, "tombolo://", True, join=False, timeout=COMPILE_SECONDS))

    def test_should_refuse_a_meeting_place_in_the_scheme(self) -> None:
        with self.assertRaisesRegex(ValueError, "MASTER_ADDR and MASTER_PORT"):
            next(dist.rendezvous("tombolo://10.0.0.1:5"))

    def test_should_refuse_an_older_torch_and_say_what_to_do(self) -> None:
        check_torch("2.11.0+cpu", "2.11.0+cpu")
        check_torch("3.0.0", "3.0.0")
        with self.assertRaisesRegex(ImportError, "torch 2.11 or later.*pip install"):
            check_torch("2.10.1", "2.11.0")

    def test_should_refuse_another_torch_than_the_one_it_was_compiled_against(self) -> None:
        check_torch("2.15.1+cpu", "2.15.0+cu130")
        for other in ("2.16.0", "2.14.2", "3.15.0"):
            with self.assertRaisesRegex(ImportError, f"against torch 2.15.0.*this is {other}: install tombolo again.*pip install"):
                check_torch(other, "2.15.0")

    def test_should_refuse_another_torch_when_it_is_imported(self) -> None:
        program = "import torch; torch.__version__ = '9.9.0'; import tombolo"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
        self.assertEqual(1, done.returncode)
        self.assertIn(f"ImportError: tombolo was compiled against torch {TORCH}, and this is 9.9.0: install", done.stderr)

    def test_should_know_the_torch_that_it_was_compiled_against(self) -> None:
        self.assertEqual(torch.__version__, TORCH)

    def test_should_tell_amd_from_nvidia(self) -> None:
        self.assertEqual(("nvidia", "amd", "intel"), (vendor_of("cuda", False), vendor_of("cuda", True), vendor_of("xpu", False)))

    def test_should_take_the_device_of_the_vendor_that_serves_the_rank(self) -> None:
        self.assertEqual(("nvidia", 3), chosen("cuda"))
        self.assertEqual(("nvidia", 3), chosen("cuda", TOMBOLO_VENDOR="nvidia"))
        self.assertEqual(("host", -1), chosen("cuda", TOMBOLO_VENDOR="host"))  # which has no device of that number
        self.assertEqual(("intel", -1), chosen("cuda", TOMBOLO_VENDOR="intel"))
        self.assertEqual(("intel", 3), chosen("xpu", TOMBOLO_VENDOR="intel"))
        self.assertEqual(("maca", 3), chosen("cuda", TOMBOLO_VENDOR="maca"))  # torch's name for its devices, too
        self.assertEqual(("", 3), chosen("mtia"))  # Tombolo finds out
        self.assertEqual(("host", -1), chosen(None))
        self.assertEqual(("intel", -1), chosen(None, TOMBOLO_VENDOR="intel"))

    def test_should_have_the_compiler_of_torch_loaded_for_nvidia_alone(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder).resolve() / "libcaffe2_nvrtc.so"
            subprocess.run([os.environ.get("CC", "gcc"), "-shared", "-o", library, "-x", "c", os.devnull], check=True)
            for vendor in ("amd", "nvidia"):
                load_compiler(vendor, library.parent)
                self.assertEqual(vendor == "nvidia", str(library) in Path("/proc/self/maps").read_text(), vendor)
            library.unlink()
            load_compiler("nvidia", library.parent)


if __name__ == "__main__":
    unittest.main()
