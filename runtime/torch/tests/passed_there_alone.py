# SPDX-License-Identifier: Apache-2.0
"""Which tests passed in one run and not in another, by their reports.

    python passed_there_alone.py THERE HERE FILE...

THERE and HERE are folders with TEST-FILE.xml for each FILE of tests. Exits with 1 if a test passed THERE and not HERE, or if of
some FILE none passed THERE, or there is no report: then nothing was compared.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def outcomes(report: Path) -> dict[str, str]:
    """What became of each test that a report names; nothing, of one that is missing or incomplete."""
    found: dict[str, str] = {}
    try:
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    except (FileNotFoundError, ElementTree.ParseError):
        cases = []
    for case in cases:
        ended = [each.tag for each in case if each.tag in ("error", "failure", "skipped")]
        found[f"{case.get('classname')}.{case.get('name')}"] = ended[0] if ended else "passed"
    return found


def main(there: Path, here: Path, *files: str) -> int:
    there_and_here, alone, empty = 0, 0, 0
    for file in files:
        report = f"TEST-{file}.xml"
        passed = [name for name, outcome in outcomes(there / report).items() if outcome == "passed"]
        if not passed:
            print(f"{file}: no test passed in {there.name}, by its {report}")
            empty += 1
        ours = outcomes(here / report)
        for name in passed:
            if ours.get(name) == "passed":
                there_and_here += 1
            else:
                print(f"{name}: passed in {there.name}, {ours.get(name, 'not run')} in {here.name}")
                alone += 1
    print(
        f"{there_and_here + alone} tests of {len(files)} files passed in {there.name}; {there_and_here} of these passed in "
        f"{here.name}, too"
    )
    return 1 if alone or empty or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]))
