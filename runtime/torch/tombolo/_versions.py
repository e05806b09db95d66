# SPDX-License-Identifier: Apache-2.0
"""Which versions of torch this package works with."""

from __future__ import annotations

OLDEST = (2, 11)


def check_torch(version: str, built_for: str) -> None:
    """Raises ImportError, saying what to do, if this is not a torch that the package was made for, or not the one that its
    extension was compiled against: another has other tables of virtual functions."""
    if _release(version) < OLDEST:
        raise ImportError(
            f"tombolo needs torch {OLDEST[0]}.{OLDEST[1]} or later, and this is {version}: pip install -U torch, "
            "then install tombolo again, as it is compiled against the torch that is there"
        )
    if _release(version) != _release(built_for):
        raise ImportError(
            f"tombolo was compiled against torch {built_for}, and this is {version}: install tombolo again, from its "
            "clone: pip install --force-reinstall --no-deps ./runtime/torch"
        )


def _release(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)
