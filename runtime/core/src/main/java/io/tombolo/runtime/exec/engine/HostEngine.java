// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.plan.Step;

/**
 * Does arithmetic on the stage in slices: small steps here, a slice per poll, and large ones on the
 * {@link Reducers}, so that the agent can look after the channels in between.
 */
final class HostEngine implements Engine {
  /** Steps at once, a power of two: a few segments' worth. */
  private static final int DEPTH = 16;

  private final Reducers reducers;
  private final SlicedStep[] steps = new SlicedStep[DEPTH];
  private int begun;
  private int handedOut;
  private int ended;

  /** An engine; {@code wake} is run on other threads, when a step that they did has ended. */
  HostEngine(Reducers reducers, Runnable wake) {
    this.reducers = reducers;
    for (int i = 0; i < DEPTH; i++) {
      steps[i] = new SlicedStep(reducers, wake);
    }
  }

  @Override
  public boolean start(Step next, Binding memory, Ended listener) {
    if (begun - ended == DEPTH) {
      return false;
    }
    at(begun++).begin(next, memory, listener);
    return true;
  }

  @Override
  public int poll() {
    return handOut() + report();
  }

  private int handOut() {
    int slices = 0;
    while (handedOut != begun) {
      SlicedStep step = at(handedOut);
      if (!step.isForReducers()) {
        return slices + computeSlice(step);
      }
      while (step.mayHandOut() && reducers.offer(step)) {
        slices++;
      }
      if (!step.isHandedOut()) {
        return slices;
      }
      handedOut++;
    }
    return slices;
  }

  private int computeSlice(SlicedStep step) {
    long first = step.nextSlice();
    step.handedOut();
    step.compute(first);
    if (step.isHandedOut()) {
      handedOut++;
    }
    return 1;
  }

  private int report() {
    int count = 0;
    while (ended != handedOut && at(ended).isOver()) {
      at(ended++).end();
      count++;
    }
    return count;
  }

  private SlicedStep at(int number) {
    return steps[number & (DEPTH - 1)];
  }
}
