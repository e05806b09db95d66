// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.sun.management.ThreadMXBean;
import io.tombolo.base.Deadline;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.testng.annotations.Test;

/** What messages over several rails cost the heap. */
public final class RailsFootprintTest {
  private static final int WARM_UP = 2000;
  private static final int MESSAGES = 2000;
  private static final int BYTES = 40_000;

  /** Room for what the JVM itself does on this thread; one object a message would be 32 000. */
  private static final long NOISE_BYTES = 16_384;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private long done;

  @Test
  public void shouldAllocateNothingPerMessage() {
    Channel.Completions count =
        new Channel.Completions() {
          @Override
          public void onSent(long tag, long sizeBytes) {
            done++;
          }

          @Override
          public void onReceived(long tag, long sizeBytes) {
            done++;
          }
        };
    try (RailsPair pair = new RailsPair(new SlotGeometry(4, 8192), true, 1, 2);
        TestMemory source = new TestMemory(BYTES, 0, 0);
        TestMemory target = new TestMemory(BYTES, 0, 0)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      exchange(pair, source, target, count, WARM_UP);
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();
      exchange(pair, source, target, count, MESSAGES);
      long bytes = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(bytes < NOISE_BYTES, bytes + " bytes over " + MESSAGES + " messages");
    }
  }

  private void exchange(
      RailsPair pair, TestMemory source, TestMemory target, Channel.Completions count, int times) {
    Deadline deadline = Deadline.after(LIMIT);
    for (int i = 0; i < times; i++) {
      done = 0;
      pair.fromHigh.receive(i, target, 0, BYTES);
      pair.fromLow.send(i, source, 0, BYTES);
      while (done < 2) {
        assertFalse(deadline.isExpired(), "not done in time");
        pair.step();
        pair.fromLow.poll(count);
        pair.fromHigh.poll(count);
      }
    }
  }
}
