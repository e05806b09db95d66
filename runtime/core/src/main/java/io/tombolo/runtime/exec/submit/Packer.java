// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Plan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes one task of small calls that differ only in their counts, and a task each of the others.
 *
 * <p>What is packed with what follows from what all ranks agree on alone: the operation, the type,
 * the operator, the root and the counts. So all ranks make the same tasks in the same order.
 * Packing costs two copies within the device and saves whole programs, which is why only small
 * calls are packed.
 */
public final class Packer {
  /** Up to here a call costs messages rather than bytes. */
  private static final long MAX_CALL_BYTES = 32 << 10;

  /** What a pack may need of shared memory. */
  private static final long MAX_PACK_BYTES = 1 << 20;

  /** Calls with a block for each rank need a copy for each. */
  private static final int MAX_RANKS = 16;

  private final int rank;
  private final int size;
  private final List<Pack> packs = new ArrayList<>();
  private final Map<CollectiveCall, Pack> open = new HashMap<>();

  /** A packer for {@code rank} of {@code size}. */
  Packer(int rank, int size) {
    this.rank = rank;
    this.size = size;
  }

  /** Takes {@code call} in. */
  void add(CollectiveCall call, long send, long receive) {
    PackedCall next = new PackedCall(call, send, receive);
    if (!isSmall(call)) {
      packs.add(new Pack(rank, size, next));
      return;
    }
    CollectiveCall alike = call.withLayout(new Layout.Even(0)).inPlace(false);
    Pack pack = open.get(alike);
    if (pack != null && pack.bytes() + bytes(call) <= MAX_PACK_BYTES) {
      pack.add(next);
    } else {
      pack = new Pack(rank, size, next);
      packs.add(pack);
      open.put(alike, pack);
    }
  }

  private boolean isSmall(CollectiveCall call) {
    return !call.collective().isUneven()
        && call.collective().signature().packs(size <= MAX_RANKS)
        && !call.reduction().hostOnly() // a factor is each rank's own business
        && call.layout().count(0) > 0
        && bytes(call) <= MAX_CALL_BYTES;
  }

  /** The same on all ranks: roots and others have one vector each. */
  private long bytes(CollectiveCall call) {
    return call.sizeBytes(rank, size);
  }

  /** The tasks, planned by {@code planner}. */
  ImmutableList<Task> tasks(Function<CollectiveCall, Plan> planner) {
    return packs.stream().map(pack -> pack.task(planner)).collect(ImmutableList.toImmutableList());
  }

  /** A call, and where it is. */
  record PackedCall(CollectiveCall call, long send, long receive) {}
}
