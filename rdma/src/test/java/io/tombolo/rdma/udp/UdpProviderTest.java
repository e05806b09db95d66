// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class UdpProviderTest {
  @DataProvider
  public Object[][] settings() {
    return new Object[][] {
      {Map.of(), 10}, {Map.of("liveness_ms", "3000"), 3}, {Map.of("liveness_ms", "0"), 10},
    };
  }

  @Test(dataProvider = "settings")
  public void shouldGiveAPeerUpWhenASilentRankWouldBe(Map<String, String> options, int seconds) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    assertEquals(UdpProvider.told(bind, options).giveUp(), Duration.ofSeconds(seconds));
  }
}
