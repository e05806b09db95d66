// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.verbs.PortAttributes.Link;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.testng.annotations.Test;

/** What ends of one-sided reads, and what they expose, say of themselves, byte by byte. */
public final class OneSidedCardsTest {
  private static final long SEED = Long.getLong("tombolo.seed", 37);
  private static final int SPOILED = 500;
  private static final String IPV4 = "00000000000000000000ffff0a4d0001";
  private static final ReadCard CARD =
      new ReadCard(
          new PortCard(Link.ETHERNET, new Gid(-1, Gid.Type.ROCE_V2, IPV4), 0, 5),
          0x11,
          0x010203,
          0xa0b0c0d0,
          0x1122334455667788L);
  private static final RemoteMemory MEMORY =
      new RemoteMemory("w", 0x1122334455667788L, 0x99, 0xa0b0c0d0, 4095, 0x0102030405060708L);

  @Test
  public void shouldKeepTheirBytes() {
    assertEquals(
        HexFormat.of().formatHex(CARD.encode()),
        "54424c4f03020100" + "0102020500000000" + IPV4 + "11000000d0c0b0a0" + "8877665544332211");
    assertEquals(ReadCard.decode(CARD.encode()), CARD);
    assertEquals(
        HexFormat.of().formatHex(MEMORY.encode()),
        "88776655443322119900000000000000d0c0b0a0ff0f00000807060504030201");
    assertEquals(RemoteMemory.decode("w", MEMORY.encode()), MEMORY);
  }

  @Test
  public void shouldRefuseCardsThatAreNone() {
    for (int at : new int[] {0, 7, 8, 9, 10, 11, 15, 35}) {
      byte[] bytes = CARD.encode();
      bytes[at] = (byte) 0x80;
      assertThrows(CorruptException.class, () -> ReadCard.decode(bytes));
    }
    byte[] cut = Arrays.copyOf(CARD.encode(), ReadCard.SIZE_BYTES - 1);
    assertThrows(CorruptException.class, () -> ReadCard.decode(cut));
  }

  @Test
  public void shouldRefuseMemoryThatNobodyExposes() {
    for (RemoteMemory wrong :
        new RemoteMemory[] {
          new RemoteMemory("empty", 1, 0, 1, 0, 0),
          new RemoteMemory("negative", 1, -1, 1, 0, 0),
          new RemoteMemory("beyond the last address", -1, 2, 1, 0, 0),
          new RemoteMemory("no cell", 1, 1, 1, -1, 0),
          new RemoteMemory("no cell", 1, 1, 1, GenerationCells.COUNT, 0),
        }) {
      assertThrows(CorruptException.class, () -> RemoteMemory.decode(wrong.what(), wrong.encode()));
    }
    byte[] cut = Arrays.copyOf(MEMORY.encode(), RemoteMemory.SIZE_BYTES - 1);
    assertThrows(CorruptException.class, () -> RemoteMemory.decode("cut", cut));
    RemoteMemory last = new RemoteMemory("up to the last address", -1, 1, 1, 0, 0);
    assertEquals(RemoteMemory.decode(last.what(), last.encode()), last);
  }

  /**
   * A holder whose peers show it anything ends with an error, or with a pair that serves nobody.
   */
  @Test(timeOut = 120_000)
  public void shouldHarmNobodyElseWhenCardsAreSpoiled() {
    System.out.println("one-sided: seed " + SEED);
    Random random = new Random(SEED);
    try (OneSidedPair both = new OneSidedPair();
        Exposure shown = both.expose("w")) {
      byte[] bytes = both.fill(SEED);
      int refused = 0;
      for (int i = 0; i < SPOILED; i++) {
        try (HolderEnd end = both.holder.holderEnd()) {
          byte[] card = both.readerEnd.card();
          card[random.nextInt(card.length)] ^= (byte) (1 + random.nextInt(255));
          refused += connects(end, card) ? 0 : 1;
        }
      }
      assertTrue(refused > 0 && refused < SPOILED, refused + " of " + SPOILED + " were refused");
      assertEquals(both.readAll(shown.remote()), bytes);
      assertFalse(both.readerEnd.isBroken());
    }
  }

  private static boolean connects(HolderEnd end, byte[] card) {
    try {
      end.connect(card);
      return true;
    } catch (TomboloException e) {
      return false;
    }
  }
}
