// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceProperties;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.Advice;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.StandIn;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What a call is told whose stream the runtime says nothing of. */
public class CallRefusalsTest {
  private static final long ILLEGAL_ADDRESS = 700;
  private static final long NONE = 0;
  private static final long CALLERS = 0x10;
  private static final long OURS = 0x20;

  /** The code that making another stream meets, and what to do. */
  @DataProvider
  public static Object[][] others() {
    return new Object[][] {
      {ILLEGAL_ADDRESS, Advice.RESTART, "end the job, and start its processes anew"},
      {NONE, Advice.FIX_CALL, "make the call on an open one"},
      {2, Advice.FIX_CALL, "make the call on an open one"}
    };
  }

  @Test(dataProvider = "others")
  public void shouldTellADeviceThatHasFailedFromAStreamThatIsNoGood(
      long ofOthers, Advice advice, String fix) {
    CallRefusals refusals = new CallRefusals(3, device(ofOthers));
    TomboloException refused =
        expectThrows(
            TomboloException.class, () -> refusals.require("all_reduce", 8, stream(CALLERS)));
    assertEquals(refused.advice(), advice, refused.getMessage());
    assertTrue(
        refused.getMessage().startsWith("rank 3: all_reduce of 8 bytes: its stream 0x10 "),
        refused.getMessage());
    assertTrue(refused.getMessage().contains(fix), refused.getMessage());
    assertTrue(refused.getMessage().contains("(raw code 700)"), refused.getMessage());
  }

  /** One that knows nothing of the caller's stream. */
  private static DeviceAdaptor device(long ofOthers) {
    return StandIn.of(
        DeviceAdaptor.class,
        (method, arguments) ->
            switch (method.getName()) {
              case "properties" -> new DeviceProperties("a device", "", 0, "");
              case "objection" -> {
                if (((Stream) arguments[0]).nativeHandle() == CALLERS) {
                  throw failure(ILLEGAL_ADDRESS);
                }
                yield Optional.empty();
              }
              case "newStream" -> {
                if (ofOthers != NONE) {
                  throw failure(ofOthers);
                }
                yield stream(OURS);
              }
              default -> throw new AssertionError(method);
            });
  }

  private static VendorException failure(long code) {
    return new VendorException("a call failed", code);
  }

  private static Stream stream(long handle) {
    return StandIn.of(
        Stream.class,
        (method, arguments) ->
            switch (method.getName()) {
              case "nativeHandle" -> handle;
              case "isCapturing" -> false;
              default -> null;
            });
  }
}
