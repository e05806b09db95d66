// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.Optional;
import org.testng.annotations.Test;

public class StoreAddressTest {

  private static String of(String hosts, String said) {
    Placement placement = Placement.parse(hosts, null, Optional.ofNullable(said));
    return StoreAddress.of(placement).getHostAddress();
  }

  @Test
  public void shouldStayOnLoopbackWhenAllHostsAreThisOne() {
    assertEquals(of("me@127.0.0.1:2", null), "127.0.0.1");
  }

  @Test
  public void shouldListenWhereItIsTold() {
    assertEquals(of("nobody-knows-me.invalid:1", "127.0.0.1"), "127.0.0.1");
  }

  @Test
  public void shouldRefuseAnAddressOfAnotherHost() {
    UsageException e = expectThrows(UsageException.class, () -> of("a:1", "192.0.2.1"));
    assertTrue(
        e.getMessage()
            .startsWith("--store-address 192.0.2.1 is no address of this host, which has"),
        e.getMessage());
  }
}
