// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;

/** What processes that were killed have left in the store, and those that come after remove. */
public final class Leftovers {
  private static final String LISTS = "keys/";

  private Leftovers() {}

  /** The key under which {@code rank} lists its keys. */
  public static String listOf(int rank) {
    return LISTS + rank;
  }

  /**
   * Removes what the process before this one left as {@code rank} in the rounds before {@code
   * round}, which has come together. What ended the last of them stays: a process that was stopped
   * meanwhile may still ask.
   */
  public static void remove(Store job, JobRound round, int rank) {
    if (round.number() > 0) {
      JobRound last = new JobRound(round.number() - 1);
      OwnKeys.deleteListed(last.in(job), listOf(rank));
    }
    if (round.number() > 1 && rank == 0) {
      JobRound.forget(new JobRound(round.number() - 2).in(job));
    }
  }
}
