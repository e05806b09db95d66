# SPDX-License-Identifier: Apache-2.0
"""Versions of state dicts in the store, as torch.distributed.checkpoint loads them:

    with store.open_state_dict("policy") as policy:
        dcp.load(model.state_dict(), storage_reader=StoreReader(policy))
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    TensorProperties,
    TensorStorageMetadata,
)
from torch.distributed.checkpoint.planner import LoadItemType, LoadPlan, LoadPlanner
from torch.distributed.checkpoint.storage import StorageReader
from torch.futures import Future

from tombolo._snapshot import Snapshot

__all__ = ["StoreReader"]


class StoreReader(StorageReader):
    """Reads from a snapshot what a planner wants of it. Each rank has a snapshot of its own, of the same version, and fetches
    its parts itself. There are only tensors, under the names that the planner gives to what is nested."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        if checkpoint_id is not None:
            raise ValueError(f"a StoreReader reads its snapshot; leave checkpoint_id ({checkpoint_id}) out")

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        found = {}
        for name in self._snapshot.names:
            spec = self._snapshot.spec(name)
            size = torch.Size(spec.shape)
            whole = ChunkStorageMetadata(offsets=torch.Size([0] * len(size)), sizes=size)
            found[name] = TensorStorageMetadata(TensorProperties(dtype=spec.dtype), size, [whole])
        return Metadata(found)

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        pass

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        plan.storage_data = self._snapshot.version
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        versions = [plan.storage_data for plan in plans]
        if len(plans) > 1 and 0 in versions:
            raise ValueError("tensors with names of their own have no version that ranks could compare; load a state dict's")
        if len(set(versions)) > 1:
            raise ValueError(f"ranks have opened versions {versions}; have all of them open the same")
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        for item in plan.items:
            name = item.storage_index.fqn
            if item.type != LoadItemType.TENSOR:
                raise ValueError(f"'{name}' is a tensor in the store, and none in what is loaded")
            box = tuple(slice(first, first + count) for first, count in zip(item.storage_offsets, item.lengths))
            target = planner.resolve_tensor(item).detach()
            if target.dtype == self._snapshot.spec(name).dtype:
                self._snapshot.get(name, box, into=target)
            else:
                target.copy_(self._snapshot.get(name, box))
            planner.commit_tensor(item, target)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        return False  # it is given its snapshot, and not looked for
