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
   * Whether the generation that {@code opening} opens the place of is seen to have ended, from
   * where {@code rank} is: it may be another run that goes on. To be asked before ranks come
   * together, for after that rank 0 removes what tells.
   */
  public static boolean isOver(Supplier<Store> opening, int rank) {
    try (Store before = opening.get()) {
      return JobRound.isOver(JobRound.current(before).in(before), rank);
    } catch (TomboloException e) {
      LOG.debug("rank {} cannot look at an earlier generation: {}", rank, e.getMessage());
      return false;
    }
  }

  /**
   * Removes what the process that was {@code rank} in a generation that is {@linkplain #isOver
   * over} left in the place that {@code opening} opens, once the next one has come together; rank 0
   * also what is nobody's.
   */
  public static void removeGeneration(Supplier<Store> opening, int rank) {
    try (Store before = opening.get()) {
      JobRound last = JobRound.current(before);
      remove(before, new JobRound(last.number() + 1), rank);
      if (rank == 0) {
        Store place = last.in(before);
        place.delete(JobRound.GROUPS);
        JobRound.forget(place);
        before.delete(StorePlace.TOKEN_KEY);
      }
    } catch (TomboloException e) {
      LOG.debug("rank {} leaves keys of an earlier generation: {}", rank, e.getMessage());
    }
  }
}
