// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;

/**
 * One rank's program for one call: an immutable DAG of steps. Steps on one resource (the vendor
 * communicator, each direction of each channel) are carried out in program order; otherwise only
 * {@link Step#after} orders them.
 *
 * @param call what it computes
 * @param rank whose program it is
 * @param scheme what all ranks plan alike
 * @param steps the steps, each after all it depends on
 * @param stageElements elements of stage the program uses
 * @param scratchElements elements of scratch the program uses
 * @param intraBytes bytes this rank hands to its vendor's library as contributions
 * @param crossBytes bytes this rank sends to ranks of other clusters
 */
public record Plan(
    CollectiveCall call,
    int rank,
    Scheme scheme,
    ImmutableList<Step> steps,
    long stageElements,
    long scratchElements,
    long intraBytes,
    long crossBytes) {

  /**
   * Whether it is one call of a library, on the caller's buffers: then no message lies anywhere, so
   * it is the same whatever is reached of their memory.
   */
  public boolean isOneCall() {
    return steps.size() == 1
        && steps.get(0).action() instanceof Action.IntraCall
        && stageElements == 0
        && scratchElements == 0;
  }

  /** The line above the steps. */
  public String title() {
    return "rank " + rank + ": " + call + ", " + steps.size() + " steps";
  }

  /** The program as text, a step a line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(title() + "\n");
    steps.forEach(step -> text.append("  ").append(step).append('\n'));
    return text.toString();
  }
}
