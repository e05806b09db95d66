// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.testng.annotations.Test;

/** What becomes of the other duties, and of who waits, when something throws. */
public class AgentTest {
  /** Throws whatever it is asked. */
  private static final class Broken implements Duty {
    private final CountDownLatch told = new CountDownLatch(1);

    @Override
    public int work() {
      throw new StackOverflowError("in a duty");
    }

    @Override
    public boolean isBusy() {
      return false;
    }

    @Override
    public void fail(Throwable cause) {
      told.countDown();
      throw new NoClassDefFoundError("while it is told of " + cause);
    }
  }

  @Test(timeOut = 60_000)
  public void shouldGoOnAfterAnError() throws InterruptedException {
    try (Agent agent = new Agent(() -> false)) {
      Broken broken = new Broken();
      agent.add(broken);
      assertTrue(broken.told.await(30, TimeUnit.SECONDS));
      AtomicReference<Thread> ranOn = new AtomicReference<>();
      agent.run(() -> ranOn.set(Thread.currentThread()));
      assertEquals(ranOn.get().getName(), "tombolo-agent");
    }
  }

  @Test(timeOut = 60_000)
  public void shouldGoOnAfterAnErrorBeforeItParks() {
    AbortedException cause = new AbortedException("its NIC is gone");
    FakeDuty broken = new FakeDuty(true);
    broken.isBusy(false);
    broken.awaits(
        wakeUps -> {
          throw cause;
        });
    try (Agent agent = new Agent(() -> false)) {
      agent.add(broken);
      Deadline deadline = Deadline.after(Duration.ofSeconds(30));
      while (broken.failedOn().isEmpty() && !deadline.isExpired()) {
        Thread.onSpinWait();
      }
      assertSame(broken.failure(), cause);
      AtomicReference<Thread> ranOn = new AtomicReference<>();
      agent.run(() -> ranOn.set(Thread.currentThread()));
      assertSame(ranOn.get(), broken.failedOn().orElseThrow());
      assertEquals(broken.asked(), 1);
    }
  }

  /** What duties work with is freed next. */
  @Test(timeOut = 60_000)
  public void shouldEndTheLastRoundOnAnInterruptedThreadToo() {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    Agent agent = new Agent(() -> false);
    agent.add(
        new Duty() {
          @Override
          public int work() {
            inside.countDown();
            // fixed time: who did not wait would be back before
            Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(300));
            over.countDown();
            return 0;
          }

          @Override
          public boolean isBusy() {
            return true;
          }

          @Override
          public void fail(Throwable cause) {}
        });
    assertTrue(Uninterruptibles.awaitUninterruptibly(inside, Duration.ofSeconds(30)));
    Thread.currentThread().interrupt();
    agent.close();
    assertTrue(Thread.interrupted(), "the interrupt");
    assertEquals(over.getCount(), 0);
  }

  @Test(timeOut = 60_000)
  public void shouldTellAllOfAFailureThoughOneOfThemThrows() {
    FailureState failureState = new FailureState();
    AtomicReference<Throwable> told = new AtomicReference<>();
    failureState.onFailure(
        cause -> {
          throw new UnsatisfiedLinkError("a library that cannot abort");
        });
    failureState.onFailure(told::set);
    AbortedException cause = new AbortedException("a test aborts");
    failureState.fail(cause);
    assertSame(told.get(), cause);
  }
}
