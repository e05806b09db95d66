// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/**
 * Notices that this process has not run for a while, because others had their turn: only who looks
 * at its own clock can tell a network's delay from its own.
 */
public final class PauseWatch {
  /** Twice as long as an agent naps that has not said that it {@linkplain #rests rests}. */
  public static final long PAUSE_NS = 2_000_000;

  private boolean hasRun;
  private long lastRunNs;

  /** A watch that has seen nothing yet. */
  public PauseWatch() {}

  /** This process runs at {@code nowNs}; for how many nanoseconds it had not, 0 if as it should. */
  public long runs(long nowNs) {
    long pauseNs = hasRun ? nowNs - lastRunNs : 0;
    hasRun = true;
    lastRunNs = nowNs;
    return pauseNs > PAUSE_NS ? pauseNs : 0;
  }

  /** It does not run until there is something to do: that is no pause. */
  public void rests() {
    hasRun = false;
  }
}
