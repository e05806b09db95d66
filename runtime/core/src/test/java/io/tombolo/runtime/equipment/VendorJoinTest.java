// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.reflect.Reflection;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.topology.Cluster;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLogger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Joining with a library that waits for a member for ever. */
public final class VendorJoinTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Cluster CLUSTER = new Cluster(0, "vendor", ImmutableList.of(3, 5));

  private HostDevice device;
  private CountDownLatch end;

  @BeforeMethod
  public void open() {
    device = new HostDevice();
    end = new CountDownLatch(1);
  }

  @AfterMethod(alwaysRun = true)
  public void letGo() {
    end.countDown();
  }

  @Test
  public void shouldStopWaitingAsSoonAsTheJobHasFailedAndNameWhoDid() {
    MemoryStore store = new MemoryStore();
    Supplier<Optional<String>> failure =
        () -> {
          FailureWatch.report(store, 5, "killed by SIGKILL"); // meanwhile
          return FailureWatch.first(store);
        };
    Deadline deadline = Deadline.after(LIMIT);
    PeerFailedException told =
        expectThrows(PeerFailedException.class, () -> join(this::waitForEver, failure, deadline));
    assertTrue(told.getMessage().startsWith("rank 3 stops while"), told.getMessage());
    assertTrue(told.getMessage().endsWith("[3, 5] together: rank 5: killed by SIGKILL"));
    assertFalse(deadline.isExpired());
    assertTrue(device.isTainted(), "a thread of it is in the library");
  }

  @Test
  public void shouldStopWaitingWhenTheJobItselfIsLost() {
    PeerFailedException lost = new PeerFailedException("the store is gone");
    TomboloException told =
        expectThrows(
            PeerFailedException.class,
            () ->
                join(
                    this::waitForEver,
                    () -> {
                      throw lost;
                    },
                    Deadline.after(LIMIT)));
    assertSame(told, lost);
    assertTrue(device.isTainted());
  }

  @Test
  public void shouldEndAtTheDeadlineWhenNobodyHasFailedAndNameWhoIsMissing() {
    TomboloException late =
        expectThrows(
            DeadlineExceededException.class,
            () -> join(this::waitForEver, Optional::empty, Deadline.after(Duration.ofMillis(250))));
    assertTrue(
        late.getMessage().contains("within 250 ms; not in it yet: [5]; look"), late.getMessage());
    assertTrue(device.isTainted());
  }

  /** Warnings are what programs show unless they are asked to say more. */
  @Test
  public void shouldWarnAfterTenSecondsAndNameWhoIsMissing() {
    List<String> warned = new CopyOnWriteArrayList<>();
    Deadline deadline = Deadline.after(Duration.ofSeconds(15));
    Logger log =
        (Logger)
            Proxy.newProxyInstance(
                VendorJoinTest.class.getClassLoader(),
                new Class<?>[] {Logger.class},
                (proxy, method, arguments) -> {
                  Object[] values = (Object[]) arguments[1];
                  warned.add(
                      method.getName()
                          + ": "
                          + MessageFormatter.basicArrayFormat((String) arguments[0], values));
                  return null;
                });
    expectThrows(
        DeadlineExceededException.class,
        () -> join(this::waitForEver, Optional::empty, deadline, log));
    assertEquals(warned.size(), 1, warned.toString());
    assertTrue(
        warned
            .get(0)
            .matches(
                "warn: the library of 'vendor' has not brought ranks \\[3, 5\\] together after 1\\d of"
                    + " 15 s; not in it yet: \\[5\\]"),
        warned.toString());
  }

  @Test
  public void shouldLeaveTheDeviceBehindWhenTheWaitingThreadIsInterrupted() {
    Thread.currentThread().interrupt();
    expectThrows(
        AbortedException.class,
        () -> join(this::waitForEver, Optional::empty, Deadline.after(LIMIT)));
    assertTrue(Thread.interrupted());
    assertTrue(device.isTainted());
  }

  /** They wait on the device for a member that does not come. */
  @Test
  public void shouldEndTheFirstCallsWithTheirThreadByAnAbort() throws InterruptedException {
    CountDownLatch called = new CountDownLatch(1);
    Supplier<Optional<String>> failure =
        () ->
            Optional.of("rank 5: no memory")
                .filter(said -> Uninterruptibles.awaitUninterruptibly(called, LIMIT));
    assertEndsFirstCalls(PeerFailedException.class, called, failure, Deadline.after(LIMIT));
  }

  @Test
  public void shouldEndThemAtTheDeadlineToo() throws InterruptedException {
    CountDownLatch called = new CountDownLatch(1);
    Deadline deadline = after(() -> called.getCount() == 0);
    assertEndsFirstCalls(DeadlineExceededException.class, called, Optional::empty, deadline);
  }

  /** In a library that cannot abort, and whose call itself waits for the other member. */
  @Test
  public void shouldSayWhichOfTheFirstCallsHasNotReturned() {
    CountDownLatch called = new CountDownLatch(1);
    CclCommunicator communicator =
        Reflection.newProxy(
            CclCommunicator.class,
            (proxy, method, arguments) -> {
              called.countDown();
              return waitForEver();
            });
    assertSaysThatSumsAreLate(communicator, after(() -> called.getCount() == 0));
  }

  /** The device waits then, and it is the calls' own thread that sees the deadline. */
  @Test
  public void shouldSayTheSameWhereTheDeviceDoesNotCarryThemOut() {
    CclCommunicator communicator =
        Reflection.newProxy(
            CclCommunicator.class,
            (proxy, method, arguments) -> {
              Stream stream = (Stream) arguments[arguments.length - 1];
              stream.launchHostFunction(() -> Uninterruptibles.awaitUninterruptibly(end));
              return null;
            });
    Thread waiting = Thread.currentThread();
    assertSaysThatSumsAreLate(communicator, after(() -> Thread.currentThread() != waiting));
  }

  private void assertSaysThatSumsAreLate(CclCommunicator communicator, Deadline deadline) {
    Capabilities sums =
        Capabilities.of(
            Set.of(Primitive.ALL_REDUCE), Set.of(DataType.F32), Set.of(ReduceOp.SUM), Set.of());
    TomboloException late =
        expectThrows(
            DeadlineExceededException.class,
            () -> join(() -> communicator, sums, Optional::empty, deadline, NOPLogger.NOP_LOGGER));
    assertTrue(
        late.getMessage()
            .contains("; not in it yet: [5]; it was in its first calls: all_reduce; look"),
        late.getMessage());
    assertTrue(device.isTainted());
  }

  /** One that has come as soon as {@code isOver}, and not before. */
  private static Deadline after(BooleanSupplier isOver) {
    Ticker ticker =
        new Ticker() {
          @Override
          public long read() {
            return isOver.getAsBoolean() ? LIMIT.toNanos() : 0;
          }
        };
    return Deadline.after(ticker, LIMIT);
  }

  /** The device is in them when they are {@code called}, until the library aborts. */
  private void assertEndsFirstCalls(
      Class<? extends TomboloException> told,
      CountDownLatch called,
      Supplier<Optional<String>> failure,
      Deadline deadline)
      throws InterruptedException {
    CountDownLatch aborted = new CountDownLatch(1);
    CclCommunicator communicator =
        Reflection.newProxy(
            CclCommunicator.class,
            (proxy, method, arguments) -> {
              if (method.getName().equals("abort")) {
                aborted.countDown();
              } else {
                Stream stream = (Stream) arguments[arguments.length - 1];
                stream.launchHostFunction(() -> Uninterruptibles.awaitUninterruptibly(aborted));
                called.countDown();
              }
              return null;
            });
    AtomicReference<Thread> worker = new AtomicReference<>();
    Supplier<CclCommunicator> library =
        () -> {
          worker.set(Thread.currentThread());
          return communicator;
        };
    Capabilities aborts =
        Capabilities.of(
            Set.of(Primitive.ALL_REDUCE),
            Set.of(DataType.F32),
            Set.of(ReduceOp.SUM),
            Set.of(Capabilities.Flag.ABORT));
    expectThrows(told, () -> join(library, aborts, failure, deadline, NOPLogger.NOP_LOGGER));
    assertEquals(aborted.getCount(), 0);
    worker.get().join(LIMIT.toMillis());
    assertFalse(worker.get().isAlive());
    assertFalse(device.isTainted(), "nothing of it is in the library");
  }

  @Test
  public void shouldPassOnWhatTheLibraryReports() {
    VendorException refused = new VendorException("no unique id", 4);
    assertSame(
        expectThrows(
            VendorException.class,
            () ->
                join(
                    () -> {
                      throw refused;
                    },
                    Optional::empty,
                    Deadline.after(LIMIT))),
        refused);
    assertFalse(device.isTainted());
  }

  private CclCommunicator waitForEver() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new VendorException("the test is over", 1);
  }

  private CclCommunicator join(
      Supplier<CclCommunicator> library, Supplier<Optional<String>> failure, Deadline deadline) {
    return join(library, failure, deadline, NOPLogger.NOP_LOGGER);
  }

  private CclCommunicator join(
      Supplier<CclCommunicator> library,
      Supplier<Optional<String>> failure,
      Deadline deadline,
      Logger log) {
    Capabilities nothing = Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of());
    return join(library, nothing, failure, deadline, log);
  }

  private CclCommunicator join(
      Supplier<CclCommunicator> library,
      Capabilities declared,
      Supplier<Optional<String>> failure,
      Deadline deadline,
      Logger log) {
    CclAdaptor ccl =
        (CclAdaptor)
            Proxy.newProxyInstance(
                VendorJoinTest.class.getClassLoader(),
                new Class<?>[] {CclAdaptor.class},
                (proxy, method, arguments) -> library.get());
    JoinWatch watch = new JoinWatch(failure, () -> List.of(5));
    return new VendorJoin(device, CLUSTER, 3, watch, deadline, log)
        .join(ccl, new byte[1], declared);
  }
}
