// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertFalse;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The words of a handshake as somebody says them who means no good, by seed. */
public final class SpoiledWords {
  private static final int WAYS = 6;
  private static final int MORE_BYTES = 2_000;
  private static final int[] EXTREMES = {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 24};

  private final SplittableRandom random;

  /** Who spoils as {@code random} says. */
  public SpoiledWords(SplittableRandom random) {
    this.random = random;
  }

  /** {@code words} with bits flipped, cut off, too long, with a field out of all bounds, or so. */
  public byte[] of(byte[] words) {
    return switch (random.nextInt(WAYS)) {
      case 0 -> flipped(words);
      case 1 -> Arrays.copyOf(words, random.nextInt(words.length + 1));
      case 2 -> longer(words);
      case 3 -> withExtreme(words);
      case 4 -> flipped(withExtreme(longer(words)));
      default -> words.clone(); // true words, at the wrong time
    };
  }

  /** Who has heard them may be open, waiting, or failed with an error of ours. */
  public static void lookAt(Channel hearer) {
    try {
      boolean unused = hearer.isOpen();
    } catch (TomboloException e) {
      assertFalse(e.getMessage().isEmpty());
    }
  }

  private byte[] flipped(byte[] words) {
    byte[] spoiled = words.clone();
    for (int flips = 1 + random.nextInt(8); flips > 0 && words.length > 0; flips--) {
      spoiled[random.nextInt(words.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return spoiled;
  }

  private byte[] longer(byte[] words) {
    byte[] more = new byte[words.length + 1 + random.nextInt(MORE_BYTES)];
    random.nextBytes(more);
    System.arraycopy(words, 0, more, 0, words.length);
    return more;
  }

  private byte[] withExtreme(byte[] words) {
    byte[] spoiled = words.clone();
    if (words.length >= Integer.BYTES) {
      int at = random.nextInt(words.length / Integer.BYTES) * Integer.BYTES;
      int extreme = EXTREMES[random.nextInt(EXTREMES.length)];
      for (int i = 0; i < Integer.BYTES; i++) {
        spoiled[at + i] = (byte) (extreme >>> (8 * i));
      }
    }
    return spoiled;
  }
}
