# SPDX-License-Identifier: Apache-2.0
"""Which tests passed in one run and not in another, by their reports.

    python passed_there_alone.py THERE HERE

THERE and HERE are folders with TEST-*.xml. Exits with 1 if a test passed THERE and not HERE, or if none passed THERE: then
nothing was compared.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def outcomes(folder: Path) -> dict[str, str]:
    """What became of each test that the folder's reports name."""
    found: dict[str, str] = {}
    for report in sorted(folder.glob("TEST-*.xml")):
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            ended = [each.tag for each in case if each.tag in ("error", "failure", "skipped")]
            found[f"{case.get('classname')}.{case.get('name')}"] = ended[0] if ended else "passed"
    return found


def main(there: Path, here: Path) -> int:
    passed = [name for name, outcome in outcomes(there).items() if outcome == "passed"]
    ours = outcomes(here)
    alone = [name for name in passed if ours.get(name) != "passed"]
    for name in alone:
        print(f"{name}: passed in {there.name}, {ours.get(name, 'not run')} in {here.name}")
    print(f"{len(passed)} tests passed in {there.name}; {len(passed) - len(alone)} of these passed in {here.name}, too")
    return 1 if alone or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
