// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.memory.HostWindow;
import io.tombolo.runtime.exec.memory.Windows;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Range;
import io.tombolo.runtime.plan.Space;
import io.tombolo.runtime.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Groups of sends and receives of which the library refuses one. */
public final class VendorEngineTest {
  private static final long LIMIT_MS = 120_000;
  private static final int MEMBERS = 3;
  private static final Binding BINDING =
      new Binding(0, 0, new HostWindow(0, 0), 0, DataType.F32, Windows.NONE);

  /** What is called of the library. */
  private List<String> called;

  @BeforeMethod
  public void open() {
    called = new ArrayList<>();
  }

  /** Until then the communicator is in use, and its abort waits for that. */
  @Test(timeOut = LIMIT_MS)
  public void shouldEndItsGroupWhereASendIsRefused() {
    VendorException first = new VendorException("unhandled error", 1);
    VendorException second = new VendorException("internal error", 3);
    VendorException told = refusal(ImmutableMap.of("send to 2", first, "groupEnd", second));
    assertSame(told, first);
    assertEquals(told.getSuppressed(), new Throwable[] {second});
    assertEquals(called, ImmutableList.of("groupStart", "send to 1", "send to 2", "groupEnd"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldTellTheRefusalOfAReceiveThatTheEndOfItsGroupRepeats() {
    VendorException first = new VendorException("unhandled error", 1);
    VendorException told = refusal(ImmutableMap.of("receive from 1", first, "groupEnd", first));
    assertSame(told, first);
    assertEquals(
        called,
        ImmutableList.of("groupStart", "send to 1", "send to 2", "receive from 1", "groupEnd"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldEndNoGroupThatWasRefused() {
    VendorException first = new VendorException("unhandled error", 1);
    assertSame(refusal(ImmutableMap.of("groupStart", first)), first);
    assertEquals(called, ImmutableList.of("groupStart"));
  }

  /** What an exchange with both other members throws where the library refuses {@code calls}. */
  private VendorException refusal(Map<String, VendorException> calls) {
    CclCommunicator library =
        StandIn.of(
            CclCommunicator.class,
            (method, arguments) -> {
              String call =
                  switch (method.getName()) {
                    case "send" -> "send to " + arguments[3];
                    case "receive" -> "receive from " + arguments[3];
                    default -> method.getName();
                  };
              called.add(call);
              if (calls.containsKey(call)) {
                throw calls.get(call);
              }
              return null;
            });
    ImmutableList<Action.Transfer> transfers = ImmutableList.of(transfer(1), transfer(2));
    Step step = new Step(0, new Action.Exchange(transfers, transfers), ImmutableIntArray.of());
    HostDevice device = new HostDevice();
    try (Stream stream = device.newStream();
        VendorEngine engine = new VendorEngine(device, library, MEMBERS, stream)) {
      return expectThrows(VendorException.class, () -> engine.start(step, BINDING, id -> {}));
    }
  }

  private static Action.Transfer transfer(int position) {
    return new Action.Transfer(position, new Range(Space.INPUT, 0, 1));
  }
}
