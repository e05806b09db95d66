// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

/** What one node takes for the time: apart from the others' and running at its own speed. */
final class SimulatedClock {
  private static final long MILLION = 1_000_000;

  private final long offsetNs;
  private final int driftPpm;

  SimulatedClock(long offsetNs, int driftPpm) {
    this.offsetNs = offsetNs;
    this.driftPpm = driftPpm;
  }

  long localNs(long trueNs) {
    return offsetNs + trueNs + trueNs / MILLION * driftPpm;
  }

  /** A moment at which this clock shows at least {@code localNs}, to a few microseconds. */
  long trueNs(long localNs) {
    long sinceStartNs = localNs - offsetNs;
    return sinceStartNs - sinceStartNs / (MILLION + driftPpm) * driftPpm + 1;
  }
}
