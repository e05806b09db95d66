// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.testng.annotations.Test;

/** What a stage does with its memory when work on the device has failed. */
public class PinnedStageTest {
  private static final int SIZE = 64;

  /** Freed, it would be given out again, and still be registered. */
  @Test
  public void shouldKeepItsMemoryWhereTheTaintEndsWhileItIsClosed() {
    AtomicBoolean tainted = new AtomicBoolean(true);
    DeviceMemory pinned =
        StandIn.of(
            DeviceMemory.class,
            (method, arguments) -> {
              tainted.set(false); // right after its close has left the registration behind
              return null;
            });
    DeviceAdaptor device =
        StandIn.of(
            DeviceAdaptor.class,
            (method, arguments) ->
                method.getName().equals("leavesBehind") ? (BooleanSupplier) tainted::get : pinned);
    Stream stream = StandIn.of(Stream.class, (method, arguments) -> null);
    PinnedStage stage = new PinnedStage(device, stream, SIZE, Duration.ofSeconds(1));
    stage.close();
    assertEquals(stage.bytes().remaining(), SIZE);
  }
}
