# SPDX-License-Identifier: Apache-2.0
"""pytest, for tests that leave actors behind: python .ci/pytest-of-actors.py ARGUMENT...

What counts is the verdict of pytest. Monarch ends actors with the process, in threads of its own; it ends a program in which
it finds a dead actor that nobody cares for, and an interpreter that takes itself down before those threads is aborted.
"""

import atexit
import os
import sys


class LastTest:
    """From here on a dead actor is told, and nothing else."""

    @staticmethod
    def pytest_sessionfinish() -> None:
        import monarch.actor

        monarch.actor.unhandled_fault_hook = lambda failure: print(f"after the last test: {failure}", file=sys.stderr)


def judge(verdict: int) -> None:
    import pytest

    status = pytest.main(sys.argv[1:], plugins=[LastTest()])
    os.write(verdict, bytes([status]))
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(status)


def main() -> int:
    told, verdict = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        judge(verdict)
    os.close(verdict)
    said = os.read(told, 1)  # nothing, if the child dies
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = said[0] if said else 1
    if ended != status:
        heard = status if said else "none"
        print(f"pytest of actors: ended with status {ended} after its verdict, {heard}", file=sys.stderr)
    return status


if __name__ == "__main__":  # processes that tests spawn import this file, too
    sys.exit(main())
