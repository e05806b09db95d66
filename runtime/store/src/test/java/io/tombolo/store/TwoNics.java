// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;

import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.VerbsReads;
import java.util.Map;

/** Two emulated NICs, whose keys have one bit that changes. */
final class TwoNics implements AutoCloseable {
  private final long living;

  /** Before anything of them is open. */
  TwoNics() {
    EmulatedHca.set("TAG_BITS", "1");
    living = EmulatedHca.living();
  }

  /** Opens one of them, in any process. */
  static VerbsReads open(int nic) {
    return VerbsReads.from(
        Map.of(
            "ibverbs",
            EmulatedHca.library(),
            "rdma_device",
            EmulatedHca.device(nic),
            "fabrics",
            "rc,tcp"));
  }

  /** All of them has been closed by then. */
  @Override
  public void close() {
    EmulatedHca.set("TAG_BITS", "0");
    assertEquals(EmulatedHca.living(), living, "objects of the NICs");
  }
}
