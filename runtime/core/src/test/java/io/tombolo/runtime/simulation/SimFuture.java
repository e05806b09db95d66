// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.concurrent.CompletableFuture;

/** What threads of a {@link World} complete and wait for. */
public final class SimFuture<T> extends CompletableFuture<T> {
  /** One that nobody has completed. */
  public SimFuture() {}

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new SimFuture<>();
  }

  @Override
  public T join() {
    SimThread.here().world.await("join", this::isDone, Long.MAX_VALUE);
    return super.join();
  }
}
