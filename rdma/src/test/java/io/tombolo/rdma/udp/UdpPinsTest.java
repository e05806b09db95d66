// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.rdma.FabricSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.Test;

/** Memory that a device cannot be given: a fabric that cannot be opened keeps none of it. */
public final class UdpPinsTest {
  private final InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /** How many pins there are, and how many were made. */
  private final AtomicInteger living = new AtomicInteger();

  private final AtomicInteger made = new AtomicInteger();

  @Test
  public void shouldUnpinWhatItHasPinnedWhenItCannotPinTheRest() {
    open(Integer.MAX_VALUE).close();
    int all = made.get();
    assertEquals(living.get(), 0);
    for (int nth = 1; nth <= all; nth++) {
      int failing = nth;
      made.set(0);
      assertThrows(ResourceException.class, () -> open(failing).close());
      assertEquals(living.get(), 0, "pinned without number " + nth + " of " + all);
    }
    assertEquals(all, 2, "one for each direction");
  }

  private UdpFabric open(int failing) {
    HostPinner pinner = (address, sizeBytes) -> pin(failing);
    return UdpFabric.open(
        FabricSettings.of(0, JobToken.random(), pinner), UdpProvider.told(bind, Map.of()));
  }

  private HostPinner.Pin pin(int failing) {
    if (made.incrementAndGet() == failing) {
      throw new ResourceException("no page-locked memory");
    }
    living.incrementAndGet();
    return living::decrementAndGet;
  }
}
