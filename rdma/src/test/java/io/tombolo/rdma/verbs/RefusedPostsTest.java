// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.FabricException;
import io.tombolo.rdma.TestMemory;
import java.time.Duration;
import org.testng.annotations.Test;

/**
 * A NIC that takes no more requests for a queue pair, as of one that was reset beneath us. Packets
 * of all channels are in one queue, and whoever's turn it is posts them: who hears of it is whose
 * queue pair that is.
 */
public final class RefusedPostsTest {
  /** More packets than are posted at once, so that one channel's leave in another's turn. */
  private static final int PACKETS = 40;

  private static final int SIZE = 1 << 20;
  private static final Duration BUDGET = Duration.ofSeconds(60);

  @Test(timeOut = 180_000)
  public void shouldFailTheChannelWhoseQueuePairTakesNothing() {
    try (Held source = new Held();
        TestMemory target = new TestMemory(SIZE, 0, 0);
        LossySide low = new LossySide(PairType.UC, 0);
        LossySide high = new LossySide(PairType.UC, 1)) {
      LossySide.Ends failing = low.join(high);
      LossySide.Ends other = low.join(high);
      assertTrue(failing.there().receive(0, target, 0, SIZE));
      assertTrue(failing.here().send(0, source, 0, SIZE));
      LossySide.until(() -> source.copies > PACKETS, low, high);

      failing.sender().lane(failing.sender().pairs().get(0)).pair().reset();
      source.areDone = true;
      deliver(other, low, high);
      FabricException error =
          expectThrows(FabricException.class, () -> LossySide.progress(failing.sender()));
      assertTrue(error.getMessage().contains("post to UC queue pair"), error.getMessage());
    }
  }

  @Test(timeOut = 180_000)
  public void shouldTellAllChannelsWhenTheQueuePairOfAllDatagramsTakesNothing() {
    try (Held source = new Held();
        TestMemory target = new TestMemory(SIZE, 0, 0);
        LossySide low = new LossySide(PairType.UD, 0);
        LossySide high = new LossySide(PairType.UD, 1)) {
      LossySide.Ends one = low.join(high);
      LossySide.Ends other = low.join(high);
      deliver(other, low, high);
      assertTrue(one.there().receive(0, target, 0, SIZE));
      assertTrue(one.here().send(0, source, 0, SIZE));
      LossySide.until(() -> source.copies > 0, low, high);

      low.port.datagrams().pair().reset();
      source.areDone = true;
      low.progressPort();
      shouldSay("post to UD queue pair", low, one.sender());
      shouldSay("post to UD queue pair", low, other.sender());
    }
  }

  /** A slot that is copied from is posted again only after that, by whoever looks then. */
  @Test(timeOut = 180_000)
  public void shouldTellAllChannelsWhenReceivesCannotBePostedAgain() {
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        Held target = new Held();
        LossySide low = new LossySide(PairType.UD, 0);
        LossySide high = new LossySide(PairType.UD, 1)) {
      LossySide.Ends ends = low.join(high);
      LossySide.Ends other = low.join(high);
      deliver(other, low, high);
      assertTrue(ends.there().receive(0, target, 0, SIZE));
      assertTrue(ends.here().send(0, source, 0, SIZE));
      LossySide.until(() -> target.copies > 0, low, high);

      high.port.datagrams().pair().reset();
      target.areDone = true;
      LossySide.progress(ends.receiver()); // notes that the copies are done
      high.progressPort();
      shouldSay(high.nic.toString(), high, ends.receiver());
      shouldSay("cannot post", high, other.receiver());
    }
  }

  /** As this side's own failure: what peers see of it counts for less. */
  private static void shouldSay(String what, LossySide side, LossyLink link) {
    String message =
        expectThrows(FabricException.class, () -> LossySide.progress(link)).getMessage();
    assertTrue(message.contains(what) && message.contains(side.nic.toString()), message);
  }

  /** A message over {@code ends} alone, while nobody looks after other channels. */
  private static void deliver(LossySide.Ends ends, LossySide low, LossySide high) {
    Deadline deadline = Deadline.after(BUDGET);
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(2);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      assertTrue(ends.there().receive(1, target, 0, SIZE));
      assertTrue(ends.here().send(1, source, 0, SIZE));
      while (!ends.there().receives().hasUnreported() || !ends.here().sends().hasUnreported()) {
        low.progressPort();
        high.progressPort();
        LossySide.progress(ends.sender());
        LossySide.progress(ends.receiver());
        assertTrue(!deadline.isExpired(), "nothing arrived within " + deadline);
      }
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
    }
  }

  /** Memory of a device whose copies all count as done from one moment on. */
  private static final class Held implements LocalMemory, AutoCloseable {
    private final TestMemory memory = new TestMemory(SIZE, 0, 0);
    private int copies;
    private boolean areDone;

    @Override
    public long sizeBytes() {
      return SIZE;
    }

    @Override
    public long copyOut(long offset, long hostAddress, long sizeBytes) {
      memory.copyOut(offset, hostAddress, sizeBytes);
      return ++copies;
    }

    @Override
    public long copyIn(long offset, long hostAddress, long sizeBytes) {
      memory.copyIn(offset, hostAddress, sizeBytes);
      return ++copies;
    }

    @Override
    public boolean isDone(long ticket) {
      return areDone;
    }

    @Override
    public void close() {
      memory.close();
    }
  }
}
