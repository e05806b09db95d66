// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import com.google.common.cache.LoadingCache;
import io.tombolo.runtime.plan.Plan;

/**
 * What is said of a call, and remembered until the next one is another: most calls repeat the one
 * before. For one thread at a time, so that each side of a vote has its own.
 */
final class LastBallot {
  private final LoadingCache<Plan, Vote.Ballot> ballots;
  private Plan plan;
  private Vote.Ballot said;

  /** Nothing is remembered yet; what is not is looked up in {@code ballots}. */
  LastBallot(LoadingCache<Plan, Vote.Ballot> ballots) {
    this.ballots = ballots;
  }

  /** What is said of a call that is planned as {@code next}: of this plan, not of an equal one. */
  @SuppressWarnings("ReferenceEquality") // as the cache compares them: plans are large
  Vote.Ballot of(Plan next) {
    if (next != plan) {
      said = ballots.getUnchecked(next);
      plan = next;
    }
    return said;
  }
}
