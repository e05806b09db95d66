# SPDX-License-Identifier: Apache-2.0
"""What ./tombolo ras sees of a job that torchrun has started, in the store that torch hosts."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from ranks import free_port, torchrun

LAUNCHER = Path(__file__).parents[3] / "tombolo"

# Rank 0 looks at its own job; the answers are lines of its output.
PROGRAM = f"""
import json, os, subprocess, torch, torch.distributed as dist
import tombolo

dist.init_process_group("tombolo")
pair = dist.new_group([0, 1])
for _ in range(3):
    dist.all_reduce(torch.ones(4))
dist.all_reduce(torch.ones(4), group=pair)
if dist.get_rank() == 0:
    place = os.environ["MASTER_ADDR"] + ":" + os.environ["MASTER_PORT"]
    for token in os.environ["LOOKS"].split(","):
        seen = subprocess.run(
            [{str(LAUNCHER)!r}, "ras", place, "--json"],
            env={{**os.environ, "TOMBOLO_STORE": "torch", "TOMBOLO_TOKEN": token}},
            capture_output=True,
            text=True,
            timeout=120,
        )
        print("SEEN", json.dumps([seen.returncode, seen.stdout, seen.stderr]), flush=True)
dist.barrier()
dist.destroy_process_group()
"""


class RasTest(unittest.TestCase):
    def looks(self, *options: str, tokens: list[str], variables: dict[str, str]) -> list[Any]:
        """What rank 0 sees with each of the tokens: exit code, output and errors."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "job.py")
            program.write_text(PROGRAM)
            status, output, errors = torchrun(
                "--nproc-per-node=2",
                *options,
                str(program),
                variables={"TOMBOLO_LIVENESS_MS": "1500", "LOOKS": ",".join(tokens), **variables},
            )
        self.assertEqual(0, status, f"{output}\n{errors}")
        return [json.loads(line[5:]) for line in output.splitlines() if line.startswith("SEEN ")]

    def should_be_well(self, seen: Any) -> None:
        code, output, errors = seen
        self.assertEqual(0, code, f"{output}\n{errors}")
        health = json.loads(output)
        self.assertTrue(health["isWell"])
        self.assertEqual([0, 1], sorted(rank["rank"] for rank in health["ranks"]))
        self.assertEqual(["alive", "alive"], [rank["condition"] for rank in health["ranks"]])

    def test_should_see_the_ranks_in_torchs_store(self) -> None:
        [seen] = self.looks("--standalone", tokens=[""], variables={})
        self.should_be_well(seen)

    def test_should_ask_for_the_token_that_the_ranks_were_given(self) -> None:
        token = "ab" * 32
        right, wrong, none = self.looks(
            f"--master-port={free_port()}",
            tokens=[token, "cd" * 32, ""],
            variables={"TOMBOLO_TOKEN": token},
        )
        self.should_be_well(right)
        self.assertNotEqual(0, wrong[0], wrong)
        self.assertIn("communicator-tombolo", wrong[2])
        self.assertNotEqual(0, none[0], none)
        self.assertIn("TOMBOLO_TOKEN is not set", none[2])


if __name__ == "__main__":
    unittest.main()
