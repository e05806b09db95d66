// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import com.google.common.util.concurrent.SettableFuture;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Something to be done once by the agent's thread, which another thread waits for. */
final class AgentTask implements Duty {
  /** A round takes microseconds; only an agent that is stuck in a vendor's call takes longer. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Runnable task;
  private final SettableFuture<Boolean> done = SettableFuture.create();

  AgentTask(Runnable task) {
    this.task = task;
  }

  /** Waits for its end; {@code stuck} is the round that keeps it from beginning, if one does. */
  void await(Supplier<Optional<StuckRound>> stuck) {
    try {
      done.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof TomboloException known
          ? known
          : new AbortedException("the agent failed: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new DeadlineExceededException(
          "the agent has not come round within "
              + PATIENCE.toSeconds()
              + " s"
              + stuck.get().map(round -> ": it is " + round.text()).orElse(""),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AbortedException("interrupted while waiting for the agent", e);
    }
  }

  @Override
  public int work() {
    if (!done.isDone()) {
      task.run();
      done.set(true);
    }
    return 1;
  }

  @Override
  public boolean isBusy() {
    return false;
  }

  @Override
  public boolean isOver() {
    return done.isDone();
  }

  @Override
  public void fail(Throwable cause) {
    done.setException(cause);
  }
}
