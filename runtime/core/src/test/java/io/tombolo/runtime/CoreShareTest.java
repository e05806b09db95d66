// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Capabilities;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.exec.agent.Cores;
import io.tombolo.topology.machine.CpuSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

/** Whether ranks keep a core while they wait. */
public class CoreShareTest {
  @Test
  public void shouldGiveACoreToEachRankOfAHostThatHasEnough() {
    assertTrue(share("host", "intel").isOneEach());
    assertFalse(share("host", "intel", "host").isOneEach());
  }

  @Test
  public void shouldCountTheRanksOfItsOwnHostOnly() {
    ImmutableList<RankDescriptor> all =
        ImmutableList.of(
            rank(0, "a", "host"), rank(1, "b", "host"), rank(2, "a", "mpi"), rank(3, "b", "mpi"));
    assertTrue(CoreShare.of(all, 0, 2).isOneEach());
    assertFalse(CoreShare.of(all, 0, 1).isOneEach());
  }

  /** As launchers bind them: the first two to the same core, the third to two of its own. */
  @Test
  public void shouldCountNoRanksThatAreBoundToOtherCores() {
    ImmutableList<RankDescriptor> all =
        ImmutableList.of(
            rank(0, "a", "host", "0"),
            rank(1, "a", "host", "0"),
            rank(2, "a", "emu-amd", "2-3"),
            rank(3, "b", "host", "0"));
    assertEquals(CoreShare.of(all, 0, 1), new CoreShare(1, 2, false));
    assertEquals(CoreShare.of(all, 2, 2), new CoreShare(2, 1, true));
    assertEquals(CoreShare.of(all, 3, 1), new CoreShare(1, 1, false));
  }

  /** Who does not say where it may run may run here, and so may who is bound to some of them. */
  @Test
  public void shouldCountRanksThatMayRunOnAnyOfItsCores() {
    ImmutableList<RankDescriptor> all =
        ImmutableList.of(
            rank(0, "a", "host", "0-3"), rank(1, "a", "host", "3-5"), rank(2, "a", "host", ""));
    for (int rank = 0; rank < 3; rank++) {
      assertEquals(CoreShare.of(all, rank, 4).ranks(), 3, "rank " + rank);
    }
  }

  @Test
  public void shouldLeaveCoresToEmulatedDevices() {
    assertFalse(share("host", "emu-amd").isOneEach());
  }

  @Test
  public void shouldBeEnoughForAsManyRanksAsCoresWhateverTheirDevices() {
    assertTrue(share("host", "emu-amd").isEnough());
    assertFalse(share("host", "intel", "host").isEnough());
    assertTrue(CoreShare.atLeast(2, 2).isEnough());
    assertFalse(CoreShare.atLeast(3, 2).isEnough());
  }

  @Test
  public void shouldHaveCallersWaitByWhoElseWantsTheirCores() {
    assertSame(share("host", "intel").forWaits(), Cores.OWN);
    assertSame(share("emu-nvidia", "emu-amd").forWaits(), Cores.ENOUGH);
    assertSame(share("host", "intel", "host").forWaits(), Cores.SCARCE);
  }

  @Test
  public void shouldLeaveReducersTheCoresThatNobodyElseNeeds() {
    assertEquals(new CoreShare(8, 2, false).reducerThreads(), 3);
    assertEquals(new CoreShare(8, 2, true).reducerThreads(), 1);
    assertEquals(new CoreShare(4, 2, true).reducerThreads(), 0);
  }

  private static CoreShare share(String... vendors) {
    ImmutableList<RankDescriptor> all =
        IntStream.range(0, vendors.length)
            .mapToObj(rank -> rank(rank, "a", vendors[rank]))
            .collect(ImmutableList.toImmutableList());
    return CoreShare.of(all, 0, 2);
  }

  private static RankDescriptor rank(int number, String host, String vendor) {
    return rank(number, host, vendor, "");
  }

  private static RankDescriptor rank(int number, String host, String vendor, String processors) {
    return new RankDescriptor(
        1,
        1,
        "test",
        number,
        vendor,
        "a device",
        "",
        host,
        number,
        CpuSet.ofList(processors),
        Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of()),
        ImmutableMap.of(),
        ImmutableList.of(),
        ImmutableSortedMap.of());
  }
}
