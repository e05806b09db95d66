# SPDX-License-Identifier: Apache-2.0
"""Cases of torch's repository that its package lacks, over Gloo and then over us: functional collectives, DTensor, tensor
parallelism, FSDP2, and those that c10d spawns.

    python further_cases.py FOLDER [CASE...]                      those of torch_cases/further.txt, or these
    VENDORS=intel,host python further_cases.py FOLDER [CASE...]   over ranks of these vendors in turn

FOLDER is test/distributed of torch's repository, at the version that is installed. Prints how each case ends, then what Gloo
passes and we do not, and counts; the status is 1 if there is any such case, or if Gloo passes none.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from torch_case_lists import further_cases, surprises

CASE_SECONDS = 300  # as long as torch itself gives most of them
RUN = Path(__file__).with_name("further_run.py")


def outcomes(folder: str, cases: list[str], vendors: str) -> dict[str, str]:
    """How each case ends over these vendors, or over Gloo if there are none."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "outcomes")
        done = subprocess.run(
            [sys.executable, str(RUN), folder, str(file), *cases],
            env={**os.environ, "VENDORS": vendors, "OMP_NUM_THREADS": "1"},
            timeout=60 + CASE_SECONDS * len(cases),
        )
        if done.returncode != 0:
            print(f"over {vendors or 'Gloo'}: ended with status {done.returncode}")
        return json.loads(file.read_text()) if file.exists() else {}


def counted(cases: list[str], found: dict[str, str]) -> str:
    return ", ".join(f"{count} {how}" for how, count in Counter(found.get(case, "lost") for case in cases).most_common())


def main(folder: str, cases: list[str]) -> int:
    vendors = os.environ.get("VENDORS") or "host"
    gloo, ours = outcomes(folder, cases, ""), outcomes(folder, cases, vendors)
    passing = [case for case in cases if gloo.get(case) == "passed"]
    wrong = surprises(passing, ours, set())
    print("".join(f"{line}\n" for line in wrong), end="")
    print(f"over Gloo: {counted(cases, gloo)}")
    print(f"over {vendors}: {counted(cases, ours)}")
    return 0 if passing and not wrong else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:] or further_cases()))
