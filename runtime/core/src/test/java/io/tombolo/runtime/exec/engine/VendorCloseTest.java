// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.reflect.Reflection;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.Test;

/** Libraries whose communicators wait for each other in their ends, or cannot be closed. */
public final class VendorCloseTest {
  private static final long LIMIT_MS = 120_000;
  private static final Duration LONG = Duration.ofSeconds(60);

  @Test(timeOut = LIMIT_MS)
  public void shouldLeaveOneBehindThatWaitsForOthersAndLetItEnd() {
    CountDownLatch others = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    assertFalse(
        VendorClose.of(
            closing(
                () -> {
                  Uninterruptibles.awaitUninterruptibly(others);
                  ended.countDown();
                })));
    assertEquals(ended.getCount(), 1);
    others.countDown();
    assertTrue(Uninterruptibles.awaitUninterruptibly(ended, LONG));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldWaitForOneThatEnds() {
    CountDownLatch ended = new CountDownLatch(1);
    assertTrue(VendorClose.of(closing(ended::countDown)));
    assertEquals(ended.getCount(), 0);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldCloseOnAnInterruptedThreadToo() {
    CountDownLatch called = new CountDownLatch(1);
    Thread.currentThread().interrupt();
    boolean unused = VendorClose.of(closing(called::countDown));
    assertTrue(Thread.interrupted());
    assertTrue(Uninterruptibles.awaitUninterruptibly(called, LONG));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldSayWhatTheLibrarySaysAgainstIt() {
    CclCommunicator stubborn =
        closing(
            () -> {
              throw new VendorException("ncclCommDestroy failed", 5);
            });
    VendorException error = expectThrows(VendorException.class, () -> VendorClose.of(stubborn));
    assertTrue(error.getMessage().contains("ncclCommDestroy"), error.getMessage());
  }

  private static CclCommunicator closing(Runnable close) {
    return Reflection.newProxy(
        CclCommunicator.class,
        (proxy, method, arguments) -> {
          close.run();
          return null;
        });
  }
}
