// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.runtime.exec.agent.Agent;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** How callers wait for their streams, with a real stream of the host's. */
public class StreamWaitTest {
  private static final long LIMIT_MS = 60_000;

  private HostDevice device;
  private Agent agent;
  private HostStream stream;
  private final AtomicInteger settled = new AtomicInteger();
  private StreamWait wait;

  @BeforeMethod
  public void open() {
    device = new HostDevice();
    agent = new Agent(() -> false);
    stream = (HostStream) device.newStream();
    wait = new StreamWait(agent, settled::incrementAndGet);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    stream.close();
    agent.close();
    device.close();
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldSeeAStreamThatIsIdle() {
    assertTrue(wait.isSoonIdle(stream));
  }

  /** Else a call whose peers never come would outlast its deadline. */
  @Test(timeOut = LIMIT_MS)
  public void shouldGiveUpOnAStreamThatStaysBusyAndSettleMeanwhile() throws InterruptedException {
    CountDownLatch produced = new CountDownLatch(1);
    stream.enqueue(() -> awaitQuietly(produced));
    assertFalse(wait.isSoonIdle(stream));
    assertTrue(settled.get() > 0);
    CountDownLatch done = new CountDownLatch(1);
    stream.enqueue(done::countDown);
    produced.countDown();
    done.await();
    while (!wait.isSoonIdle(stream)) {
      Thread.onSpinWait();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
