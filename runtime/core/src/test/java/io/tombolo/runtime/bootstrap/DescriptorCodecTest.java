// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.io.BaseEncoding;
import com.google.common.primitives.Bytes;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.TestSeed;
import java.util.Arrays;
import java.util.Random;
import org.testng.annotations.Test;

public final class DescriptorCodecTest {
  private static final String GOLDEN =
      "544d42520100"
          + "0100080000000100000000000000"
          + "0200080000000100000000000000"
          + "030005000000"
          + "302e312e30"
          + "0400080000000200000000000000"
          + "050007000000"
          + "656d752d616d64"
          + "06000f000000"
          + "456d756c6174656420646576696365"
          + "070006000000"
          + "686f73742d31"
          + "0800080000006912000000000000"
          + "0900080000000500000000000000"
          + "0a00080000004004000000000000"
          + "0b00080000000100000000000000"
          + "0c000b000000"
          + "41424f52542c47524f5550"
          + "0d0004000000"
          + "73686d00"
          + "0d0007000000"
          + "74637000010002"
          + "0e0012000000"
          + "7365676d656e745f62797465730034303936"
          + "0f000a000000"
          + "6669727374206b696e64"
          + "100016000000"
          + "0100000050c3000003000000504958006d6c78355f30"
          + "110005000000"
          + "302d332c38";

  @Test
  public void shouldWriteTheCommittedBytes() {
    assertEquals(hex(DescriptorCodec.encode(Descriptors.of(2))), GOLDEN);
  }

  @Test
  public void shouldReadBackWhatWasWritten() {
    RankDescriptor read = decode(BaseEncoding.base16().lowerCase().decode(GOLDEN));
    RankDescriptor written = Descriptors.of(2);
    assertEquals(hex(DescriptorCodec.encode(read)), GOLDEN);
    assertEquals(read.capabilities(), written.capabilities());
    assertEquals(read.settings(), written.settings());
    assertEquals(read.uplinks(), written.uplinks());
    assertEquals(read.processors(), written.processors());
    assertEquals(read.fabricAddresses().get("tcp"), new byte[] {1, 0, 2});
    assertEquals(read.label(), "rank 2 (emu-amd, pid 4713, build 0.1.0)");
  }

  @Test
  public void shouldSkipFieldsOfLaterVersions() {
    byte[] later = BaseEncoding.base16().lowerCase().decode(GOLDEN + "ff7f03000000" + "010203");
    assertEquals(hex(DescriptorCodec.encode(decode(later))), GOLDEN);
  }

  @Test
  public void shouldReadDescriptorsOfEarlierBuildsWithoutWhatCameLater() {
    String earlier = GOLDEN.substring(0, GOLDEN.indexOf("0f000a000000"));
    RankDescriptor read = decode(BaseEncoding.base16().lowerCase().decode(earlier));
    assertEquals(read.architecture(), "");
    assertEquals(read.processors().size(), 0);
    assertEquals(Descriptors.of(2).site().architecture(), "first kind");
  }

  @Test
  public void shouldRefuseBytesWithAReasonHoweverTheyAreBroken() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    byte[] golden = BaseEncoding.base16().lowerCase().decode(GOLDEN);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = Arrays.copyOf(golden, golden.length - random.nextInt(3) * random.nextInt(40));
      for (int i = random.nextInt(4); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        DescriptorCodec.encode(decode(bytes));
      } catch (CorruptException e) {
        assertTrue(e.getMessage().startsWith("the descriptor of rank 2"), e.getMessage());
      } catch (RuntimeException e) {
        throw new AssertionError("-Dtombolo.seed=" + seed + ", round " + round, e);
      }
    }
  }

  @Test
  public void shouldRefuseEveryCutOffDescriptor() {
    byte[] golden = BaseEncoding.base16().lowerCase().decode(GOLDEN);
    for (int size = 0; size < GOLDEN.indexOf("0d0004000000") / 2; size++) {
      byte[] cut = Arrays.copyOf(golden, size);
      expectThrows(CorruptException.class, () -> decode(cut));
    }
  }

  @Test
  public void shouldNameTheFieldThatIsMissing() {
    byte[] golden =
        BaseEncoding.base16()
            .lowerCase()
            .decode(GOLDEN.replace("04000800000002", "44000800000002"));
    CorruptException e = expectThrows(CorruptException.class, () -> decode(golden));
    assertEquals(e.getMessage(), "the descriptor of rank 2 has 0 fields 'rank', not 1");
  }

  @Test
  public void shouldRefuseToWriteMoreThanTheLimit() {
    RankDescriptor small = Descriptors.of(0);
    RankDescriptor large =
        new RankDescriptor(
            1,
            1,
            "b",
            0,
            "v",
            "d",
            "",
            "h",
            1,
            small.processors(),
            small.capabilities(),
            ImmutableMap.of(),
            ImmutableList.of(),
            ImmutableSortedMap.of("name", "x".repeat(DescriptorCodec.LIMIT_BYTES)));
    expectThrows(UsageException.class, () -> DescriptorCodec.encode(large));
    byte[] bytes =
        Bytes.concat(DescriptorCodec.encode(small), new byte[DescriptorCodec.LIMIT_BYTES]);
    expectThrows(CorruptException.class, () -> decode(bytes));
  }

  private static RankDescriptor decode(byte[] bytes) {
    return DescriptorCodec.decode(bytes, "rank 2");
  }

  private static String hex(byte[] bytes) {
    return BaseEncoding.base16().lowerCase().encode(bytes);
  }
}
