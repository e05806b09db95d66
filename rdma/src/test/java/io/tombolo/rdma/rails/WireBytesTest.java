// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.testng.annotations.Test;

/** What travels between two builds, byte by byte. */
public final class WireBytesTest {
  @Test
  public void shouldSayWordsInTheseBytes() {
    ByteBuffer bytes =
        ByteBuffer.allocate(ControlWord.HEADER_BYTES + ControlWord.RANGE_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    ControlWord.put(bytes, ControlWord.PAIRS, 1, 0x01020304, 0x05, 0x1122334455667788L);
    new RailPair(1, 2, 12_500).write(bytes);
    assertEquals(
        hex(bytes.array()),
        "54424c52"
            + "01"
            + "06"
            + "0100"
            + "04030201"
            + "05000000"
            + "8877665544332211"
            + "01000000"
            + "02000000"
            + "d430000000000000");
  }

  @Test
  public void shouldNumberWordsLikeThis() {
    assertEquals(
        new int[] {
          ControlWord.RECEIVED,
          ControlWord.STATE,
          ControlWord.CALLS_DIFFER,
          ControlWord.STOP,
          ControlWord.EXPECTED,
          ControlWord.PAIRS,
          ControlWord.STALLED
        },
        new int[] {1, 2, 3, 4, 5, 6, 7});
  }

  @Test
  public void shouldPublishSeveralRailsInTheseBytes() {
    RailsAddress two =
        new RailsAddress(
            new byte[] {7, 8},
            ImmutableList.of(
                new RailsAddress.Entry("a:1", 12_500, new byte[] {9}),
                new RailsAddress.Entry("b", 1, new byte[] {10, 11})));
    assertEquals(
        hex(two.encode()),
        "54424c41"
            + "01"
            + "02"
            + "0200"
            + "0708"
            + "d4300000"
            + "0300"
            + "613a31"
            + "0100"
            + "09"
            + "01000000"
            + "0100"
            + "62"
            + "0200"
            + "0a0b");
  }

  /** A process with one rail publishes what it did before there were several. */
  @Test
  public void shouldTakeAnyOtherAddressForThatOfOneRail() {
    byte[] plain = {1, 2, 3, 4, 5, 6, 7};
    Optional<RailsAddress> address = RailsAddress.decode(plain);
    assertEquals(address.orElseThrow().rails().get(0).address(), plain);
    assertEquals(address.orElseThrow().rails().size(), 1);
  }

  private static String hex(byte[] bytes) {
    return BaseEncoding.base16().lowerCase().encode(bytes);
  }
}
