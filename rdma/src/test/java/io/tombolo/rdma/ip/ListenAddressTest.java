// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ip;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.net.InetAddresses;
import io.tombolo.base.HostId;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.testng.annotations.Test;

/** What a process publishes of its TCP listener. */
public final class ListenAddressTest {
  private static final String HOST = "0123456789abcdef";

  @Test
  public void shouldComeBackWhenEncodedAndDecoded() {
    ListenAddress address =
        new ListenAddress(
            HOST,
            4711,
            ImmutableList.of(
                InetAddresses.forString("192.0.2.7"), InetAddresses.forString("2001:db8::1")));
    assertEquals(
        new String(address.encode(), StandardCharsets.US_ASCII),
        HOST + " 4711 192.0.2.7 2001:db8::1");
    assertEquals(ListenAddress.decode(address.encode()).orElseThrow(), address);
  }

  @Test
  public void shouldRefuseWhatIsNoAddress() {
    for (String text :
        new String[] {
          "",
          HOST,
          HOST + " 4711",
          HOST + " 0 192.0.2.7",
          HOST + " 65536 192.0.2.7",
          HOST + " 4711 example.org",
          HOST + "  192.0.2.7",
          "x" + HOST + " 4711 192.0.2.7",
          HOST + " 99999999999 192.0.2.7",
          HOST + " 4711" + " 192.0.2.7".repeat(17),
          " ".repeat(5000),
        }) {
      assertTrue(ListenAddress.decode(text.getBytes(StandardCharsets.US_ASCII)).isEmpty(), text);
    }
  }

  @Test
  public void shouldUseALoopbackAddressOnlyOnItsOwnHost() {
    ListenAddress here =
        new ListenAddress(HOST, 4711, ImmutableList.of(InetAddresses.forString("127.0.0.1")));
    assertEquals(
        here.seenFrom(HOST),
        ImmutableList.of(new InetSocketAddress(InetAddresses.forString("127.0.0.1"), 4711)));
    assertTrue(here.seenFrom("fedcba9876543210").isEmpty());
  }

  @Test
  public void shouldNameTheInterfacesWhenBoundToAllOfThem() throws Exception {
    ListenAddress address = ListenAddress.of(new InetSocketAddress(4711));
    assertEquals(address.hostId(), HostId.local());
    assertTrue(address.hosts().stream().noneMatch(host -> host.isAnyLocalAddress()));
    assertTrue(!address.hosts().isEmpty());
  }
}
