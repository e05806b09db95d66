// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Optional;
import org.testng.annotations.Test;

/** What a launcher is shown of ranks that join. */
public final class AttendanceTest {
  @Test
  public void shouldNameWhoIsJoiningAndWhoHasNotCome() {
    Store store = new MemoryStore();
    assertEquals(Attendance.of(store, 3).waiting(), Optional.empty());
    enter(store, 1);
    assertEquals(
        Attendance.of(store, 3).waiting(),
        Optional.of("ranks [1] are joining, and ranks [0, 2] have not come yet"));
    enter(store, 0);
    enter(store, 2);
    assertEquals(Attendance.of(store, 3).waiting(), Optional.of("ranks [0, 1, 2] are joining"));
    for (int rank = 0; rank < 3; rank++) {
      Presence.publish(store, rank, "host", ImmutableMap.of(), Optional.empty());
    }
    assertEquals(Attendance.of(store, 3).waiting(), Optional.empty());
  }

  private static void enter(Store store, int rank) {
    assertEquals(JobRound.enter(store, rank, Deadline.after(Duration.ofSeconds(60))).number(), 0);
  }
}
