// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.lab.simulated.SimulatedNic;
import java.util.List;

/** Scripts of one message or a few from side 0 to side 1 on a link of 10 µs. */
final class ScriptedPair {
  static final long DELAY_NS = 10_000;

  private ScriptedPair() {}

  static Script script(ProtocolConfig.Shape shape, FaultPlan plan, int... sizes) {
    ProtocolConfig config =
        ProtocolConfig.of(shape, 1024).toBuilder()
            .window(256, 16)
            .times(200_000, 50_000_000, 1_000_000_000)
            .build();
    return new Script(
        1,
        config,
        plan,
        List.of(ImmutableIntArray.copyOf(sizes), ImmutableIntArray.of()),
        8,
        List.of(SimulatedNic.ample(), SimulatedNic.ample()));
  }

  static Script calm(ProtocolConfig.Shape shape, int... sizes) {
    return script(shape, FaultPlan.calm(DELAY_NS), sizes);
  }
}
