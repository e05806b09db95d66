// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.StorePlace;
import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What processes that were killed have left in the store, and those that come after remove. */
public final class Leftovers {
  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);
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

  /**
   * Removes what the process that was {@code rank} in the generation before this one, which has
   * come together, left in the place that {@code opening} opens; rank 0 also what ended it, as its
   * processes have ended. Nothing, if they had another token.
   */
  public static void removeGeneration(Supplier<Store> opening, int rank) {
    try (Store before = opening.get()) {
      JobRound last = JobRound.current(before);
      remove(before, new JobRound(last.number() + 1), rank);
      if (rank == 0) {
        JobRound.forget(last.in(before));
        before.delete(StorePlace.TOKEN_KEY);
      }
    } catch (TomboloException e) {
      LOG.debug("rank {} leaves keys of an earlier generation: {}", rank, e.getMessage());
    }
  }
}
