// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Slices on their way from the agent to whoever does them: one thread puts, any number take. Makes
 * no garbage, and nobody waits.
 */
final class SliceRing {
  private final SlicedStep[] steps;
  private final long[] slices;
  private final AtomicLong taken = new AtomicLong();
  private volatile long put;

  /** Room for {@code places} slices, a power of two. */
  SliceRing(int places) {
    steps = new SlicedStep[places];
    slices = new long[places];
  }

  /** Puts the slice of {@code step} that begins at element {@code first}; false if it is full. */
  boolean offer(SlicedStep step, long first) {
    long at = put;
    if (at - taken.get() == steps.length) {
      return false;
    }
    steps[place(at)] = step;
    slices[place(at)] = first;
    put = at + 1;
    return true;
  }

  boolean isEmpty() {
    return taken.get() == put;
  }

  /** Does the slice that was put first; false if there is none. */
  boolean computeNext() {
    while (true) {
      long at = taken.get();
      if (at == put) {
        return false;
      }
      SlicedStep step = steps[place(at)]; // overwritten only once somebody has taken it
      long first = slices[place(at)];
      if (taken.compareAndSet(at, at + 1)) {
        step.computeElsewhere(first);
        return true;
      }
    }
  }

  private int place(long number) {
    return (int) number & (steps.length - 1);
  }
}
