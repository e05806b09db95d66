// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.ThreadRanks.LONG;
import static io.tombolo.runtime.ThreadRanks.assertUsable;
import static io.tombolo.runtime.ThreadRanks.closeAll;
import static io.tombolo.runtime.ThreadRanks.onAll;
import static io.tombolo.runtime.ThreadRanks.split;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.runtime.work.Work;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** A job over NICs that for a while do not let go of what they work with. */
public final class StubbornNicJobTest {
  private static final String REFUSALS = "EIO_PERCENT";
  private static final long LOOK_NS = 1_000_000;

  /** Objects of the NICs are counted, and closed fabrics of other tests may still have some. */
  @BeforeMethod
  public void awaitTheEndOfOthers() {
    Deadline deadline = Deadline.after(LONG);
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("tombolo-late-end"))) {
      assertFalse(deadline.isExpired(), "the end of a fabric that another test has closed");
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  @AfterMethod
  public void repair() {
    EmulatedHca.set(REFUSALS, "0");
  }

  @Test(timeOut = 180_000)
  public void shouldCloseAGroupAndGoOnWithTheOthersThoughNicsRefuse() {
    ImmutableSortedMap<String, String> overNics =
        ImmutableSortedMap.of("fabrics", "rc", "ibverbs", EmulatedHca.library());
    try (ThreadRanks job = new ThreadRanks(2, overNics)) {
      List<Communicator> parts = split(job.all());
      long idle = EmulatedHca.living();
      onAll(parts, StubbornNicJobTest::passOn);
      long talking = EmulatedHca.living();
      assertTrue(talking > idle, "no message went over a NIC");

      EmulatedHca.set(REFUSALS, "100");
      closeAll(parts);
      assertEquals(EmulatedHca.living(), talking, "what is not let go of");
      EmulatedHca.set(REFUSALS, "0");
      onAll(job.all(), StubbornNicJobTest::passOn);
      assertUsable(job.all());
    }
  }

  /** The NIC of who leaves may still touch what it holds; the other hears of it all the same. */
  @Test(timeOut = 180_000)
  public void shouldLeaveAloneThoughTheNicRefuses() {
    ImmutableSortedMap<String, String> overNics =
        ImmutableSortedMap.of("fabrics", "rc", "ibverbs", EmulatedHca.library());
    try (ThreadRanks job = new ThreadRanks(2, overNics)) {
      List<Communicator> parts = split(job.all());
      onAll(parts, StubbornNicJobTest::passOn);
      EmulatedHca.set(REFUSALS, "100");
      parts.get(0).close();
      EmulatedHca.set(REFUSALS, "0");
      try (Stream stream = parts.get(1).device().newStream()) {
        Work further = parts.get(1).barrier(stream);
        String why =
            expectThrows(PeerFailedException.class, () -> further.await(LONG)).getMessage();
        assertTrue(why.contains("rank 0 has closed this communicator"), why);
      }
      parts.get(1).close();
      assertEquals(
          job.keys().stream().filter(key -> key.matches("(.*/)?group-1/.*")).toList(), List.of());
      onAll(job.all(), StubbornNicJobTest::passOn);
      assertUsable(job.all());
    }
  }

  /** From rank 0 to rank 1. */
  private static boolean passOn(Communicator ranks) {
    try (DeviceVector vector = DeviceVector.of(ranks, ranks.rank());
        Stream stream = ranks.device().newStream()) {
      if (ranks.rank() == 0) {
        ranks.send(vector.buffer(), 1, stream).await(LONG);
      } else {
        ranks.receive(vector.buffer(), 0, stream).await(LONG);
        assertEquals(vector.floats(), new float[] {0});
      }
    }
    return true;
  }
}
