// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.topology.Uplink;
import io.tombolo.topology.machine.CpuSet;
import io.tombolo.topology.machine.LinkClass;
import java.util.Set;

/** Descriptors for tests. */
final class Descriptors {
  private Descriptors() {}

  static RankDescriptor of(int rank) {
    return speaking(rank, 1, 1, "0.1.0");
  }

  static RankDescriptor speaking(int rank, int protocolMin, int protocolMax, String build) {
    return new RankDescriptor(
        protocolMin,
        protocolMax,
        build,
        rank,
        "emu-amd",
        "Emulated device",
        "first kind",
        "host-1",
        4711 + rank,
        CpuSet.ofList("0-3,8"),
        Capabilities.of(
            Set.of(Primitive.ALL_REDUCE, Primitive.BROADCAST),
            Set.of(DataType.F32, DataType.I64),
            Set.of(ReduceOp.SUM),
            Set.of(Capabilities.Flag.ABORT, Capabilities.Flag.GROUP)),
        ImmutableMap.of("tcp", new byte[] {1, 0, 2}, "shm", new byte[0]),
        ImmutableList.of(new Uplink("mlx5_0", 1, LinkClass.SWITCH, 50_000, 3)),
        ImmutableSortedMap.of("segment_bytes", "4096"));
  }
}
