// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.testng.annotations.Test;

/** Words and addresses that nobody of ours has said. */
public final class ControlFuzzTest {
  private static final long SEED = 20261126;
  private static final int ROUNDS = 100_000;

  @Test
  public void shouldTakeNoWordThatIsNotOurs() {
    SplittableRandom random = new SplittableRandom(SEED);
    ByteBuffer bytes = ByteBuffer.allocate(ControlWord.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    ControlWord word = new ControlWord();
    for (int round = 0; round < ROUNDS; round++) {
      ControlWord.put(bytes.clear(), ControlWord.STATE, 3, 5, 7, 11);
      for (int changes = random.nextInt(3); changes >= 0; changes--) {
        bytes.put(random.nextInt(bytes.capacity()), (byte) random.nextInt());
      }
      try {
        word.read(bytes.flip());
        assertTrue(word.count() >= 0 && word.count() <= 256, "seed " + SEED);
        boolean hasRows =
            word.type() != ControlWord.RECEIVED
                && word.type() != ControlWord.STOP
                && word.type() != ControlWord.STALLED
                && word.type() != ControlWord.CALLS_DIFFER;
        assertTrue(hasRows || word.count() == 0, "seed " + SEED);
      } catch (CorruptException expected) {
        assertTrue(expected.getMessage().contains("not ours"));
      }
    }
  }

  @Test
  public void shouldReadItsOwnAddressesAndSurviveOthers() {
    SplittableRandom random = new SplittableRandom(SEED);
    RailsAddress address =
        new RailsAddress(
            new byte[] {1, 2, 3},
            ImmutableList.of(
                new RailsAddress.Entry("mlx5_0:1", 12_500, new byte[] {4, 5}),
                new RailsAddress.Entry("", 1, new byte[0])));
    byte[] bytes = address.encode();
    assertEquals(RailsAddress.decode(bytes).map(RailsAddress::encode).orElseThrow(), bytes);
    for (int length = 4; length < bytes.length; length++) {
      assertTrue(RailsAddress.decode(Arrays.copyOf(bytes, length)).isEmpty());
    }
    assertTrue(RailsAddress.decode(Arrays.copyOf(bytes, bytes.length + 1)).isEmpty());
    for (int round = 0; round < ROUNDS; round++) {
      byte[] damaged = bytes.clone();
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      RailsAddress.decode(damaged)
          .ifPresent(found -> assertTrue(found.rails().size() <= RailsAddress.MAX_RAILS));
    }
  }
}
