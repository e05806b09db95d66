// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.verbs.PortAttributes.Link;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.testng.annotations.Test;

/** What ports and queue pairs say of themselves, byte by byte. */
public final class CardsTest {
  private static final String IPV4 = "00000000000000000000ffff0a4d0001";
  private static final PortCard ETHERNET =
      new PortCard(Link.ETHERNET, gid(Gid.Type.ROCE_V2, IPV4), 0, 5);
  private static final PairCard PAIR =
      new PairCard(
          ETHERNET,
          ImmutableIntArray.of(0x11, 0x12),
          0x010203,
          0xa0b0c0d0,
          0x1122334455667788L,
          0x99L,
          true,
          true,
          0x77);

  private static final PortCard EFA =
      new PortCard(
          Link.UNSPECIFIED, gid(Gid.Type.INFINIBAND, "fe8000000000000004a1fffeb2c3d4e5"), 0, 5);

  private static Gid gid(Gid.Type type, String hex) {
    return new Gid(-1, type, hex);
  }

  private static PortCard infiniband(String prefix) {
    return new PortCard(
        Link.INFINIBAND, gid(Gid.Type.INFINIBAND, prefix + "0002c90300a1b2c3"), 17, 4);
  }

  @Test
  public void shouldKeepTheirBytes() {
    assertEquals(
        HexFormat.of().formatHex(PAIR.encode()),
        "54424c5603020100"
            + "0102020500000000"
            + IPV4
            + "02000000"
            + "11000000120000000000000000000000"
            + "d0c0b0a0"
            + "8877665544332211"
            + "9900000000000000"
            + "7700000006000000");
    assertEquals(PairCard.decode(PAIR.encode()), PAIR);
  }

  @Test
  public void shouldKeepTheBytesOfAnEfa() {
    assertEquals(
        HexFormat.of().formatHex(EFA.encode()),
        "0100000500000000" + "fe8000000000000004a1fffeb2c3d4e5");
    assertEquals(
        PortCard.read(ByteBuffer.wrap(EFA.encode()).order(ByteOrder.LITTLE_ENDIAN)).get(), EFA);
  }

  @Test
  public void shouldGiveNoGrantsToThoseWhoTakeThemOtherwise() {
    byte[] bytes = PAIR.encode();
    bytes[76] = 1;
    assertFalse(PairCard.decode(bytes).takesGrants());
    assertFalse(PairCard.decode(bytes).asks());
  }

  @Test
  public void shouldRefuseCardsThatAreNone() {
    for (int at : new int[] {0, 7, 8, 9, 10, 11, 15, 32, 39, 43}) {
      byte[] bytes = PAIR.encode();
      bytes[at] = (byte) 0x80;
      CorruptException error = expectThrows(CorruptException.class, () -> PairCard.decode(bytes));
      assertTrue(error.getMessage().contains("card"), error.getMessage());
    }
    ByteBuffer cut = ByteBuffer.wrap(ETHERNET.encode(), 0, PortCard.SIZE_BYTES - 1);
    assertTrue(PortCard.read(cut.order(ByteOrder.LITTLE_ENDIAN)).isEmpty());
  }

  @Test
  public void shouldReachOnlyNetworksOfTheSameKind() {
    PortCard v6 =
        new PortCard(
            Link.ETHERNET, gid(Gid.Type.ROCE_V2, "20010db8000000000000000000000001"), 0, 5);
    PortCard v1 =
        new PortCard(
            Link.ETHERNET, gid(Gid.Type.ROCE_V1, "fe800000000000000000000000000001"), 0, 5);
    assertTrue(ETHERNET.mayReach(ETHERNET) && v6.mayReach(v6) && v1.mayReach(v1));
    assertFalse(ETHERNET.mayReach(v6) || v6.mayReach(v1) || v1.mayReach(ETHERNET));
    assertTrue(infiniband("fe80000000000000").mayReach(infiniband("fe80000000000000")));
    assertFalse(infiniband("fe80000000000000").mayReach(infiniband("fe80000000000001")));
    assertFalse(infiniband("fe80000000000000").mayReach(v1));
    assertTrue(EFA.mayReach(EFA));
    assertFalse(EFA.mayReach(infiniband("fe80000000000000")) || v1.mayReach(EFA));
  }

  @Test
  public void shouldWriteAddressesAsPeopleDo() {
    assertEquals(ETHERNET.toString(), "GID 10.77.0.1");
    assertEquals(
        infiniband("fe80000000000000").toString(),
        "LID 17, GID fe80:0000:0000:0000:0002:c903:00a1:b2c3");
  }
}
