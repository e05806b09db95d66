# SPDX-License-Identifier: Apache-2.0
"""Which package .ci/torch-install installs, where several checkouts share a virtual environment."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

CI = Path(__file__).parents[3] / ".ci"
FOLDERS = (".mvn", "topology", "adaptors", "rdma", "runtime/torch/tombolo", "bench")  # that a package is made of
PIP = """#!/bin/sh
echo "$@" >> "$0.calls"
"""


class CiInstallTest(unittest.TestCase):
    """A checkout without content, whose virtual environment has a pip that writes down how it is called."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout, self.venv = Path(folder.name, "checkout"), Path(folder.name, "venv")
        for name in (".ci", "target/torch-package", *FOLDERS):
            (self.checkout / name).mkdir(parents=True)
        (self.checkout / "pom.xml").touch()
        for name in ("torch-inputs", "torch-install"):
            shutil.copy(CI / name, self.checkout / ".ci")
        (self.venv / "bin").mkdir(parents=True)
        self.pip = self.venv / "bin" / "pip"
        self.pip.write_text(PIP)
        self.pip.chmod(0o755)

    def have_torch(self, version: str) -> None:
        """Makes the environment anew, as .ci/torch does, but for pip."""
        (self.venv / "stamp").write_text(f"torch=={version}\n")
        (self.venv / "made-of").unlink(missing_ok=True)

    def build(self) -> None:
        """As .ci/torch does."""
        package = self.checkout / "target" / "torch-package"
        (package / "tombolo-1.whl").touch()
        (package / "made-of").write_text(self.run_script("torch-inputs").stdout)

    def run_script(self, name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.checkout / ".ci" / name, self.venv], capture_output=True, text=True, timeout=60
        )

    def installed(self) -> int:
        """How many times a package was installed."""
        calls = Path(f"{self.pip}.calls")
        return len(calls.read_text().splitlines()) if calls.exists() else 0

    def refuse(self) -> None:
        before = self.installed()
        done = self.run_script("torch-install")
        self.assertEqual(1, done.returncode)
        self.assertIn("run .ci/torch first", done.stderr)
        self.assertEqual(before, self.installed())

    def test_should_install_what_was_built_here_unless_it_is_there(self) -> None:
        self.have_torch("2.15.0")
        self.build()
        for _ in range(2):
            done = self.run_script("torch-install")
            self.assertEqual((0, 1), (done.returncode, self.installed()), done.stderr)
        (self.venv / "made-of").write_text("another checkout's\n")
        self.run_script("torch-install")
        self.assertEqual(2, self.installed())

    def test_should_not_install_what_was_built_for_another_torch(self) -> None:
        self.have_torch("2.15.0")
        self.build()
        self.have_torch("2.16.0")  # as a checkout that wants it does
        self.refuse()

    def test_should_not_install_what_was_built_of_other_sources(self) -> None:
        self.have_torch("2.15.0")
        self.build()
        (self.checkout / "runtime" / "torch" / "tombolo" / "new.py").touch()
        self.refuse()

    def test_should_not_install_where_torch_is_not_whole(self) -> None:
        self.have_torch("2.15.0")
        self.build()
        (self.venv / "stamp").unlink()
        self.refuse()


if __name__ == "__main__":
    unittest.main()
