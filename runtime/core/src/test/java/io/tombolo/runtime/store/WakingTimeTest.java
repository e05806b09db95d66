// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

public final class WakingTimeTest {
  private long nowMs;

  private final Ticker real =
      new Ticker() {
        @Override
        public long read() {
          return TimeUnit.MILLISECONDS.toNanos(nowMs);
        }
      };

  @Test
  public void shouldCountNoMoreThanAStepOfWhatNobodySaw() {
    Deadline silence =
        Deadline.after(new WakingTime(real, Duration.ofMillis(500)), Duration.ofSeconds(2));
    nowMs += 300;
    assertEquals(silence.elapsedNs(), 300_000_000);
    nowMs += 3_600_000; // this process was stopped for an hour
    assertEquals(silence.elapsedNs(), 800_000_000);
    nowMs += 500;
    assertFalse(silence.isExpired());
    nowMs += 700;
    assertFalse(silence.isExpired());
    nowMs += 200;
    assertTrue(silence.isExpired());
  }
}
