# SPDX-License-Identifier: Apache-2.0
"""Which versions of torch this package works with."""

from __future__ import annotations

OLDEST = (2, 11)


def check_torch(version: str) -> None:
    """Raises ImportError, saying what to do, if this is not a torch that the package was made for."""
    parts = version.split("+")[0].split(".")
    if (int(parts[0]), int(parts[1])) < OLDEST:
        raise ImportError(
            f"tombolo needs torch {OLDEST[0]}.{OLDEST[1]} or later, and this is {version}: pip install -U torch, "
            "then install tombolo again, as it is compiled against the torch that is there"
        )
