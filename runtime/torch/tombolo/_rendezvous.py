# SPDX-License-Identifier: Apache-2.0
"""init_method="tombolo://": meets whom the launcher has started, whichever launcher that is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import torch.distributed as dist
from torch.distributed.constants import default_pg_timeout
from torch.distributed.rendezvous import register_rendezvous_handler, rendezvous

from tombolo._launch import export, resolve

SCHEME = "tombolo"


def register() -> None:
    """Makes tombolo:// known to torch."""
    register_rendezvous_handler(SCHEME, _meet)


def _meet(url: str, timeout: timedelta = default_pg_timeout, **options: Any) -> Iterator[tuple[dist.Store, int, int]]:
    """Torch's env://, once the environment says who this process is; by itself where nobody has said that."""
    parts = urlsplit(url)
    if parts.netloc:
        raise ValueError(f"{url}: the meeting place is MASTER_ADDR and MASTER_PORT; say tombolo:// alone")
    said = dict(parse_qsl(parts.query))
    size, rank = (int(said[name]) if name in said else None for name in ("world_size", "rank"))
    who = resolve((size, rank, None), os.environ)
    if who[1] >= 0:
        export(who, os.environ)
        yield from rendezvous("env://", who[1], who[0], timeout=timeout, **options)
    elif who[0] == 1:
        yield dist.HashStore(), 0, 1
    else:
        raise ValueError(f"{url}: nobody says which of {who[0]} ranks this is: give init_process_group a rank")
