# SPDX-License-Identifier: Apache-2.0
"""Runs a script as Python would, but ends the process without taking the interpreter down: ends_at_once.py SCRIPT ..."""

from __future__ import annotations

import os
import runpy
import sys

sys.argv.pop(0)
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
sys.stdout.flush()
sys.stderr.flush()
os._exit(0)
