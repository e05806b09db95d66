// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.StandIn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** First calls that cannot be made, and what becomes of the memory that their kernels may use. */
public final class FirstCallsTest {
  private static final long LIMIT_MS = 120_000;
  private static final int SIZE = 3;

  private HostDevice device;
  private List<DeviceMemory> memory;
  private List<Stream> streams;

  /** What is called of the library, and what it says against it. */
  private List<String> called;

  private Map<String, VendorException> refused;

  /** How the device is kept from carrying out the library's calls, if it is. */
  private Optional<CountDownLatch> held;

  private Deadline deadline;
  private VendorException first;
  private VendorException second;

  @BeforeMethod
  public void open() {
    device = new HostDevice();
    memory = new ArrayList<>();
    streams = new ArrayList<>();
    called = new CopyOnWriteArrayList<>();
    refused = new HashMap<>();
    held = Optional.empty();
    deadline = Deadline.after(Duration.ofMillis(LIMIT_MS));
    first = new VendorException("unhandled error", 1);
    second = new VendorException("internal error", 3);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    held.ifPresent(CountDownLatch::countDown);
    streams.forEach(Stream::close);
  }

  /** Another member does not make them. */
  @Test(timeOut = LIMIT_MS)
  public void shouldStopWaitingAtTheDeadlineWhereNothingEndsWhatWasCalled() {
    held = Optional.of(new CountDownLatch(1));
    deadline = Deadline.after(Duration.ofMillis(250));
    DeadlineExceededException late =
        expectThrows(DeadlineExceededException.class, () -> run(sums()));
    assertTrue(
        late.getMessage()
            .matches(
                "rank 7: the device has not carried out the first calls of its library"
                    + " \\(all_reduce\\) after [0-9]+ ms, and the library cannot abort them;"
                    + " look at .* TOMBOLO_JOIN_TIMEOUT_MS .*"),
        late.getMessage());
    assertTrue(deadline.isExpired());
    assertEquals(called, ImmutableList.of("allReduce"));
    assertTrue(device.isTainted());
    assertKept();
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldAbortAndFreeWhereACallIsRefused() {
    refused.put("allReduce", first);
    VendorException told = expectThrows(VendorException.class, () -> run(sums(Flag.ABORT)));
    assertSame(told, first);
    assertEquals(called, ImmutableList.of("allReduce", "abort"));
    assertFalse(device.isTainted());
    assertFreed();
  }

  /** Nothing ends the kernels then. */
  @Test(timeOut = LIMIT_MS)
  public void shouldKeepWhatKernelsMayUseWhereTheAbortIsRefused() {
    refused.put("allReduce", first);
    refused.put("abort", second);
    VendorException told = expectThrows(VendorException.class, () -> run(sums(Flag.ABORT)));
    assertSame(told, first);
    assertEquals(told.getSuppressed(), new Throwable[] {second});
    assertTrue(device.isTainted());
    assertKept();
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldKeepItWhereTheLibraryCannotAbort() {
    refused.put("allReduce", first);
    assertThrows(VendorException.class, () -> run(sums()));
    assertEquals(called, ImmutableList.of("allReduce"));
    assertTrue(device.isTainted());
    assertKept();
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldFreeEverythingWhereNothingHasBeenCalled() {
    DeviceAdaptor scarce =
        StandIn.of(
            DeviceAdaptor.class,
            (method, arguments) -> {
              if (method.getName().equals("newStream")) {
                throw new ResourceException("there is no stream; close some");
              }
              return recorded(StandIn.pass(device, method, arguments));
            });
    assertThrows(ResourceException.class, () -> run(scarce, sums()));
    assertFalse(device.isTainted());
    assertFreed();
  }

  /** Until then the communicator is in use, and its abort waits for that. */
  @Test(timeOut = LIMIT_MS)
  public void shouldEndItsGroupBeforeItAbortsWhereASendIsRefused() {
    refused.put("send to 2", first);
    refused.put("groupEnd", second);
    VendorException told = expectThrows(VendorException.class, () -> run(exchanges()));
    assertSame(told, first);
    assertEquals(told.getSuppressed(), new Throwable[] {second});
    assertEquals(
        called,
        ImmutableList.of("groupStart", "send to 1", "receive", "send to 2", "groupEnd", "abort"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldEndNoGroupThatWasRefused() {
    refused.put("groupStart", first);
    assertSame(expectThrows(VendorException.class, () -> run(exchanges())), first);
    assertEquals(called, ImmutableList.of("groupStart", "abort"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNameOnlyWhatItHasCalled() {
    assertEquals(run(exchanges()).called(), ImmutableList.of("send"));
    called.clear();
    assertEquals(run(exchanges(Flag.ABORT)).called(), ImmutableList.of());
    assertEquals(called, ImmutableList.of());
  }

  private static Capabilities exchanges() {
    return exchanges(Flag.GROUP, Flag.ABORT);
  }

  private static Capabilities exchanges(Flag... flags) {
    return Capabilities.of(
        Set.of(Primitive.SEND, Primitive.RECEIVE), Set.of(DataType.F32), Set.of(), Set.of(flags));
  }

  private static Capabilities sums(Flag... flags) {
    return Capabilities.of(
        Set.of(Primitive.ALL_REDUCE), Set.of(DataType.F32), Set.of(ReduceOp.SUM), Set.of(flags));
  }

  private FirstCalls run(Capabilities declared) {
    return run(
        StandIn.of(
            DeviceAdaptor.class,
            (method, arguments) -> recorded(StandIn.pass(device, method, arguments))),
        declared);
  }

  private FirstCalls run(DeviceAdaptor on, Capabilities declared) {
    CclCommunicator communicator =
        StandIn.of(
            CclCommunicator.class,
            (method, arguments) -> {
              held.ifPresent(latch -> hold((Stream) arguments[arguments.length - 1], latch));
              boolean isSend = method.getName().equals("send");
              answer(isSend ? "send to " + arguments[3] : method.getName());
              return null;
            });
    FirstCalls calls = new FirstCalls(on, communicator, declared, 0, SIZE);
    calls.run(7, deadline);
    return calls;
  }

  private static void hold(Stream stream, CountDownLatch latch) {
    stream.launchHostFunction(() -> Uninterruptibles.awaitUninterruptibly(latch));
  }

  private void answer(String call) {
    called.add(call);
    if (refused.containsKey(call)) {
      throw refused.get(call);
    }
  }

  private Object recorded(Object made) {
    if (made instanceof DeviceMemory block) {
      memory.add(block);
    } else if (made instanceof Stream stream) {
      streams.add(stream);
    }
    return made;
  }

  private void assertFreed() {
    assertEquals(memory.size(), 2);
    memory.forEach(block -> assertThrows(IllegalStateException.class, block::address));
    streams.forEach(stream -> assertNotEquals(device.objection(stream), Optional.empty()));
  }

  private void assertKept() {
    assertEquals(memory.size(), 2);
    memory.forEach(block -> assertTrue(block.address() != 0));
    assertEquals(streams.size(), 1);
    streams.forEach(stream -> assertEquals(device.objection(stream), Optional.empty()));
  }
}
