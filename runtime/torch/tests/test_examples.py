# SPDX-License-Identifier: Apache-2.0
"""The examples, started by torchrun as documented: vendors mixed, and the same losses as with Gloo. TOMBOLO_DEEP=1 runs
each of them over four vendors in interleaved order, too, one over host alone, and lets inductor compile."""

from __future__ import annotations

import functools
import io
import os
import runpy
import secrets
import shutil
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from followers import EXAMPLES, STORE_RL, Followers
from ranks import COMPILE_SECONDS, compilers, free_port, oneccl_is_here, preload, run, torchrun
from tombolo.store import Volume

preload("torch._dynamo", "torch.distributed.fsdp")

DEEP = os.environ.get("TOMBOLO_DEEP") == "1"
UNCOMPILED = {"train_compile.py": "train_ddp.py"}  # beside which the losses are looked at
STEPS = 20  # of each script
FOUR = ["intel", "mpi", "host", "emu-intel", "intel"]  # the first and the last one belong together
INTERLEAVED = ["intel", "host", "mpi", "emu-intel", "host", "intel"]
RANK_BY_RANK = "export TOMBOLO_VENDOR=$(echo $VENDORS | cut -d, -f$((LOCAL_RANK + 1))); exec {python} {script}"


def losses_in(output: str) -> list[float]:
    """Those that rank 0 has printed; none of another rank, which prints nothing."""
    return [float(loss) for line in output.splitlines() if line.startswith("losses ") for loss in line.split()[1:]]


def start(script: str, *arguments: str, vendors: list[str], **variables: str) -> tuple[list[float], str]:
    """The losses, and the clusters, that rank 0 of a torchrun job prints; the script has compared all ranks' bits."""
    command = RANK_BY_RANK.format(python=sys.executable, script=" ".join([str(EXAMPLES / script), *arguments]))
    status, output, errors = torchrun(
        "--standalone", "--nproc-per-node", str(len(vendors)), "--no-python", "bash", "-c", command,
        variables={"VENDORS": ",".join(vendors), **variables}, timeout=COMPILE_SECONDS,
    )  # fmt: skip
    if status != 0:
        raise AssertionError(f"{script} ended with {status}:\n{output[-3000:]}\n{errors[-6000:]}")
    clusters = [line for line in output.splitlines() if line.startswith("cluster ")]
    return losses_in(output), "\n".join(clusters)


def train_with_gloo(rank: int, script: str) -> list[float]:
    sys.path.insert(0, str(EXAMPLES))
    sys.argv = [script, "gloo"]
    with redirect_stdout(io.StringIO()) as output:
        runpy.run_path(str(EXAMPLES / script), run_name="__main__")
    return losses_in(output.getvalue())


@functools.cache
def losses_with_gloo(script: str, size: int) -> list[float]:
    """Those of a job of so many ranks: they do not depend on vendors, nor on how ranks are started."""
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    return run(train_with_gloo, size, script, variables=[place] * size, join=False)[0]


class ExamplesTest(unittest.TestCase):
    def should_train_as_with_gloo(self, script: str, vendors: list[str], *arguments: str, **variables: str) -> None:
        ours, clusters = start(script, "tombolo", *arguments, vendors=vendors, **variables)
        gloo = losses_with_gloo(UNCOMPILED.get(script, script), len(vendors))
        self.assertEqual((STEPS, STEPS), (len(gloo), len(ours)))
        for one, other in zip(ours, gloo):
            self.assertAlmostEqual(one, other, delta=1e-6)
        self.assertLess(ours[-1], ours[0])
        for vendor in vendors:
            ranks = " ".join(str(rank) for rank, its in enumerate(vendors) if its == vendor)
            self.assertRegex(clusters, f"(?m)^cluster [0-9]+, {vendor}: ranks {ranks}$")

    def test_should_train_with_ddp_over_two_vendors_in_interleaved_order_and_without_numpy(self) -> None:
        other = "intel" if oneccl_is_here() else "host"
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "numpy.py").write_text("raise ModuleNotFoundError('no numpy here')")
            for vendors in [[other, "host", "host", other], *([["host"] * 2] if DEEP else [])]:
                self.should_train_as_with_gloo("train_ddp.py", vendors, PYTHONPATH=folder)

    @unittest.skipUnless(oneccl_is_here() and shutil.which("mpirun.openmpi"), "no oneCCL or no Open MPI")
    def test_should_train_with_ddp_over_four_vendors(self) -> None:
        self.should_train_as_with_gloo("train_ddp.py", FOUR)
        if DEEP:
            self.should_train_as_with_gloo("train_ddp.py", INTERLEAVED)
            self.should_train_as_with_gloo("train_compile.py", INTERLEAVED, "aot_eager")

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL: ./tombolo get oneccl")
    def test_should_train_with_fsdp2_over_two_vendors(self) -> None:
        self.should_train_as_with_gloo("train_fsdp2.py", ["intel", "host", "host", "intel"])

    @unittest.skipUnless(oneccl_is_here() and shutil.which("mpirun.openmpi"), "no oneCCL or no Open MPI")
    def test_should_train_with_fsdp2_over_four_vendors(self) -> None:
        self.should_train_as_with_gloo("train_fsdp2.py", ["intel", "mpi", "host", "emu-intel"])
        if DEEP:
            self.should_train_as_with_gloo("train_fsdp2.py", INTERLEAVED)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL: ./tombolo get oneccl")
    def test_should_train_under_torch_compile_over_two_vendors(self) -> None:
        for compiler in compilers():
            self.should_train_as_with_gloo("train_compile.py", ["intel", "host", "host", "intel"], compiler)


class StoreExamplesTest(Followers):
    def test_should_have_a_generator_follow_a_trainer(self) -> None:
        with Volume() as volume:
            generator, trainer = (
                self.begun(STORE_RL, role, volume.address, token=volume.token) for role in ("generate", "train")
            )
            seen = self.should_have_followed(self.rows(trainer), self.rows(generator))
        self.assertEqual(20, len(seen))

    def test_should_have_a_generator_follow_a_trainer_whose_memory_it_reads(self) -> None:
        token = secrets.token_hex(32)
        trainer = self.begun(STORE_RL, "hold", "127.0.0.1:0", token=token)
        assert trainer.stdout is not None
        address = next(line for line in trainer.stdout if line.startswith("serves")).split()[-1]
        followed = self.rows(self.begun(STORE_RL, "follow", address, token=token))
        self.should_have_followed(self.rows(trainer), followed)

    def test_should_bring_an_adapter_back_bit_by_bit(self) -> None:
        (_, tensors, *_), (_, one, other) = self.rows(self.begun(str(EXAMPLES / "store_state_dict.py")))
        self.assertEqual("256", tensors)
        self.assertEqual(one, other)

    def test_should_read_on_two_ranks_what_four_have_written(self) -> None:
        status, output, errors = torchrun(
            "--standalone", "--nproc-per-node", "4", str(EXAMPLES / "store_spmd.py"), variables={"TOMBOLO_VENDOR": "host"}
        )
        self.assertEqual(0, status, f"{output[-3000:]}\n{errors[-6000:]}")
        rows = sorted(line.split() for line in output.splitlines() if line.startswith("rank"))
        self.assertEqual([["rank", "0", "has", "1000", "150"], ["rank", "1", "has", "1000", "150"]], [r[:5] for r in rows])
        self.assertEqual(1, len({checksum for row in rows for checksum in row[6:]}), rows)


if __name__ == "__main__":
    unittest.main()
