# SPDX-License-Identifier: Apache-2.0
"""Which of torch's own cases we should pass: torch_cases/gloo-N.txt has what Gloo passes with N ranks, exceptions.txt what
of that we do not, replaced.txt the names of torch that are not torch's in our runs. further.txt has cases of torch's
repository that its package lacks."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

LISTS = Path(__file__).parent / "torch_cases"


def lines(name: str) -> list[str]:
    """Those of a list that are no comments."""
    return [line for line in (LISTS / name).read_text().splitlines() if line and not line.startswith("#")]


def passed_by_gloo(ranks: int) -> list[str]:
    return lines(f"gloo-{ranks}.txt")


def further_cases() -> list[str]:
    """Of torch's repository: FILE::CLASS::TEST in its test/distributed."""
    return lines("further.txt")


def replaced_names() -> set[str]:
    """What is not torch's in a run over us."""
    found = set()
    for line in lines("replaced.txt"):
        name, reason = (part.strip() for part in line.split("|"))
        assert reason, f"{name} has no reason in replaced.txt"
        found.add(name)
    return found


def exceptions(vendors: list[str]) -> set[str]:
    """What we do not pass with these ranks."""
    return excepted(lines("exceptions.txt"), vendors)


def excepted(all_lines: list[str], vendors: list[str]) -> set[str]:
    found = set()
    for line in all_lines:
        case, layout, reason = (part.strip() for part in line.split("|"))
        assert reason, f"{case} has no reason in exceptions.txt"
        if fnmatchcase(",".join(vendors), layout):
            found.add(case)
    return found


def surprises(wanted: list[str], outcomes: dict[str, str], excepted: set[str]) -> list[str]:
    """What of `wanted` did not end as expected: passed, unless it is excepted; then not."""
    found = []
    for case in wanted:
        outcome = outcomes.get(case, "lost")
        if case in excepted and outcome == "passed":
            found.append(f"{case} passed, and should be no exception any more")
        elif case not in excepted and outcome != "passed":
            found.append(f"{case} {outcome}, and Gloo passes it")
    return found
