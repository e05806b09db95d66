# SPDX-License-Identifier: Apache-2.0
"""On PYTHONPATH: torchstore's clients use Tombolo in every process, as `import tombolo.torchstore` has them do in one.
torchstore's own tests start actors that import none of ours."""

from __future__ import annotations

import importlib.util
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
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
            importlib.import_module("tombolo.torchstore")

        spec.loader.exec_module = execute_then_register  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, AfterTorchstore())
