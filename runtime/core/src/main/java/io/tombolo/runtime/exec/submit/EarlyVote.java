// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.collect.ImmutableList;
import io.tombolo.runtime.plan.CollectiveCall;

/**
 * Shows the other ranks what this one calls before the agent comes to it, where they can see it.
 */
@FunctionalInterface
public interface EarlyVote {
  /** This rank makes {@code calls} as its operation {@code sequence}. */
  void cast(long sequence, ImmutableList<CollectiveCall> calls);
}
