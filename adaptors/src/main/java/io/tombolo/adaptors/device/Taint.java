// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import java.util.function.BooleanSupplier;

/**
 * What failures have left undecided of a device: memory that work which nobody could stop may still
 * touch. As long as it may be under way nothing is freed, as a free may wait for it; once it has
 * ended, only what there was when it failed is kept, as it knows no other addresses. Thread-safe.
 */
final class Taint {
  private int underWay;
  private int taints;

  /** Nothing is tainted. */
  Taint() {}

  /** Work has failed, and may be under way. */
  synchronized void begin() {
    underWay++;
    taints++;
  }

  /** The work of one {@link #begin} has ended, or holds up no free. */
  synchronized void end() {
    underWay--;
  }

  synchronized boolean hasBegun() {
    return taints > 0;
  }

  /** Tells of memory that is made now whether it must be left behind. */
  synchronized BooleanSupplier ofNewMemory() {
    int before = taints;
    return () -> keeps(before);
  }

  private synchronized boolean keeps(int before) {
    return underWay > 0 || taints > before;
  }
}
