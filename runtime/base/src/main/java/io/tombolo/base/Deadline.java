// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import com.google.common.base.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A moment after which waiting is an error.
 *
 * <p>Immutable and thread-safe. Time comes from the {@link Ticker} alone, so tests can own it.
 */
public final class Deadline {
  /** 146 years: sums and differences of times do not overflow. */
  private static final long LONGEST_NS = Long.MAX_VALUE / 2;

  private static final Duration LONGEST = Duration.ofDays(36_525);

  private final Ticker ticker;
  private final long startNs;
  private final long budgetNs;

  private Deadline(Ticker ticker, long startNs, long budgetNs) {
    this.ticker = ticker;
    this.startNs = startNs;
    this.budgetNs = budgetNs;
  }

  /** A deadline {@code budget}, or 146 years, from now on {@code ticker}'s clock. */
  public static Deadline after(Ticker ticker, Duration budget) {
    long budgetNs = TimeUnit.NANOSECONDS.convert(budget);
    return new Deadline(ticker, ticker.read(), Math.max(0, Math.min(budgetNs, LONGEST_NS)));
  }

  /** A deadline {@code budget}, or 146 years, from now on the system's monotonic clock. */
  public static Deadline after(Duration budget) {
    return after(Ticker.systemTicker(), budget);
  }

  /** {@code wanted}, but at most a hundred years: that can be doubled, and added to. */
  public static Duration bounded(Duration wanted) {
    return wanted.compareTo(LONGEST) > 0 ? LONGEST : wanted;
  }

  /** This deadline, or one {@code budget} after the same moment, whichever is later. */
  public Deadline stretchedTo(Duration budget) {
    long stretchedNs = Math.min(TimeUnit.NANOSECONDS.convert(budget), LONGEST_NS);
    return stretchedNs <= budgetNs ? this : new Deadline(ticker, startNs, stretchedNs);
  }

  /** When this deadline was set, on its ticker's clock. */
  public long startNs() {
    return startNs;
  }

  /** Nanoseconds since this deadline was set. */
  public long elapsedNs() {
    return ticker.read() - startNs;
  }

  /** Nanoseconds left; zero or less once expired. */
  public long remainingNs() {
    return budgetNs - elapsedNs();
  }

  /** Milliseconds left, at least 1 while not expired: the form that sockets want. */
  public int remainingMs() {
    return (int)
        Math.max(isExpired() ? 0 : 1, Math.min(Integer.MAX_VALUE, remainingNs() / 1_000_000));
  }

  /**
   * Milliseconds left, at least 1 even once expired: to wait, join and select 0 means for ever, and
   * a deadline may expire after it was looked at.
   */
  public int waitMs() {
    return Math.max(1, remainingMs());
  }

  /** Nanoseconds this deadline gave in all. */
  public long budgetNs() {
    return budgetNs;
  }

  /** Whether the moment has passed. */
  public boolean isExpired() {
    return remainingNs() <= 0;
  }

  @Override
  public String toString() {
    return "deadline of " + budgetNs / 1_000_000 + " ms, " + elapsedNs() / 1_000_000 + " ms used";
  }
}
