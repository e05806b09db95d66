// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.concurrent.LinkedBlockingQueue;

/** A queue between threads of a {@link World}. */
public final class SimQueue<T> extends LinkedBlockingQueue<T> {
  private static final long serialVersionUID = 1L;

  /** An empty one for so many elements. */
  public SimQueue(int capacity) {
    super(capacity);
  }

  @Override
  public T take() throws InterruptedException {
    SimThread mine = SimThread.here();
    mine.world.await("take", () -> !isEmpty() || mine.interrupted, Long.MAX_VALUE);
    Hooks.throwIfInterrupted(mine);
    return poll();
  }
}
