// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.reflect.Reflection;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.Test;

/** Aborts that get stuck, or fail, in a vendor's library. */
public final class VendorAbortTest {
  private static final long LIMIT_MS = 120_000;
  private static final Duration LONG = Duration.ofSeconds(60);

  @Test(timeOut = LIMIT_MS)
  public void shouldLeaveAnAbortBehindThatDoesNotReturn() {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch called = new CountDownLatch(1);
    VendorAbort.of(
        aborting(
            () -> {
              called.countDown();
              Uninterruptibles.awaitUninterruptibly(never);
            }));
    assertTrue(Uninterruptibles.awaitUninterruptibly(called, LONG));
    never.countDown();
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldAbortOnAnInterruptedThreadToo() {
    CountDownLatch called = new CountDownLatch(1);
    Thread.currentThread().interrupt();
    VendorAbort.of(aborting(called::countDown));
    assertTrue(Thread.interrupted());
    assertTrue(Uninterruptibles.awaitUninterruptibly(called, LONG));
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
                        })));
    assertTrue(error.getMessage().contains("ncclCommAbort"), error.getMessage());
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

  private static CclCommunicator aborting(Runnable abort) {
    return Reflection.newProxy(
        CclCommunicator.class,
        (proxy, method, arguments) -> {
          abort.run();
          return null;
        });
  }
}
