// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.UnavailableException;
import org.testng.annotations.Test;

/** What errnos of libibverbs become. */
public final class VerbsErrorsTest {
  private static final long SECOND_NS = 1_000_000_000;

  /** A way from a port on Ethernet, or from another. */
  private static AddressAttributes route(boolean ethernet) {
    byte[] bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 0, 0, 1};
    Gid gid = Gid.of(0, Gid.Type.ROCE_V2.number(), bytes).orElseThrow();
    return new AddressAttributes(1, 0, gid, 0, 0, 0, 0, true, ethernet);
  }

  @Test
  public void shouldTellAnAddressThatIsNotFoundFromADeviceThatDoesNotAnswer() {
    long late = VerbsErrors.ETIMEDOUT;
    assertTrue(VerbsErrors.isUnresolved(late, route(true), SECOND_NS));
    assertFalse(VerbsErrors.isUnresolved(late, route(true), 60 * SECOND_NS));
    assertFalse(VerbsErrors.isUnresolved(late, route(false), SECOND_NS));
    assertFalse(VerbsErrors.isUnresolved(VerbsErrors.EINVAL, route(true), SECOND_NS));
    assertFalse(VerbsErrors.isUnresolved(0, route(true), SECOND_NS));
    String text =
        expectThrows(FabricException.class, () -> VerbsErrors.check("connect it", late))
            .getMessage();
    assertTrue(text.contains("errno 110") && text.contains("see dmesg"), text);
  }

  /** Jobs then go without RDMA: the library may be there on hosts that never had a device. */
  @Test
  public void shouldCountAsMissingWhenTheKernelHasNoRdma() {
    UnavailableException error =
        expectThrows(UnavailableException.class, () -> VerbsErrors.check("list devices", -38));
    assertTrue(error.getMessage().contains("errno 38"), error.getMessage());
  }

  @Test
  public void shouldCarryTheNumberWhenItIsUnknown() {
    FabricException error =
        expectThrows(FabricException.class, () -> VerbsErrors.check("list devices", -4711));
    assertEquals(error.rawCode(), 4711);
  }
}
