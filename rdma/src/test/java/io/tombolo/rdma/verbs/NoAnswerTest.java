// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.verbs.PortAttributes.Link;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What is said of queue pairs whose packets are dropped on their way. */
public final class NoAnswerTest {
  private static final int ROCE_V1 = 1;
  private static final int ROCE_V2 = 2;

  @DataProvider
  public Object[][] links() {
    return new Object[][] {
      {Link.ETHERNET, ROCE_V2, "UDP, port 4791"},
      {Link.ETHERNET, ROCE_V1, "0x8915, which no router passes on"},
      {Link.INFINIBAND, 0, "the subnet manager's routes"},
      {Link.UNSPECIFIED, 0, "the security groups"},
    };
  }

  @Test(dataProvider = "links")
  public void shouldSayWhatToLookAtOnEachKindOfLink(Link link, int type, String hint) {
    byte[] address = new byte[Gid.SIZE_BYTES];
    address[0] = 1;
    Gid gid = Gid.of(0, type, address).orElseThrow();
    try (NicPort nic = Devices.openIn(0, 0)) {
      String text = NoAnswer.text(nic, new PortCard(link, gid, 1, 5), false);
      assertTrue(text.contains("though TCP does") && text.contains(hint), text);
      assertTrue(text.contains("from emu-mlx5_0:1"), text);
      assertTrue(text.contains("or the peer's process stands still; look at"), text);
    }
    String text = NoAnswer.ofRepeats(new PortCard(link, gid, 1, 5));
    assertTrue(text.contains("its process or its host is gone, or packets"), text);
    assertTrue(text.contains(" are dropped ") && text.contains("; look at its output, "), text);
    assertTrue(text.contains(hint), text);
  }

  @Test
  public void shouldTellASilenceFromOneWay() {
    try (NicPort nic = Devices.openIn(0, 0)) {
      String text = NoAnswer.text(nic, nic.card(), true);
      assertTrue(text.contains("the peer's packets come, and none of ours is answered"), text);
    }
  }
}
