// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.store.TcpStoreServer;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** What becomes of calls and streams whose communicator is closed, in a job of one rank. */
public class ClosedCommunicatorTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private TcpStoreServer store;
  private Communicator all;
  private Stream stream;
  private DeviceMemory memory;

  @BeforeMethod
  public void join() {
    JobToken token = JobToken.random();
    store = TcpStoreServer.start(ANY_PORT, token);
    all =
        Communicator.join(
            new JobEnvironment(
                0,
                1,
                0,
                "127.0.0.1",
                store.address().getPort(),
                JobEnvironment.StoreKind.TOMBOLO,
                token,
                "host",
                LONG,
                ImmutableSortedMap.of()));
    stream = all.device().newStream();
    memory = all.device().allocate(64);
  }

  @AfterMethod(alwaysRun = true)
  public void leave() {
    stream.close();
    memory.close();
    all.close();
    store.close();
  }

  private DeviceBuffer buffer(long count) {
    return DeviceBuffer.foreign(all.device(), memory.address(), count, DataType.F32);
  }

  private Work sum(Communicator communicator, Stream on) {
    return communicator.allReduce(buffer(16), Reduction.sum(), on);
  }

  @Test(timeOut = 60_000)
  public void shouldLetALateStreamPass() {
    try (NativeMemory word = NativeMemory.allocate(Long.BYTES);
        Stream late = all.device().newStream()) {
      LongCell gate = word.cell(0);
      all.device().waitValueAsync(late, word.address(), 1);
      for (int i = 0; i < 3; i++) { // the later ones use what the earlier ones gave back
        Communicator part = all.split(0, 0).orElseThrow();
        Work work = sum(part, stream);
        work.makeWait(late);
        work.await(LONG);
        part.close();
      }
      gate.setRelease(1);
      IdleStream.await(late, LONG);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseEveryCall() {
    Communicator part = all.split(0, 0).orElseThrow();
    Work work = sum(part, stream);
    work.await(LONG);
    part.close();
    refusesEveryCall(part);
    assertThrows(UsageException.class, work::abort);
    sum(all, stream).await(LONG);
    all.close();
    refusesEveryCall(all);
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseCallsOnWhatWasSplitOffAClosedOne() {
    Communicator part = all.split(0, 0).orElseThrow();
    all.close();
    refusesEveryCall(part);
    part.close();
  }

  private void refusesEveryCall(Communicator closed) {
    PlacedCall barrier = PlacedCall.barrier();
    refuses(() -> sum(closed, stream));
    refuses(() -> closed.call(barrier, CallOptions.BLOCKING, stream));
    refuses(() -> closed.group(List.of(barrier), CallOptions.STANDARD, stream));
    refuses(() -> closed.exchange(List.of(), stream));
    refusesToMake(() -> closed.split(0, 0));
    refusesToMake(() -> closed.allocateRegistered(64));
    refuses(() -> closed.meet(LONG));
    refusesToMake(() -> closed.createGroup(List.of(0), "alone"));
    refusesToMake(closed::duplicate);
    refusesToMake(() -> closed.merge(1, "alone"));
    refusesToMake(() -> closed.shrink(LONG));
    refusesToMake(() -> closed.grow(1, LONG));
    refusesToMake(() -> closed.agree(-1, LONG));
    refusesToMake(() -> closed.accept(ANY_PORT, JobToken.random(), LONG));
    refusesToMake(() -> closed.connect(ANY_PORT, JobToken.random(), LONG));
    refuses(closed::abort);
    closed.close();
    assertEquals(closed.size(), 1, "facts can still be asked for");
    assertEquals(closed.failure(), Optional.empty());
  }

  private static void refusesToMake(Supplier<?> call) {
    refuses(
        () -> {
          Object unused = call.get();
        });
  }

  private static void refuses(Runnable call) {
    String message = expectThrows(UsageException.class, call::run).getMessage();
    assertEquals(message, "rank 0: the communicator is closed");
  }

  @Test(timeOut = 60_000)
  public void shouldGoOnAfterCountsThatOverflow() {
    DeviceBuffer whole = buffer(16);
    for (long count : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 4 + 1}) {
      List<Runnable> calls =
          List.of(
              () -> all.allReduce(buffer(count), Reduction.sum(), stream),
              () -> all.allGather(whole, whole, new Layout.Even(count), stream),
              () -> all.allGather(whole, whole, Layout.Uneven.packed(count), stream),
              () -> all.send(buffer(count), 0, stream));
      calls.forEach(
          call -> {
            String message = expectThrows(UsageException.class, call::run).getMessage();
            assertTrue(message.endsWith("more than 2⁶³ bytes; look at the counts"), message);
          });
    }
    sum(all, stream).await(LONG);
  }

  /** The block's end closes the communicator, which neither takes long nor adds anything. */
  @Test(timeOut = 60_000)
  public void shouldNotHideWhatEndsABlockThatClosesIt() {
    Stream closed = all.device().newStream();
    closed.close();
    Deadline elapsed = Deadline.after(LONG);
    UsageException e =
        expectThrows(
            UsageException.class,
            () -> {
              try (Communicator part = all.split(0, 0).orElseThrow()) {
                sum(part, closed);
              }
            });
    assertTrue(e.getMessage().contains("stream"), e.getMessage());
    assertEquals(e.getSuppressed().length, 0);
    assertTrue(elapsed.elapsedNs() < LONG.toNanos() / 2, elapsed.toString());
    sum(all, stream).await(LONG);
  }

  @Test(timeOut = 60_000)
  public void shouldGoOnAfterACallWithoutAStream() {
    Stream closed = all.device().newStream();
    closed.close();
    assertThrows(UsageException.class, () -> sum(all, null));
    assertThrows(UsageException.class, () -> sum(all, closed));
    sum(all, stream).await(LONG);
    assertEquals(all.activity().operations(), 1);
  }
}
