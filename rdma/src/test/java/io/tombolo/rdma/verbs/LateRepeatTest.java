// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.ProtocolCounters;
import io.tombolo.rdma.TestMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/**
 * A write that may be repeated when it is queued, and not any more when it is its turn: a device
 * copies its payload for that long.
 */
public final class LateRepeatTest {
  private static final int SIZE = 1000;

  /** Longer than a write may be repeated after anything heard. */
  private static final long COPY_NS = 1_000_000_000;

  private static final Duration A_FEW_COPIES = Duration.ofMillis(2500);

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set("LOSS_PERCENT", "0");
  }

  @Test(timeOut = 120_000)
  public void shouldDropARepeatThatHasWaitedForTooLong() {
    try (Slow source = new Slow();
        TestMemory target = new TestMemory(SIZE, 0, 0);
        LossySide low = new LossySide(PairType.UC, 0);
        LossySide high = new LossySide(PairType.UC, 1)) {
      LossySide.Ends ends = low.join(high);
      SendLane lane = ends.sender().lane(ends.sender().pairs().get(0));
      assertTrue(ends.there().receive(0, target, 0, SIZE));
      assertTrue(ends.here().send(0, source, 0, SIZE));
      LossySide.until(() -> source.copies() > 0, low, high);
      EmulatedHca.set("LOSS_PERCENT", "100");
      source.isFirstDone = true;
      LossySide.until(() -> source.isFirstSeen && lane.isIdle(), low, high);

      EmulatedHca.set("LOSS_PERCENT", "0");
      Deadline over = Deadline.after(A_FEW_COPIES);
      LossySide.until(over::isExpired, low, high);
      assertTrue(source.repeats > 0, "nothing was repeated");
      assertEquals(ends.receiver().receivedBytes(), 0L, "a late repeat has left");
      ProtocolCounters counters = ends.sender().protocolCounters().orElseThrow();
      assertTrue(counters.repeatsTooLate > 0, "nobody has counted those that were dropped");
      long kept = source.copies() - counters.repeatsTooLate;
      assertEquals(counters.chunksSent, kept, "what was dropped counts as sent");
      assertEquals(counters.payloadBytesSent, SIZE * kept);
      assertEquals(counters.payloadBytesRepeated, SIZE * (kept - 1));

      source.isFast = true;
      LossySide.until(ends.there().receives()::hasUnreported, low, high);
      assertEquals(target.get(0, SIZE), source.memory.get(0, SIZE));
    }
  }

  /** Memory of a device whose later copies take long. */
  private static final class Slow implements LocalMemory, AutoCloseable {
    private final TestMemory memory = new TestMemory(SIZE, 0, 0).fill(1);
    private final List<Long> begunNs = new ArrayList<>();
    private boolean isFirstDone;
    private boolean isFirstSeen;
    private boolean isFast;
    private int repeats;

    int copies() {
      return begunNs.size();
    }

    @Override
    public long sizeBytes() {
      return SIZE;
    }

    @Override
    public long copyOut(long offset, long hostAddress, long sizeBytes) {
      memory.copyOut(offset, hostAddress, sizeBytes);
      begunNs.add(System.nanoTime());
      return begunNs.size();
    }

    @Override
    public long copyIn(long offset, long hostAddress, long sizeBytes) {
      throw new AssertionError("nothing is received here");
    }

    @Override
    public boolean isDone(long ticket) {
      if (ticket == 1) {
        isFirstSeen |= isFirstDone;
        return isFirstDone;
      }
      boolean done = isFast || System.nanoTime() - begunNs.get((int) ticket - 1) >= COPY_NS;
      repeats += done ? 1 : 0;
      return done;
    }

    @Override
    public void close() {
      memory.close();
    }
  }
}
