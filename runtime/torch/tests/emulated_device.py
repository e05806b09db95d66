# SPDX-License-Identifier: Apache-2.0
"""A device of torch, "emu", whose memory and streams are those of an emulated CUDA driver in this process, NVIDIA's or
another vendor's: what runs on it takes the same way through the plug-in as what runs on a GPU."""

from __future__ import annotations

import atexit
import ctypes
import functools
import importlib.util
import os
import platform
import subprocess
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.utils import cpp_extension

import tombolo

NAME = "emulated_device"
VENDORS = ("emu-nvidia", "emu-kunlunxin")  # whose emulations have the driver's interface


def build(folder: str) -> str:
    """Compiles the device against the torch that is here; the file."""
    library = str(Path(folder) / f"{NAME}.so")
    includes = [*cpp_extension.include_paths(), sysconfig.get_paths()["include"]]
    libraries = Path(torch.__file__).parent / "lib"
    subprocess.run(
        [
            os.environ.get("CXX", "g++"),
            *("-std=c++20", "-O1", "-g0", "-fPIC", "-shared", "-Wall", "-Werror"),
            f"-DTORCH_EXTENSION_NAME={NAME}",
            f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
            *(f"-isystem{include}" for include in includes),
            str(Path(__file__).parent / f"{NAME}.cpp"),
            *("-o", library, f"-L{libraries}", "-ltorch_python", "-ltorch_cpu", "-ltorch", "-lc10", "-ldl"),
        ],
        check=True,
    )
    return library


@functools.cache
def built() -> str:
    """The same file for all tests of this process, for compiling takes half a minute."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return build(folder.name)


def load(library: str, vendor: str = VENDORS[0], named: str = "emu") -> ModuleType:
    """Gives this process a device of that name, before it joins: the driver that torch loads is then Tombolo's, too."""
    _load_driver(vendor)
    spec = importlib.util.spec_from_file_location(NAME, library)
    assert spec is not None and spec.loader is not None
    device = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(device)
    torch.utils.rename_privateuse1_backend(named)
    torch._register_device_module(named, device)
    _add_what_fsdp_asks_for(device, named)
    return device


def equip(library: str, index: int, vendor: str = VENDORS[0]) -> torch.device:
    """Has this process work on "emu", on the device of that number; on the CPU if there is no library."""
    os.environ["TOMBOLO_VENDOR"] = vendor if library else "host"
    if not library:
        return torch.device("cpu")
    load(library, vendor)
    torch.accelerator.set_device_index(index)
    return torch.device("emu", index)


def _add_what_fsdp_asks_for(device: Any, named: str) -> None:
    device.is_initialized = device.is_available
    device.Stream = functools.partial(torch.Stream, named)
    device.Event = functools.partial(torch.Event, named)
    device.current_stream = torch.accelerator.current_stream
    device.stream = lambda stream: stream  # which is torch's own, and can be entered


def _load_driver(vendor: str) -> None:
    """The dynamic linker knows it by its soname afterwards, by which Tombolo opens it."""
    name = f"libtombolo_{vendor.replace('-', '_')}.so"
    jar = next((Path(tombolo.__file__).parent / "jars").glob("tombolo-emulated-*.jar"))
    with zipfile.ZipFile(jar) as archive, tempfile.TemporaryDirectory() as folder:
        driver = archive.extract(f"META-INF/native/linux-{platform.machine()}/{name}", folder)
        ctypes.CDLL(driver, ctypes.RTLD_GLOBAL)
