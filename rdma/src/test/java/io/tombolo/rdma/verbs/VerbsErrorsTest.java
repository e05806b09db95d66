// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.UnavailableException;
import org.testng.annotations.Test;

/** What errnos of libibverbs become. */
public final class VerbsErrorsTest {
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
