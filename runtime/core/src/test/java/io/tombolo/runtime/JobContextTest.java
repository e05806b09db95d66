// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.machine.CpuSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.annotations.Test;

public class JobContextTest {
  private static final Capabilities OLD =
      Capabilities.of(
          Set.of(Primitive.ALL_REDUCE, Primitive.BROADCAST),
          Set.of(DataType.F32, DataType.I64),
          Set.of(ReduceOp.SUM, ReduceOp.MAX),
          Set.of(Flag.GROUP, Flag.MISMATCH_IS_FATAL));
  private static final Capabilities NEW =
      Capabilities.of(
          Set.of(Primitive.ALL_REDUCE, Primitive.ALL_GATHER),
          Set.of(DataType.F32, DataType.BF16),
          Set.of(ReduceOp.SUM, ReduceOp.MIN),
          Set.of(Flag.GROUP, Flag.ABORT, Flag.EQUAL_COUNTS_ONLY));

  @Test
  public void shouldPlanWithWhatAllMembersOfAClusterHave() {
    Capabilities both =
        Capabilities.of(
            Set.of(Primitive.ALL_REDUCE),
            Set.of(DataType.F32),
            Set.of(ReduceOp.SUM),
            Set.of(Flag.GROUP, Flag.MISMATCH_IS_FATAL, Flag.EQUAL_COUNTS_ONLY));
    assertEquals(ofCluster(OLD, NEW), both);
    assertEquals(ofCluster(NEW, OLD), both, "whoever comes first");
    assertEquals(ofCluster(NEW, NEW), NEW);
  }

  @Test
  public void shouldJoinRanksOfSeveralVendorsWhoseMemoryIsOneHosts() {
    RankDescriptor host = rank(0, "host", "here", Flag.HOST_MEMORY);
    RankDescriptor intel = rank(1, "intel", "here", Flag.HOST_MEMORY);
    assertTrue(isFlat(host, intel));
    assertFalse(isFlat(host, rank(1, "host", "here", Flag.HOST_MEMORY)), "one library has all");
    assertFalse(isFlat(host, rank(1, "intel", "there", Flag.HOST_MEMORY)), "two hosts");
    assertFalse(isFlat(host, rank(1, "emu-amd", "here", Flag.GROUP)), "a device's memory");
  }

  private static boolean isFlat(RankDescriptor first, RankDescriptor second) {
    return JobContext.of(List.of(first, second), Map.of(), Calibration.none()).flat().isPresent();
  }

  private static RankDescriptor rank(int rank, String vendor, String hostId, Flag flag) {
    Capabilities capabilities =
        Capabilities.of(OLD.primitives(), OLD.types(), OLD.reduceOps(), Set.of(flag));
    return rank(rank, vendor, "", hostId, capabilities);
  }

  private static Capabilities ofCluster(Capabilities first, Capabilities second) {
    return JobContext.of(List.of(rank(0, first), rank(1, second)), Map.of(), Calibration.none())
        .capabilities()
        .get(0);
  }

  private static RankDescriptor rank(int rank, Capabilities capabilities) {
    return rank(rank, "emu-amd", "a kind", "host-1", capabilities);
  }

  private static RankDescriptor rank(
      int rank, String vendor, String architecture, String hostId, Capabilities capabilities) {
    return new RankDescriptor(
        1,
        1,
        "build",
        rank,
        vendor,
        "a device",
        architecture,
        hostId,
        1,
        CpuSet.ofList(""),
        capabilities,
        ImmutableMap.of(),
        ImmutableList.of(),
        ImmutableSortedMap.of());
  }
}
