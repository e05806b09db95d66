// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Availability;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.exec.engine.Reductions;
import java.util.Optional;
import java.util.function.Supplier;
import org.testng.annotations.Test;

public final class ReductionChoiceTest {
  private static final Availability COMPILER = new Availability.Available("NVRTC 13.5");
  private static final Availability NO_COMPILER =
      new Availability.Missing("no libnvrtc here", "install it");

  private static ReductionChoice choice(Availability reducing, Supplier<DeviceReducer> maker) {
    return new ReductionChoice(Optional.empty(), () -> reducing, maker);
  }

  private static DeviceReducer made() {
    return new HostDevice().newReducer();
  }

  private static DeviceReducer refused() {
    throw new VendorException("compiling kernels failed: NVRTC_ERROR_COMPILATION\nline 1: x", 6);
  }

  private static DeviceReducer nobody() {
    throw new UnavailableException("no libnvrtc here; install it");
  }

  @Test
  public void shouldTakeTheDeviceForAllButSmallPiecesWhereItCanCompile() {
    Reductions auto = choice(COMPILER, ReductionChoiceTest::made).by("auto");
    assertTrue(auto.device().isPresent());
    assertEquals(auto.text(), "device (NVRTC 13.5), pieces below 65536 bytes: host engine");
    Reductions forced = choice(COMPILER, ReductionChoiceTest::made).by("device");
    assertEquals(forced.fromBytes(), 0);
    assertEquals(forced.text(), "device (NVRTC 13.5)");
  }

  @Test
  public void shouldLeaveItToTheHostAndSayWhyWhereThereIsNoCompiler() {
    Reductions auto = choice(NO_COMPILER, ReductionChoiceTest::nobody).by("auto");
    assertFalse(auto.device().isPresent());
    assertEquals(auto.text(), "host engine (no libnvrtc here)");
  }

  @Test
  public void shouldLeaveItToTheHostAndSayWhyWhereTheCompilerRefuses() {
    Reductions auto = choice(COMPILER, ReductionChoiceTest::refused).by("auto");
    assertFalse(auto.device().isPresent());
    assertTrue(auto.text().startsWith("host engine (compiling kernels failed"), auto.text());
    assertFalse(auto.text().contains("line 1"), "one line is enough: " + auto.text());
  }

  @Test
  public void shouldNotAskADeviceThatWouldBeTheHost() {
    ReductionChoice host =
        new ReductionChoice(
            Optional.of("the device is the host"),
            () -> COMPILER,
            () -> {
              throw new AssertionError("asked");
            });
    assertEquals(host.by("auto").text(), "host engine (the device is the host)");
    assertEquals(host.by("host").text(), "host engine (TOMBOLO_REDUCE=host)");
  }

  @Test
  public void shouldFailWhereTheDeviceMustAndCannot() {
    UnavailableException missing =
        expectThrows(
            UnavailableException.class,
            () -> choice(NO_COMPILER, ReductionChoiceTest::nobody).by("device"));
    assertTrue(missing.getMessage().contains("TOMBOLO_REDUCE=device"), missing.getMessage());
    assertTrue(missing.getMessage().contains("install it"), missing.getMessage());
    UnavailableException refused =
        expectThrows(
            UnavailableException.class,
            () -> choice(COMPILER, ReductionChoiceTest::refused).by("device"));
    assertTrue(refused.getMessage().contains("line 1: x"), "the log: " + refused.getMessage());
  }

  @Test
  public void shouldNameTheVariableWhoseWordItDoesNotKnow() {
    UsageException error =
        expectThrows(
            UsageException.class, () -> choice(COMPILER, ReductionChoiceTest::made).by("gpu"));
    assertTrue(error.getMessage().contains("TOMBOLO_REDUCE is 'gpu'"), error.getMessage());
  }
}
