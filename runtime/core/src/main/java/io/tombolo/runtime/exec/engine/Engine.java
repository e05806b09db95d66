// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.plan.Step;

/** Carries out the steps of one resource. Used by the agent's thread only; never blocks. */
public interface Engine {
  /** Told of steps that have ended. */
  @FunctionalInterface
  interface Ended {
    void ended(int stepId);
  }

  /**
   * Starts {@code step} on the memory that {@code binding} names, to tell {@code ended} of its end;
   * false if there is no room for it now.
   */
  boolean start(Step step, Binding binding, Ended ended);

  /**
   * Reports steps that have ended since the last call, in the order they were started, each to the
   * one that started it; returns how many.
   */
  int poll();
}
