// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertEquals;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.SlotGeometry;
import org.testng.annotations.Test;

/** How much one round copies, over a link to ourselves. */
public class CopyRoundsTest {
  private static final SlotGeometry GEOMETRY = SlotGeometry.DEFAULT;
  private static final int MESSAGE_BYTES = GEOMETRY.slots() * GEOMETRY.payloadBytes();

  @Test
  public void shouldPublishALargeSlotBeforeItFillsTheNext() {
    try (Loop loop = new Loop(GEOMETRY, LocalMemory.DONE)) {
      for (int round = 1; round <= GEOMETRY.slots(); round++) {
        loop.send.progress();
        assertEquals(loop.published, round);
      }
    }
  }

  @Test
  public void shouldReleaseALargeSlotBeforeItEmptiesTheNext() {
    try (Loop loop = new Loop(GEOMETRY, LocalMemory.DONE)) {
      for (int round = 0; round < GEOMETRY.slots(); round++) {
        loop.send.progress();
      }
      for (int round = 1; round <= GEOMETRY.slots(); round++) {
        loop.receive.progress();
        assertEquals(loop.released, round);
      }
    }
  }

  @Test
  public void shouldMoveSmallSlotsTogether() {
    SlotGeometry small = new SlotGeometry(8, 32 << 10);
    try (Loop loop = new Loop(small, LocalMemory.DONE)) {
      loop.send.progress();
      assertEquals(loop.published, 8);
      loop.receive.progress();
      assertEquals(loop.released, 8);
    }
  }

  /** A device copies while we go on. */
  @Test
  public void shouldFillAllSlotsAtOnceWhereOthersCopy() {
    try (Loop loop = new Loop(GEOMETRY, 1)) {
      loop.send.progress();
      assertEquals(loop.copies, GEOMETRY.slots());
    }
  }

  /** The slots that go out are those that come in. */
  private static final class Loop implements SlotLink {
    private final NativeMemory memory;
    private final SlotRing ring;
    private final TransferQueue sends = new TransferQueue();
    private final TransferQueue receives = new TransferQueue();
    private final SendSide send;
    private final ReceiveSide receive;
    private long published;
    private long released;
    private int copies;

    Loop(SlotGeometry geometry, long ticket) {
      memory = NativeMemory.allocate(SlotRing.sizeBytes(geometry));
      ring = new SlotRing(memory, 0, geometry);
      sends.offer(7, new Window(ticket), 0, MESSAGE_BYTES);
      receives.offer(7, new Window(ticket), 0, MESSAGE_BYTES);
      send = new SendSide(this, sends);
      receive = new ReceiveSide(this, receives);
    }

    /** Memory that nothing is copied from or to. */
    private final class Window implements LocalMemory {
      private final long ticket;

      Window(long ticket) {
        this.ticket = ticket;
      }

      @Override
      public long sizeBytes() {
        return MESSAGE_BYTES;
      }

      @Override
      public long copyOut(long offset, long hostAddress, long sizeBytes) {
        copies++;
        return ticket;
      }

      @Override
      public long copyIn(long offset, long hostAddress, long sizeBytes) {
        copies++;
        return ticket;
      }

      @Override
      public boolean isDone(long started) {
        return false;
      }
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public int progress() {
      return 0;
    }

    @Override
    public SlotRing out() {
      return ring;
    }

    @Override
    public SlotRing in() {
      return ring;
    }

    @Override
    public long claimable() {
      return released + ring.slots();
    }

    @Override
    public void publish(long sequence, int payloadBytes) {
      published = sequence + 1;
    }

    @Override
    public long handedOver() {
      return published;
    }

    @Override
    public long sentBytes() {
      return 0;
    }

    @Override
    public long arrived() {
      return published;
    }

    @Override
    public void release(long sequence) {
      released = sequence + 1;
    }

    @Override
    public boolean isPeerGone() {
      return false;
    }

    @Override
    public void hangUp() {}

    @Override
    public void close() {
      memory.close();
    }
  }
}
