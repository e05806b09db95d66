// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.staged.SlotLink;
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
  private LongCell takenBack;
  private LentSlots lent;

  @BeforeMethod
  public void open() {
    segment = NativeMemory.allocate(64 * 3 + SlotRing.sizeBytes(GEOMETRY));
    source = new TestMemory(2 * SIZE, 0, 0).fill(1);
    ring = new SlotRing(segment, 64 * 3, GEOMETRY);
    peerReads = segment.cell(0);
    refused = segment.cell(64);
    takenBack = segment.cell(128);
    lent = new LentSlots(ring, peerReads, refused, takenBack);
  }

  @AfterMethod
  public void close() {
    source.close();
    segment.close();
  }

  @Test
  public void shouldLendOnlyWhatThePeerReadsAndIsWorthIt() {
    assertEquals(lent.lend(0, source.plain(), 0, SIZE), 0, "the peer has not said that it reads");
    peerReads.setRelease(1);
    assertEquals(lent.lend(0, source, 0, SIZE), 0, "it reads no more than a slot carries");
    peerReads.setRelease(2);
    assertEquals(lent.lend(0, source, 0, SIZE - 1), 0, "too little");
    try (TestMemory device = new TestMemory(SIZE, 0, 0)) {
      assertEquals(lent.lend(0, device, 0, SIZE), 0, "not of the host");
    }
    assertEquals(lent.lend(0, source, 5, SIZE), SIZE);
    assertTrue(lent.has(0));
    assertFalse(lent.has(1));
    lent.end(0);
    assertFalse(lent.has(0));
  }

  /** The last piece of a message is never too little to be lent. */
  @Test
  public void shouldLendLongMessagesInPieces() {
    peerReads.setRelease(2);
    source.plain();
    int piece = 4 << 20;
    for (long rest : new long[] {piece, piece + 1, piece + SIZE - 1}) {
      assertEquals(lent.lend(0, source, 0, rest), rest);
      assertTrue(rest <= LentSlots.MOST_BYTES);
    }
    for (long rest : new long[] {piece + SIZE, 3L * piece, Long.MAX_VALUE}) {
      assertEquals(lent.lend(0, source, 0, rest), piece);
    }
  }

  @Test
  public void shouldKeepWhereAPayloadIsWhereTheLayoutSaysItIs() {
    peerReads.setRelease(2);
    assertEquals(lent.lend(4, source.plain(), 5, SIZE), SIZE);
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
  public void shouldTakeBackAllFromWhatIsRefusedAndLendNoMore() {
    peerReads.setRelease(2);
    for (long sequence = 2; sequence < 5; sequence++) {
      assertEquals(lent.lend(sequence, source.plain(), 0, SIZE), SIZE);
    }
    assertEquals(lent.refused(2, 4), SlotLink.NONE);
    refused.setRelease(4);
    assertEquals(lent.refused(2, 4), 3);
    assertEquals(lent.takeBack(3, 5), 2 * SIZE);
    assertEquals(takenBack.getAcquire(), 4);
    assertTrue(lent.has(2), "which the peer can read");
    assertFalse(lent.has(3) || lent.has(4));
    assertEquals(lent.refused(2, 4), SlotLink.NONE);
    assertEquals(lent.lend(4, source, 0, SIZE), 0);
  }

  @Test
  public void shouldBelieveNoRefusalOfWhatIsNotLent() {
    peerReads.setRelease(2);
    assertEquals(lent.lend(3, source.plain(), 0, SIZE), SIZE);
    for (long word : new long[] {-1, 1, 2, 3, 5, 6, Long.MIN_VALUE, Long.MAX_VALUE}) {
      refused.setRelease(word);
      expectThrows(CorruptException.class, () -> lent.refused(2, 5));
    }
    refused.setRelease(4);
    assertEquals(lent.refused(2, 5), 3);
  }

  @Test
  public void shouldSayOfWholeMessagesWhatMayBeLent() {
    assertEquals(LentSlots.lendable(0), 0);
    assertEquals(LentSlots.lendable(SIZE - 1), 0);
    assertEquals(LentSlots.lendable(SIZE), SIZE);
    assertEquals(LentSlots.lendable(100L * SIZE + 1), 100L * SIZE + 1);
  }
}
