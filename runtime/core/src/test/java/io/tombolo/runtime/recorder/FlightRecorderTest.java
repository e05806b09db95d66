// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** How many operations a recording has room for. */
public class FlightRecorderTest {
  @DataProvider
  public static Object[][] wanted() {
    int fewest = 2 * FlightRing.MOST_UNDER_WAY;
    return new Object[][] {
      {1, fewest},
      {fewest, fewest},
      {fewest + 1, 2 * fewest},
      {FlightFormat.MAX_RECORDS, FlightFormat.MAX_RECORDS}
    };
  }

  /** Else one that is under way could lose its record, or all that have ended theirs. */
  @Test(dataProvider = "wanted")
  public void shouldHaveRoomForAllThatAreUnderWayAndAsManyThatHaveEnded(int wanted, int records) {
    assertEquals(FlightRecorder.records(wanted), records);
  }

  @Test
  public void shouldRefuseWhatNoFileHolds() {
    for (int wanted : new int[] {0, FlightFormat.MAX_RECORDS + 1}) {
      expectThrows(UsageException.class, () -> FlightRecorder.records(wanted));
    }
  }
}
