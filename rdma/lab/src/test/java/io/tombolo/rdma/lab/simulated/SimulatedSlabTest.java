// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import static io.tombolo.rdma.lab.simulated.SimulatedNic.NO_WINDOWS;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.reliable.SlabFence;
import org.testng.annotations.Test;

/** Which key a slot has while it gets another. */
public class SimulatedSlabTest {
  private static final long BIND_NS = 1000;
  private static final FaultPlan CALM = FaultPlan.calm(10_000);
  private static final byte[] PAYLOAD = {1};

  private final SimulatedNetwork network = new SimulatedNetwork(1, CALM, 2);

  @Test
  public void shouldTakeWritesUnderTheFormerKeyUntilAWindowIsBound() {
    try (SimulatedSlab slab = slab(BIND_NS)) {
      assertEquals(slab.renew(0), SlabFence.PENDING);
      pass(BIND_NS + 1);
      int former = (int) slab.renew(0);
      assertEquals(slab.renew(0), SlabFence.PENDING);
      assertTrue(slab.write(0, former, PAYLOAD));
      pass(BIND_NS + 1);
      assertFalse(slab.write(0, former, PAYLOAD));
      assertTrue(slab.write(0, (int) slab.renew(0), PAYLOAD));
    }
  }

  @Test
  public void shouldTakeNoWriteWhereNothingIsRegisteredAgain() {
    try (SimulatedSlab slab = slab(NO_WINDOWS)) {
      int former = (int) slab.renew(0);
      assertTrue(slab.write(0, former, PAYLOAD));
      network.become(CALM.toBuilder().fenceFailure(1).build());
      assertEquals(slab.renew(0), SlabFence.FAILED);
      assertFalse(slab.write(0, former, PAYLOAD));
      network.become(CALM);
      assertTrue(slab.write(0, (int) slab.renew(0), PAYLOAD));
    }
  }

  private SimulatedSlab slab(long bindNs) {
    return new SimulatedSlab(network, 1, 64, SimulatedSlab.TAG_BITS, 0, bindNs);
  }

  private void pass(long durationNs) {
    network.at(network.nowNs() + durationNs, () -> {});
    while (network.step()) {}
  }
}
