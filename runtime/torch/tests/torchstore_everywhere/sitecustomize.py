# SPDX-License-Identifier: Apache-2.0
"""On PYTHONPATH: torchstore's clients use Tombolo in every process, as `import tombolo.torchstore` has them do in one.
torchstore's own tests start actors that import none of ours. Where TOMBOLO_TORCHSTORE_USED names a folder, each process whose
request has ended well over Tombolo leaves its mark there."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any


class AfterTorchstore(MetaPathFinder):
    """Imports tombolo.torchstore as soon as torchstore's client has been imported."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "torchstore.client":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.loader is not None
        execute = spec.loader.exec_module

        def execute_then_register(module: ModuleType) -> None:
            execute(module)
            leave_marks(importlib.import_module("tombolo.torchstore").TomboloTransportBuffer)

        spec.loader.exec_module = execute_then_register  # type: ignore[method-assign]
        return spec


def leave_marks(buffer: Any) -> None:
    """Has requests over this kind of transport leave marks."""
    folder = os.environ.get("TOMBOLO_TORCHSTORE_USED")
    if folder is None:
        return
    connected = buffer._connected

    async def marked(self: Any, request: Any) -> Any:
        answer = await connected(self, request)
        Path(folder, str(os.getpid())).touch()
        return answer

    buffer._connected = marked


sys.meta_path.insert(0, AfterTorchstore())
