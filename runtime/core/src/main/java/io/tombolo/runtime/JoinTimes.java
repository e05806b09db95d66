// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

/**
 * How long this rank took to join.
 *
 * @param meetingNs until all ranks had met and were connected
 * @param warmingUpNs for {@link WarmUp} after that; 0 where there was none
 * @param warmUpCalls how many calls for practice that were
 */
public record JoinTimes(long meetingNs, long warmingUpNs, int warmUpCalls) {
  private static final long NS_PER_MS = 1_000_000;

  /** {@code joined in 310 ms, then 1520 calls in 240 ms to warm up}. */
  @Override
  public String toString() {
    String joined = "joined in " + meetingNs / NS_PER_MS + " ms";
    return warmUpCalls == 0
        ? joined
        : joined
            + ", then "
            + warmUpCalls
            + " calls in "
            + warmingUpNs / NS_PER_MS
            + " ms to warm up";
  }
}
