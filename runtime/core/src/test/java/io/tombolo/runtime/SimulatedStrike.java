// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

/** A fault that a simulated job may meet, and when it did. */
final class SimulatedStrike {
  private final SimulatedFault fault;
  private long atNs;

  SimulatedStrike(SimulatedFault fault) {
    this.fault = fault;
  }

  SimulatedFault fault() {
    return fault;
  }

  void happensAt(long ns) {
    atNs = ns;
  }

  /** When it happened, in the world's time; 0 if it has not. */
  long atNs() {
    return atNs;
  }

  boolean hasHappened() {
    return atNs > 0;
  }

  /** Whether it has happened, and anything may fail of it. */
  boolean harms() {
    return hasHappened() && !fault.isHarmless();
  }

  /** Whether {@code rank} does nothing any more that others see. */
  boolean hasSilenced(SimulatedRank rank) {
    return hasHappened() && fault.silences() && fault.victim() == rank.rank();
  }

  @Override
  public String toString() {
    return hasHappened() ? fault + ", at " + atNs + " ns" : fault + ", which it did not come to";
  }
}
