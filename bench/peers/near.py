# SPDX-License-Identifier: Apache-2.0
"""Whether the first two processors are near each other.

The host of a virtual machine moves its processors: for seconds they then have no cache in common, and what two ranks do
together takes up to five times as long, whoever calls. So a candidate waits until they are near (cores.c asks them), and
counts only if they still are when it has run; else it runs again, at most AGAIN times.
"""
import math
import os
import pathlib
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
AGAIN = 5
FAR = 2  # times what two that are near take to answer each other
FAR_LIMIT_S = 20
LIMIT_S = 10  # who takes so long for what is done in milliseconds shares his processor


class Processors:
    """The first two; where there is one only, it is always near."""

    def __init__(self, folder):
        """Has its program in `folder`."""
        self.program = pathlib.Path(folder) / "cores"
        self.several = os.cpu_count() > 1
        if self.several:
            subprocess.run(["gcc", "-O2", "-Wall", "-o", self.program, HERE / "cores.c", "-pthread"], check=True)
        self.near_ns = min(self._answer_ns() for _ in range(5)) if self.several else 0
        self.left_out = 0

    def _answer_ns(self):
        try:
            return int(subprocess.run([self.program], check=True, capture_output=True, text=True, timeout=LIMIT_S).stdout)
        except subprocess.TimeoutExpired:
            return math.inf

    def are_near(self):
        if not self.several:
            return True
        now_ns = self._answer_ns()
        self.near_ns = min(self.near_ns, now_ns)
        return now_ns < FAR * self.near_ns

    def _await_near(self):
        limit = time.monotonic() + FAR_LIMIT_S
        while not self.are_near() and time.monotonic() < limit:
            time.sleep(0.1)

    def near_while(self, run, *arguments):
        """What `run(*arguments)` gives when they are near before and after it; else what it gave last."""
        for _ in range(AGAIN):
            self._await_near()
            gave = run(*arguments)
            if self.are_near():
                return gave
            self.left_out += 1
        print(f"the processors were far from each other {AGAIN} times in turn: what ran last counts")
        return gave

    def text(self):
        return (f"processors that are near answer each other in {self.near_ns} ns;"
                f" {self.left_out} runs among far ones are left out")
