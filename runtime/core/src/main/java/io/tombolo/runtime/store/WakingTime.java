// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.base.Ticker;
import java.time.Duration;

/**
 * Time as it counts for another's silence: of what passes between two reads no more than a step
 * does. Who was stopped himself, or had no processor, has not listened meanwhile. Not thread-safe.
 */
final class WakingTime extends Ticker {
  private final Ticker real;
  private final long stepNs;
  private long lastNs;
  private long countedNs;

  /** Of what {@code real} says; whoever listens reads it more often than every {@code step}. */
  WakingTime(Ticker real, Duration step) {
    this.real = real;
    this.stepNs = step.toNanos();
    this.lastNs = real.read();
  }

  @Override
  public long read() {
    long nowNs = real.read();
    countedNs += Math.min(nowNs - lastNs, stepNs);
    lastNs = nowNs;
    return countedNs;
  }
}
