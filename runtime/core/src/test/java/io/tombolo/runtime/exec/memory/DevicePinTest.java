// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.runtime.StandIn;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Whether memory may be unmapped whose device fails, or recovers, while it is unpinned. */
public final class DevicePinTest {
  private static final long ADDRESS = 4096;
  private static final long SIZE = 64;

  /** Whether the device is tainted before it unpins, whether it is after that, and the answer. */
  @DataProvider
  public static Object[][] taints() {
    return new Object[][] {
      {false, false, false},
      {true, true, true},
      {true, false, true},
      {false, true, true}
    };
  }

  @Test(dataProvider = "taints")
  public void shouldStayWhereATaintWasSeenAtEitherEnd(
      boolean before, boolean after, boolean stays) {
    AtomicBoolean tainted = new AtomicBoolean(before);
    DevicePin pin = new DevicePin(device(tainted, after), ADDRESS, SIZE);
    pin.close();
    assertEquals(pin.staysPinned(), stays);
  }

  @Test
  public void shouldStayAlsoWhereItIsClosedAgainAfterTheTaint() {
    AtomicBoolean tainted = new AtomicBoolean(true);
    DevicePin pin = new DevicePin(device(tainted, false), ADDRESS, SIZE);
    pin.close();
    pin.close();
    assertTrue(pin.staysPinned());
  }

  /** One that is {@code tainted}, or not, as {@code after} says once it has unpinned something. */
  private static DeviceAdaptor device(AtomicBoolean tainted, boolean after) {
    DeviceMemory memory =
        StandIn.of(
            DeviceMemory.class,
            (method, arguments) -> {
              tainted.set(after);
              return null;
            });
    return StandIn.of(
        DeviceAdaptor.class,
        (method, arguments) ->
            method.getName().equals("leavesBehind") ? (BooleanSupplier) tainted::get : memory);
  }
}
