// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Uplink;
import io.tombolo.topology.machine.LinkClass;
import java.util.List;
import org.testng.annotations.Test;

public final class NearNicsTest {
  private static final LinkClass[] NEAREST_FIRST = LinkClass.values();

  @Test
  public void shouldBeginWithTheNearestThenTheFastest() {
    List<Uplink> uplinks =
        List.of(uplink("far", 3, 400), uplink("slow", 1, 100), uplink("fast", 1, 200));
    assertEquals(NearNics.of(uplinks, 0), List.of("fast", "slow", "far"));
    assertEquals(NearNics.of(uplinks, 1), List.of("fast", "slow", "far"));
  }

  @Test
  public void shouldLetTheRanksOfAHostTakeTurnsAmongEquals() {
    List<Uplink> uplinks =
        List.of(
            uplink("a", 1, 200), uplink("b", 1, 200), uplink("far", 2, 200), uplink("c", 1, 200));
    assertEquals(NearNics.of(uplinks, 0), List.of("a", "b", "c", "far"));
    assertEquals(NearNics.of(uplinks, 1), List.of("b", "c", "a", "far"));
    assertEquals(NearNics.of(uplinks, 5), List.of("c", "a", "b", "far"));
  }

  @Test
  public void shouldPreferNoneWhenTheDeviceHasNoPlace() {
    assertEquals(NearNics.of(List.of(), 3), ImmutableList.of());
  }

  private static Uplink uplink(String nic, int distance, int megabytesPerSecond) {
    return new Uplink(nic, 0, NEAREST_FIRST[distance], megabytesPerSecond, 2);
  }
}
