// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.testng.annotations.Test;

/** What waits where a queue pair is full, as nobody takes its completions. */
public final class OutgoingTest {
  /** Longer than an acknowledgement may wait. */
  private static final Duration WHILE = Duration.ofMillis(101);

  private static final Duration BUDGET = Duration.ofSeconds(20);

  private static final int BYTES = 16;

  @Test(timeOut = 120_000)
  public void shouldPassByAFullQueuePairAndDropWhatHasGrownOld() {
    try (LossySide low = new LossySide(PairType.UC, 0);
        LossySide high = new LossySide(PairType.UC, 1)) {
      LossySide.Ends full = low.join(high);
      LossySide.Ends other = low.join(high);
      LossySide.until(() -> isReady(full) && isReady(other), low, high);
      Outgoing outgoing = low.port.outgoing();
      LossySide.until(outgoing::isEmpty, low, high);

      ByteBuffer packet = ByteBuffer.allocate(BYTES);
      while (outgoing.isEmpty()) {
        assertTrue(outgoing.packet(full.sender(), packet), "the queue pair is never full");
        outgoing.progress();
      }
      assertTrue(outgoing.packet(other.sender(), packet));
      assertTrue(outgoing.progress() > 0, "it waits for another's queue pair");

      low.pass(WHILE);
      outgoing.progress();
      assertTrue(outgoing.isEmpty(), "what is old waits");
      LossySide.progress(full.sender());
      assertFalse(outgoing.isEmpty(), "no acknowledgement is made anew");
      LossySide.until(outgoing::isEmpty, low, high);
    }
  }

  /** In its channel's turn, which others may put off by what they register, it could be old. */
  @Test(timeOut = 120_000)
  public void shouldPostWhatHasWaitedWithoutTheTurnOfItsChannel() {
    try (LossySide low = new LossySide(PairType.UC, 0);
        LossySide high = new LossySide(PairType.UC, 1)) {
      LossySide.Ends full = low.join(high);
      LossySide.until(() -> isReady(full), low, high);
      Outgoing outgoing = low.port.outgoing();
      SendLane lane = full.sender().lane(full.sender().pairs().get(0));
      LossySide.until(() -> outgoing.isEmpty() && lane.isIdle(), low, high);

      ByteBuffer packet = ByteBuffer.allocate(BYTES);
      while (outgoing.isEmpty()) {
        assertTrue(outgoing.packet(full.sender(), packet), "the queue pair is never full");
        outgoing.progress();
      }
      lane.flush(); // all but the last, which waits
      Deadline deadline = Deadline.after(BUDGET);
      while (!outgoing.isEmpty() || !lane.isIdle()) {
        low.progressPort();
        assertFalse(deadline.isExpired(), "it waits for its channel's turn");
      }
    }
  }

  private static boolean isReady(LossySide.Ends ends) {
    return ends.sender().isReady() && ends.receiver().isReady();
  }
}
