// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.reflect.Reflection;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Aborts that get stuck, or fail, in a vendor's library. */
public final class VendorAbortTest {
  private static final long LIMIT_MS = 120_000;
  private static final Duration LONG = Duration.ofSeconds(60);

  private AtomicInteger taints;
  private CountDownLatch taintEnded;

  @BeforeMethod
  public void open() {
    taints = new AtomicInteger();
    taintEnded = new CountDownLatch(1);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldLeaveAnAbortBehindThatDoesNotReturn() {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch called = new CountDownLatch(1);
    VendorAbort.of(
        aborting(
            () -> {
              called.countDown();
              Uninterruptibles.awaitUninterruptibly(never);
            }),
        device());
    assertTrue(Uninterruptibles.awaitUninterruptibly(called, LONG));
    assertEquals(taints.get(), 1, "what it may still use must not be freed");
    never.countDown();
    assertTrue(Uninterruptibles.awaitUninterruptibly(taintEnded, LONG));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldTaintNothingWhereItEnds() {
    VendorAbort.of(aborting(() -> {}), device());
    assertEquals(taints.get(), 0);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldAbortOnAnInterruptedThreadToo() {
    CountDownLatch called = new CountDownLatch(1);
    Thread.currentThread().interrupt();
    VendorAbort.of(aborting(called::countDown), device());
    assertTrue(Thread.interrupted());
    assertEquals(called.getCount(), 0);
    assertEquals(taints.get(), 0, "what the device has would never be freed");
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldSayWhatTheLibrarySaysAgainstIt() {
    VendorException error =
        expectThrows(
            VendorException.class,
            () ->
                VendorAbort.of(
                    aborting(
                        () -> {
                          throw new VendorException("ncclCommAbort failed", 5);
                        }),
                    device()));
    assertTrue(error.getMessage().contains("ncclCommAbort"), error.getMessage());
    assertEquals(taints.get(), 1);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldTellOfTheEndOnlyOnceTheLibraryHasGivenUp() {
    CountDownLatch mayReturn = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    VendorAbort abort =
        VendorAbort.begin(
            aborting(() -> Uninterruptibles.awaitUninterruptibly(mayReturn)), ended::countDown);
    abort.await();
    assertEquals(ended.getCount(), 1);
    mayReturn.countDown();
    assertTrue(Uninterruptibles.awaitUninterruptibly(ended, LONG));
    CountDownLatch never = new CountDownLatch(1);
    expectThrows(
        VendorException.class,
        () ->
            VendorAbort.begin(
                    aborting(
                        () -> {
                          throw new VendorException("ncclCommAbort failed", 5);
                        }),
                    never::countDown)
                .await());
    assertEquals(never.getCount(), 1);
  }

  private DeviceAdaptor device() {
    AtomicInteger begun = taints; // of this test, however late an abort ends
    CountDownLatch ended = taintEnded;
    return Reflection.newProxy(
        DeviceAdaptor.class,
        (proxy, method, arguments) -> {
          switch (method.getName()) {
            case "taint" -> begun.incrementAndGet();
            case "endTaint" -> ended.countDown();
            default -> throw new AssertionError(method);
          }
          return null;
        });
  }

  private static CclCommunicator aborting(Runnable abort) {
    return Reflection.newProxy(
        CclCommunicator.class,
        (proxy, method, arguments) -> {
          abort.run();
          return null;
        });
  }
}
