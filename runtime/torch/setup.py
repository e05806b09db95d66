# SPDX-License-Identifier: Apache-2.0
"""Builds the extension against the torch that is installed, and puts Java's part beside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.dist_info import dist_info

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
OLDEST_TORCH = (2, 11)

TORCH_FACTS = """
import json, os, torch
root = os.path.dirname(torch.__file__)
print(json.dumps({"version": torch.__version__, "root": root, "abi": int(torch.compiled_with_cxx11_abi())}))
"""


def torch_facts() -> dict[str, str]:
    """Where torch is: asked of a Python outside pip's isolated build environment."""
    found = subprocess.run([sys.executable, "-E", "-c", TORCH_FACTS], capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(
            "tombolo is built against the torch that you use, and there is none: "
            f"{found.stderr.strip().splitlines()[-1]}. Install one first: pip install 'torch>=2.11'"
        )
    facts = json.loads(found.stdout.splitlines()[-1])
    if tuple(int(part) for part in facts["version"].split(".")[:2]) < OLDEST_TORCH:
        sys.exit(f"tombolo needs torch 2.11 or later, and this is {facts['version']}: pip install -U torch")
    return facts


def java_parts() -> Path:
    """The folder with our jars, libtombolo.so and tombolo.h, built if need be by the checkout's launcher."""
    built = subprocess.run([str(CHECKOUT / "tombolo"), "version"], capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(f"building Java's part failed:\n{built.stdout}{built.stderr}")
    return CHECKOUT / "target" / "dist"


class DistributionInfo(dist_info):
    """What pip asks for first: without torch it ends here, and not when pip has fetched one of 3 GB in vain."""

    def run(self) -> None:
        torch_facts()
        super().run()


class BuildPython(build_py):
    """Adds the jars and libtombolo.so to the package."""

    def run(self) -> None:
        super().run()
        package = Path(self.build_lib) / "tombolo"
        jars = package / "jars"
        shutil.rmtree(jars, ignore_errors=True)
        jars.mkdir(parents=True)
        library = java_parts() / "lib"
        for jar in library.glob("*.jar"):
            shutil.copy2(jar, jars)
        shutil.copy2(library / "libtombolo.so", package)


class BuildExtension(build_ext):
    """Compiles against torch's headers and links to its libraries and to libtombolo.so."""

    def build_extension(self, ext: Extension) -> None:
        facts = torch_facts()
        java = java_parts()
        include = Path(facts["root"]) / "include"
        for folder in (include, include / "torch" / "csrc" / "api" / "include"):
            ext.extra_compile_args.append(f"-isystem{folder}")
        ext.include_dirs = [str(java / "include")]
        ext.library_dirs = [str(Path(facts["root"]) / "lib"), str(java / "lib")]
        ext.extra_compile_args.append(f"-D_GLIBCXX_USE_CXX11_ABI={facts['abi']}")
        one_by_one = self.compiler.compile

        def in_parallel(sources: list[str], **options: Any) -> list[str]:
            with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
                headers = precompiled_headers(Path(folder), one_by_one, options)
                options["extra_postargs"] = [*options["extra_postargs"], "-include", str(headers)]
                objects = pool.map(lambda source: one_by_one([source], **options), sources)
                return [name for names in objects for name in names]

        self.compiler.compile = in_parallel
        super().build_extension(ext)
        known = Path(self.get_ext_fullpath(ext.name)).parent / "_built_for.py"
        known.write_text(
            "# SPDX-License-Identifier: Apache-2.0\n"
            '"""The torch that this extension was compiled against."""\n\n'
            f'TORCH = "{facts["version"]}"\n'
        )


def precompiled_headers(folder: Path, compile_all: Callable[..., list[str]], options: dict[str, Any]) -> Path:
    """What each file is to include: the compiler finds beside it what it has made of it once, half a gigabyte."""
    headers = folder / "precompiled.h"
    source = folder / "precompiled.cpp"  # a name that setuptools has compiled
    for copy in (headers, source):
        shutil.copyfile(HERE / "csrc" / "precompiled.h", copy)
    made = compile_all([str(source)], **{**options, "output_dir": str(folder), "extra_preargs": ["-x", "c++-header"]})
    os.replace(made[0], f"{headers}.gch")
    return headers


setup(
    ext_modules=[
        Extension(
            "tombolo._C",
            sources=sorted(str(path.relative_to(HERE)) for path in (HERE / "csrc").glob("*.cpp")),
            depends=sorted(str(path.relative_to(HERE)) for path in (HERE / "csrc").glob("*.h")),
            define_macros=[("TORCH_EXTENSION_NAME", "_C"), ("TORCH_API_INCLUDE_EXTENSION_H", None)],
            extra_compile_args=["-std=c++20", "-O2", "-g0", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fvisibility=hidden"],
            extra_link_args=["-Wl,-rpath,$ORIGIN"],
            libraries=["tombolo", "torch_python", "torch", "torch_cpu", "c10"],
            language="c++",
        )
    ],
    cmdclass={"build_ext": BuildExtension, "build_py": BuildPython, "dist_info": DistributionInfo},
)
