// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.CloseStack;
import io.tombolo.runtime.StandIn;
import java.util.List;
import java.util.Optional;
import org.testng.annotations.Test;

/** What a probe queues where: a kind of work that it leaves out may be the one that is blocked. */
public class StreamProbeTest {
  private static final ImmutableSet<String> BEHIND = ImmutableSet.of("reduceAsync", "copyAsync");

  private final SetMultimap<Stream, String> queued = LinkedHashMultimap.create();

  @Test
  public void shouldAskWithAllThatOurOwnStreamsDo() {
    try (CloseStack stack = new CloseStack()) {
      DeviceAdaptor real = stack.opened(Vendors.named("emu-amd").openDevice(0));
      Stream held = stack.opened(real.newStream());
      Stream follower = stack.opened(real.newStream());
      Stream ours = stack.opened(real.newUrgentStream());
      DeviceAdaptor device = recording(DeviceAdaptor.class, real);
      DeviceReducer kernels = recording(DeviceReducer.class, stack.opened(real.newReducer()));
      StreamProbe probe = stack.opened(new StreamProbe(device, Optional.of(kernels), 1, ours));
      queued.clear();
      assertTrue(probe.passes(held, List.of(follower), List.of(ours)));
      assertEquals(queued.get(ours), with("writeValueAsync"));
      assertEquals(queued.get(held), with("waitValueAsync"));
      assertEquals(queued.get(follower), ImmutableSet.of("copyAsync"));
    }
  }

  private static ImmutableSet<String> with(String call) {
    return ImmutableSet.<String>builder().add(call).addAll(BEHIND).build();
  }

  /** {@code real}; what is queued by it is noted. */
  private <T> T recording(Class<T> type, T real) {
    return StandIn.of(
        type,
        (method, arguments) -> {
          for (Object each : arguments == null ? new Object[0] : arguments) {
            if (each instanceof Stream stream) {
              queued.put(stream, method.getName());
            }
          }
          return StandIn.pass(real, method, arguments);
        });
  }
}
