// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.staged.SlotHeader;
import io.tombolo.rdma.staged.SlotRing;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** What a sender lends, and how it takes it back. */
public final class LentSlotsTest {
  private static final int SIZE = LentSlots.LEAST_BYTES;
  private static final SlotGeometry GEOMETRY = new SlotGeometry(3, SIZE);

  private NativeMemory segment;
  private TestMemory source;
  private SlotRing ring;
  private LongCell peerReads;
  private LongCell refused;
  private LongCell refilled;
  private LentSlots lent;

  @BeforeMethod
  public void open() {
    segment = NativeMemory.allocate(64 * 3 + SlotRing.sizeBytes(GEOMETRY));
    source = new TestMemory(2 * SIZE, 0, 0).fill(1);
    ring = new SlotRing(segment, 64 * 3, GEOMETRY);
    peerReads = segment.cell(0);
    refused = segment.cell(64);
    refilled = segment.cell(128);
    lent = new LentSlots(ring, peerReads, refused, refilled);
  }

  @AfterMethod
  public void close() {
    source.close();
    segment.close();
  }

  @Test
  public void shouldLendOnlyWhatThePeerReadsAndIsWorthIt() {
    assertFalse(lent.lend(0, source.plain(), 0, SIZE), "the peer has not said that it reads");
    peerReads.setRelease(1);
    assertFalse(lent.lend(0, source, 0, SIZE - 1), "too little");
    try (TestMemory device = new TestMemory(SIZE, 0, 0)) {
      assertFalse(lent.lend(0, device, 0, SIZE), "not of the host");
    }
    assertTrue(lent.lend(0, source, 5, SIZE));
    assertTrue(lent.has(0));
    assertFalse(lent.has(1));
    lent.end(0);
    assertFalse(lent.has(0));
  }

  @Test
  public void shouldKeepWhereAPayloadIsWhereTheLayoutSaysItIs() {
    peerReads.setRelease(1);
    assertTrue(lent.lend(4, source.plain(), 5, SIZE));
    lent.note(4);
    assertEquals(ring.view(1).getInt(44), 1);
    assertEquals(ring.view(1).getLong(48), source.plainAddress() + 5);
    assertTrue(LentSlots.isLent(ring.view(4)));
    assertEquals(LentSlots.address(ring.view(4)), source.plainAddress() + 5);
    lent.end(4);
    lent.note(7); // which is in the ring, in the same place
    assertEquals(ring.view(1).getInt(44), 0);
    assertEquals(ring.view(1).getLong(48), 0);
  }

  @Test
  public void shouldFillAllThatIsLentAndLendNoMoreOnceOneIsRefused() {
    peerReads.setRelease(1);
    assertTrue(lent.lend(2, source.plain(), 0, SIZE));
    assertTrue(lent.lend(3, source, SIZE, SIZE));
    lent.note(2);
    lent.note(3);
    assertEquals(lent.refill(4), 0);
    refused.setRelease(3);
    assertEquals(lent.refill(4), 2);
    assertEquals(refilled.getAcquire(), 4);
    assertEquals(lent.refilledBytes(), 2 * SIZE);
    assertEquals(payload(2), source.get(0, SIZE));
    assertEquals(payload(3), source.get(SIZE, SIZE));
    assertFalse(LentSlots.isLent(ring.view(2)) || LentSlots.isLent(ring.view(3)));
    assertFalse(lent.has(2) || lent.has(3));
    assertEquals(lent.refill(4), 0);
    assertFalse(lent.lend(4, source, 0, SIZE));
  }

  private byte[] payload(long sequence) {
    byte[] bytes = new byte[SIZE];
    ring.view(sequence).get(SlotHeader.SIZE_BYTES, bytes);
    return bytes;
  }

  @Test
  public void shouldSayOfWholeMessagesWhatMayBeLent() {
    int slot = 256 << 10;
    assertEquals(LentSlots.lendable(0, slot), 0);
    assertEquals(LentSlots.lendable(SIZE - 1, slot), 0);
    assertEquals(LentSlots.lendable(SIZE, slot), SIZE);
    assertEquals(LentSlots.lendable(2L * slot + SIZE - 1, slot), 2L * slot);
    assertEquals(LentSlots.lendable(2L * slot + SIZE, slot), 2L * slot + SIZE);
    assertEquals(LentSlots.lendable(1 << 20, 1024), 0);
  }
}
