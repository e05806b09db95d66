// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/**
 * Chooses the algorithm of a call. Implementations are found by {@link java.util.ServiceLoader} and
 * picked by the setting {@code tuner}; all ranks must pick the same one, which init compares by
 * name. The rules of the setting {@code algorithms} come before it.
 *
 * <p>A tuner is called on many threads. It must be a pure function of its arguments, of which it
 * may not use what differs from rank to rank: {@link CollectiveCall#inPlace} and the counts of a
 * {@link Layout.Pairwise}. Else ranks plan programs that do not fit together.
 */
public interface Tuner {
  /** The name that settings and the agreement of ranks use; another name for another behaviour. */
  String name();

  /**
   * The algorithm for {@code call} in the job that agreed on {@code context}; one that {@linkplain
   * Algorithm#serves serves} it.
   */
  Algorithm choose(PlanContext context, CollectiveCall call);
}
