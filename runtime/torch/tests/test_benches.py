# SPDX-License-Identifier: Apache-2.0
"""The benches run, with a few calls each: what they print is there, whatever the times."""

from __future__ import annotations

import importlib
import io
import re
import sys
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from ranks import free_port, oneccl_is_here, oneccl_library, run

BENCH = Path(__file__).parent.parent / "bench"
LITTLE = {
    "oneccl": {"SIZES": [8, 64 << 10], "WARM_UP_CALLS": 3},
    "compare": {"SIZES": [8, 64 << 10], "WARM_UP_CALLS": 3, "BATCH_SECONDS": 0.001},
    "costs": {"TURNS": 1, "CALLS": 3, "WARM_UP_TURNS": 1, "STEPS": 2, "STEPS_OF_WIDE": 1},
}


def printed(rank: int, bench: str, *arguments: str) -> str:
    """What a bench has printed that does little."""
    sys.path.insert(0, str(BENCH))
    module = importlib.import_module(bench)
    for name, value in LITTLE[bench].items():
        assert hasattr(module, name), name
        setattr(module, name, value)
    sys.argv = [bench, *arguments]
    with redirect_stdout(io.StringIO()) as output:
        module.main()
    return output.getvalue()


class BenchesTest(unittest.TestCase):
    def printed(self, bench: str, *arguments: str, vendor: str = "host") -> list[str]:
        meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "TOMBOLO_VENDOR": vendor}
        first, other = run(printed, 2, bench, *arguments, variables=[meeting] * 2, join=False)
        self.assertEqual("", other)
        return first.splitlines()

    def test_should_compare_with_gloo(self) -> None:
        _, *rows = self.printed("compare", "0.01")
        named = [re.match(r"(\w+) +(\d+) +\d.* +\d+\.\d\d$", row) for row in rows]
        operations = ["all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single"]
        expected = [(operation, str(size)) for size in LITTLE["compare"]["SIZES"] for operation in operations]
        self.assertEqual(expected, [row and row.groups() for row in named], rows)

    @unittest.skipUnless(oneccl_is_here(), "no oneCCL here: ./tombolo get oneccl")
    def test_should_compare_with_oneccl_itself(self) -> None:
        _, *rows = self.printed("oneccl", oneccl_library(), "0.01", vendor="intel")
        named = [re.match(r" *(\d+)( +\d+\.\d){4}  \d+\.\d\d, \d+\.\d\d$", row) for row in rows]
        self.assertEqual([str(size) for size in LITTLE["oneccl"]["SIZES"]], [row and row[1] for row in named], rows)

    def test_should_say_what_tombolo_costs(self) -> None:
        rows = self.printed("costs")
        titles = [row for row in rows if not row.startswith(" ")]
        self.assertEqual(4, len(titles), rows)
        self.assertEqual(3 + 3 + 2 + 2, len([row for row in rows if re.search(r"\d (MB|µs|ms)$", row)]), rows)


if __name__ == "__main__":
    unittest.main()
