// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** An executor with one thread of a {@link World}. */
final class SimExecutor extends AbstractExecutorService {
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final ThreadFactory factory;
  private boolean started;
  private boolean shut;

  SimExecutor(ThreadFactory factory) {
    this.factory = factory;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    SimThread.here().world.stir();
    if (!started) {
      started = true;
      factory.newThread(this::work).start();
    }
  }

  private void work() {
    World world = SimThread.here().world;
    while (true) {
      world.await("task", () -> shut || !tasks.isEmpty(), Long.MAX_VALUE);
      if (tasks.isEmpty()) {
        return;
      }
      tasks.remove().run();
    }
  }

  @Override
  public void shutdown() {
    shut = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    throw new UnsupportedOperationException("only shutdown");
  }

  @Override
  public boolean isShutdown() {
    return shut;
  }

  @Override
  public boolean isTerminated() {
    return shut && tasks.isEmpty();
  }

  @Override
  public boolean awaitTermination(long time, TimeUnit unit) {
    throw new UnsupportedOperationException("only shutdown");
  }
}
