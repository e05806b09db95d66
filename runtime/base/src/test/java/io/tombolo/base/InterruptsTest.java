// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

public final class InterruptsTest {
  private static final long LIMIT_MS = 60_000;
  private static final Duration LONG = Duration.ofSeconds(30);

  @AfterMethod(alwaysRun = true)
  public void forget() {
    boolean unused = Thread.interrupted();
  }

  @Test
  public void shouldPutAnInterruptAsideForAWhile() {
    Thread.currentThread().interrupt();
    Interrupts.aside(() -> assertFalse(Thread.currentThread().isInterrupted()));
    assertTrue(Thread.currentThread().isInterrupted());
  }

  @Test
  public void shouldKeepAnInterruptThoughTheActionThrows() {
    Thread.currentThread().interrupt();
    expectThrows(
        IllegalStateException.class,
        () ->
            Interrupts.aside(
                () -> {
                  throw new IllegalStateException("a test");
                }));
    assertTrue(Thread.currentThread().isInterrupted());
  }

  @Test
  public void shouldKeepAnInterruptThatComesMeanwhile() {
    Interrupts.aside(() -> Thread.currentThread().interrupt());
    assertTrue(Thread.currentThread().isInterrupted());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldJoinAThreadAndStayInterrupted() {
    CountDownLatch end = new CountDownLatch(1);
    Thread other = started(end);
    Thread.currentThread().interrupt();
    assertFalse(Interrupts.join(other, Deadline.after(Duration.ofMillis(50))));
    assertTrue(Thread.currentThread().isInterrupted());
    end.countDown();
    assertTrue(Interrupts.join(other, Deadline.after(LONG)));
    assertTrue(Thread.currentThread().isInterrupted());
  }

  @Test
  public void shouldNotWaitForAThreadThatNeverBegan() {
    assertTrue(Interrupts.join(new Thread(() -> {}), Deadline.after(LONG)));
    assertFalse(Thread.currentThread().isInterrupted());
  }

  private static Thread started(CountDownLatch end) {
    Thread thread =
        new Thread(
            () -> {
              try {
                end.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
