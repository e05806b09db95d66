// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A task that threads of a {@link World} run and wait for. */
public final class SimTask<T> extends FutureTask<T> {
  /** One that calls {@code task}. */
  public SimTask(Callable<T> task) {
    super(task);
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    SimThread mine = SimThread.here();
    mine.world.await("get", () -> isDone() || mine.interrupted, Long.MAX_VALUE);
    Hooks.throwIfInterrupted(mine);
    return super.get();
  }

  @Override
  public T get(long time, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    SimThread mine = SimThread.here();
    long untilNs = mine.world.nowNs() + Math.min(unit.toNanos(time), Long.MAX_VALUE / 4);
    mine.world.await("get", () -> isDone() || mine.interrupted, untilNs);
    if (!isDone()) {
      Hooks.throwIfInterrupted(mine);
      throw new TimeoutException();
    }
    return super.get();
  }
}
