// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import java.time.Duration;

/**
 * How long a rank has been silent, as one sees who looks at its beats in the store every so often.
 * Counts looks and not the time between them: if the looker or the store stands still for a while,
 * that is not the other's silence. Not thread-safe.
 */
final class Silence {
  /** Beats that are missed in a row until a rank counts as silent. */
  static final int MISSED = 4;

  private final Duration period;
  private long last = Long.MIN_VALUE;
  private int missed;

  /** One look every {@code period}. */
  Silence(Duration period) {
    this.period = period;
  }

  /** Looks once more, and finds {@code seen}; whether the rank is silent. */
  boolean look(Beat seen) {
    missed = seen.number() == last ? missed + 1 : 0;
    last = seen.number();
    long limitMs = MISSED * Math.max(period.toMillis(), seen.periodMs());
    return seen.periodMs() > 0 && lasted().toMillis() >= limitMs;
  }

  /** How long it has been silent at least. */
  Duration lasted() {
    return period.multipliedBy(missed);
  }

  /** It is known to live all the same. */
  void forgive() {
    missed = 0;
  }
}
