// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

import static org.testng.Assert.assertEquals;

import io.tombolo.store.TestSeed;
import java.util.Random;
import java.util.zip.CRC32C;
import org.testng.annotations.Test;

public class PartChecksumTest {
  @Test
  public void shouldAddUpToTheChecksumOfTheWholeHoweverItIsParted() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      byte[] whole = new byte[random.nextInt(3_000)];
      random.nextBytes(whole);
      PartChecksum[] parts = new PartChecksum[1 + random.nextInt(4)];
      for (int part = 0; part < parts.length; part++) {
        parts[part] = new PartChecksum();
      }
      int length = 1 + random.nextInt(300);
      for (int from = 0; from < whole.length; from += length) {
        int size = Math.min(length, whole.length - from);
        parts[random.nextInt(parts.length)].add(from, size, crc(whole, from, size));
      }
      int sum = 0;
      for (PartChecksum part : parts) {
        sum ^= part.of(whole.length);
      }
      assertEquals(PartChecksum.whole(whole.length, sum), crc(whole, 0, whole.length), where);
    }
  }

  /** CRC-32C of 32 bytes of zeros, from RFC 3720, appendix B.4. */
  @Test
  public void shouldKnowTheChecksumOfZeros() {
    assertEquals(CrcShift.ofZeros(32), 0x8a9136aa);
    assertEquals(CrcShift.ofZeros(0), 0);
  }

  @Test
  public void shouldMoveAChecksumOverAnyLength() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      long one = random.nextLong() >>> (2 + random.nextInt(60));
      long other = random.nextLong() >>> (2 + random.nextInt(60));
      int power = CrcShift.product(CrcShift.power(one), CrcShift.power(other));
      assertEquals(CrcShift.power(one + other), power, where);
    }
  }

  private static int crc(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }
}
