// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.exec.agent.Agent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.Test;

public class ChannelOpeningTest {
  @Test(timeOut = 60_000)
  public void shouldNotWaitForEverForAnAgentThatIsStuck() {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch stuck = new CountDownLatch(1);
    try (Agent agent = new Agent(() -> false)) {
      Thread holder =
          new Thread(
              () ->
                  agent.run(
                      () -> {
                        entered.countDown();
                        Uninterruptibles.awaitUninterruptibly(stuck);
                      }));
      holder.setDaemon(true);
      holder.start();
      Uninterruptibles.awaitUninterruptibly(entered);
      Deadline soon = Deadline.after(Duration.ofMillis(50));
      String message =
          expectThrows(
                  DeadlineExceededException.class,
                  () -> ChannelOpening.of(agent, List.of(1), rank -> null, soon))
              .getMessage();
      assertTrue(message.contains("within 50 ms"), message);
      stuck.countDown();
    }
  }
}
