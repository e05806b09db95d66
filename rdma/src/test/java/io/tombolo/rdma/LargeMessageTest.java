// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * One message of more than 2 GiB. Its memory is imagined: only the first word of each piece is
 * looked at.
 */
public final class LargeMessageTest {
  private static final long SIZE_BYTES = (2L << 30) + (8 << 20) + 8;
  private static final SlotGeometry GEOMETRY = new SlotGeometry(4, 4 << 20);

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(Kind.FAST);
  }

  @Test(dataProvider = "kinds")
  public void shouldDeliverEveryPieceInItsPlaceWhenOffsetsNeedSixtyFourBits(Kind kind) {
    try (FabricPair pair = new FabricPair(kind, GEOMETRY);
        NativeMemory word = NativeMemory.allocate(Long.BYTES)) {
      Offsets source = new Offsets(word, kind.isLossy());
      Offsets target = new Offsets(word, kind.isLossy());
      pair.fromLow.send(1, source, 0, SIZE_BYTES);
      pair.fromHigh.receive(1, target, 0, SIZE_BYTES);
      pair.until(() -> pair.fromHigh.poll(new Log()) == 1);
      assertEquals(target.bytes, SIZE_BYTES);
      assertEquals(pair.fromHigh.receivedBytes(), SIZE_BYTES);
    }
  }

  /** Memory that holds its own offsets. */
  private static final class Offsets implements LocalMemory {
    private final NativeMemory word;
    private final boolean anyOrder;
    private long bytes;

    Offsets(NativeMemory word, boolean anyOrder) {
      this.word = word;
      this.anyOrder = anyOrder;
    }

    @Override
    public long sizeBytes() {
      return SIZE_BYTES;
    }

    @Override
    public long copyOut(long offset, long hostAddress, long sizeBytes) {
      word.cell(0).setVolatile(offset);
      NativeMemory.copy(hostAddress, word.address(), Long.BYTES);
      return DONE;
    }

    @Override
    public long copyIn(long offset, long hostAddress, long sizeBytes) {
      NativeMemory.copy(word.address(), hostAddress, Long.BYTES);
      assertEquals(word.cell(0).getVolatile(), offset);
      assertTrue(anyOrder || offset == bytes, "a piece at " + offset + " before its turn");
      bytes += sizeBytes;
      return DONE;
    }

    @Override
    public boolean isDone(long ticket) {
      return true;
    }
  }
}
