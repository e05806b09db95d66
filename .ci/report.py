# SPDX-License-Identifier: Apache-2.0
"""Sums up surefire's reports and checks every skipped test against .ci/expected-skips.

    python3 .ci/report.py EXPECTED ROOT REPORTS...

REPORTS are folders with TEST-*.xml. Ends with the counts; exits with 1 if a test failed, skipped
itself unexpectedly, or would never have been run because of its class's name. Before the counts
come the slowest tests.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

SLOWEST = 10


def expected_skips(path):
    """The pairs (test, message pattern) of the file's lines."""
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        test, bar, message = line.partition("|")
        if not bar:
            sys.exit(f"{path}:{number}: wants '<class>.<method> | <message>', has: {line}")
        pairs.append((test.strip(), message.strip()))
    return pairs


def matches(pattern, text):
    """Is text what pattern says, where * stands for anything?"""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None


def message_of(node):
    """What the exception said, on one line, without its class and its stack."""
    text = node.get("message") or re.split(r"\n\s+at ", node.text or "")[0]
    return " ".join(text.split()).removeprefix("org.testng.SkipException: ")


def cases_of_report(report):
    """Each test case of a report: (name, node)."""
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        # A test with a data provider carries its arguments: shouldDo[a, b](1). One that was interrupted may have no name.
        method = re.split(r"[\[(]", case.get("name") or "interrupted")[0]
        yield f"{case.get('classname')}.{method}", case


def outcome_of(case):
    """What became of a test case: (outcome, message)."""
    for outcome in ("error", "failure", "skipped"):
        node = case.find(outcome)
        if node is not None:
            return outcome, message_of(node)
    return "passed", ""


def slowest(folders):
    """The methods that took longest, with all their arguments: (seconds, runs, name, folder)."""
    sums = collections.defaultdict(lambda: [0.0, 0])
    for folder in folders:
        for report in folder.rglob("TEST-*.xml"):
            where = report.parent.relative_to(folder)
            for name, case in cases_of_report(report):
                row = sums[name, str(where)]
                row[0] += float(case.get("time") or 0)
                row[1] += 1
    rows = [(seconds, runs, name, where) for (name, where), (seconds, runs) in sums.items()]
    return sorted(rows, reverse=True)[:SLOWEST]


def overlooked(root):
    """Sources with tests whose class surefire does not take for a test class."""
    for source in sorted(root.glob("**/src/test/java/**/*.java")):
        if not source.stem.endswith("Test") and re.search(
            r"^\s*@Test\b", source.read_text(encoding="utf-8"), re.MULTILINE
        ):
            yield source.relative_to(root)


def main():
    expected = expected_skips(pathlib.Path(sys.argv[1]))
    root = pathlib.Path(sys.argv[2])
    folders = [pathlib.Path(folder) for folder in sys.argv[3:]]
    cases = [
        (name, *outcome_of(case))
        for folder in folders
        for report in sorted(folder.rglob("TEST-*.xml"))
        for name, case in cases_of_report(report)
    ]
    complaints = []
    used = set()
    for name, outcome, message in cases:
        if outcome in ("error", "failure"):
            complaints.append(f"{outcome}: {name}: {message}")
        elif outcome == "skipped":
            line = next(
                (
                    (test, pattern)
                    for test, pattern in expected
                    if matches(test, name) and matches(pattern, message)
                ),
                None,
            )
            if line:
                used.add(line)
            else:
                complaints.append(f"skipped, but not in {sys.argv[1]}: {name} | {message}")
    for test, pattern in expected:
        if (test, pattern) not in used:
            print(f"note: listed as a skip, but was not skipped: {test} | {pattern}")
    for source in overlooked(root):
        complaints.append(f"never run: {source} has tests, but its name does not end in Test")
    for complaint in complaints:
        print(complaint)

    print(f"the {SLOWEST} slowest tests, each with all its arguments:")
    for seconds, runs, name, where in slowest(folders):
        print(f"{seconds:8.1f} s {runs:5} x  {name} ({where})")

    count = {kind: sum(1 for _, outcome, _ in cases if outcome == kind) for kind in
             ("passed", "failure", "error", "skipped")}
    failed = count["failure"] + count["error"]
    print(f"Tests run: {len(cases)}, Failures: {count['failure']}, Errors: {count['error']}, "
          f"Skipped: {count['skipped']}")
    print(f"{count['passed']} passed, {failed} failed, {count['skipped']} skipped")
    if not cases:
        print("no test ran", file=sys.stderr)
    sys.exit(1 if complaints or not cases else 0)


if __name__ == "__main__":
    main()
