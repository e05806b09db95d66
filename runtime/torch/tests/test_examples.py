# SPDX-License-Identifier: Apache-2.0
"""The examples, started by torchrun as documented: vendors mixed, and the same losses as with Gloo."""

from __future__ import annotations

import os
import sys
import unittest
from pathlib import Path

from ranks import oneccl_is_here, torchrun

EXAMPLES = Path(os.environ.get("TOMBOLO_EXAMPLES", Path(__file__).parent.parent / "examples"))
# Gloo's threads drop a call's tensors after the call has ended; one that does so while Python ends aborts the process.
ENDS_AT_ONCE = Path(__file__).parent / "ends_at_once.py"
RANK_BY_RANK = "export TOMBOLO_VENDOR=$(echo $VENDORS | cut -d, -f$((LOCAL_RANK + 1))); exec {python} {script}"


def start(*script: str | Path, vendors: list[str]) -> tuple[list[float], str]:
    """The losses, and the clusters, that rank 0 of a torchrun job prints; the script has compared all ranks' bits."""
    command = RANK_BY_RANK.format(python=sys.executable, script=" ".join(map(str, script)))
    status, output, errors = torchrun(
        "--standalone", "--nproc-per-node", str(len(vendors)), "--no-python", "bash", "-c", command,
        variables={"VENDORS": ",".join(vendors)},
    )  # fmt: skip
    if status != 0:
        raise AssertionError(f"{script} ended with {status}:\n{output[-3000:]}\n{errors[-6000:]}")
    said = {line.split()[0]: line.split()[1:] for line in output.splitlines() if line}
    return [float(loss) for loss in said["losses"]], " ".join(said.get("clusters", []))


class ExamplesTest(unittest.TestCase):
    def should_train_as_with_gloo(self, script: str, vendors: list[str], *arguments: str) -> None:
        ours, clusters = start(EXAMPLES / script, "tombolo", *arguments, vendors=vendors)
        gloo, _ = start(ENDS_AT_ONCE, EXAMPLES / script, "gloo", *arguments, vendors=vendors)
        for one, other in zip(ours, gloo):
            self.assertAlmostEqual(one, other, delta=1e-6)
        self.assertLess(ours[-1], ours[0])
        for vendor in vendors:
            self.assertIn(f"vendor={vendor}", clusters)

    def test_should_train_with_ddp_over_host_alone(self) -> None:
        self.should_train_as_with_gloo("train_ddp.py", ["host"] * 2)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL: ./tombolo get oneccl")
    def test_should_train_with_ddp_over_two_vendors_in_interleaved_order(self) -> None:
        self.should_train_as_with_gloo("train_ddp.py", ["intel", "host", "host", "intel"])

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL: ./tombolo get oneccl")
    def test_should_train_with_fsdp2_over_two_vendors(self) -> None:
        self.should_train_as_with_gloo("train_fsdp2.py", ["intel", "intel", "host", "host"])

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL: ./tombolo get oneccl")
    def test_should_train_under_torch_compile_over_two_vendors(self) -> None:
        # aot_eager traces as inductor does, without a minute of C++ compiler in every rank
        self.should_train_as_with_gloo("train_compile.py", ["intel", "intel", "host", "host"], "aot_eager")


if __name__ == "__main__":
    unittest.main()
