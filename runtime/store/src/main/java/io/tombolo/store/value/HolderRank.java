// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import io.tombolo.base.errors.UsageException;
import java.util.List;

/**
 * Which of several processes holds parts of a state dict in its own memory.
 *
 * <p>A state dict is held in {@link #shares}, which are numbered as the first holders are. Those
 * who follow repeat them: with 2 replicas, holder 4 of 6 has the same as holder 1.
 *
 * @param run what all of them call the run that they are in: another after each start, so that
 *     nobody takes parts of two runs for one version
 * @param holders how many there are
 * @param holder which of them this is, from 0 on
 * @param replicas how many of them have each share; 1 if nobody promises to have what another has
 */
public record HolderRank(String run, int holders, int holder, int replicas) {
  /** As many as a reader may have connections to, for one state dict. */
  public static final int MOST = 1 << 16;

  /** Checks the numbers. */
  public HolderRank {
    if (holders < 1 || holders > MOST || holder < 0 || holder >= holders) {
      throw new UsageException(
          "holder %s of %s; they are 1 to %s, counted from 0".formatted(holder, holders, MOST));
    }
    if (replicas < 1 || holders % replicas != 0) {
      throw new UsageException(
          "%s holders do not make %s replicas of equal shares; give a divisor of their number"
              .formatted(holders, replicas));
    }
  }

  /** A holder of a share of its own. */
  public HolderRank(String run, int holders, int holder) {
    this(run, holders, holder, 1);
  }

  /** How many shares there are, which together are the state dict. */
  public int shares() {
    return holders / replicas;
  }

  /** Which of them this holder has. */
  public int share() {
    return holder % shares();
  }

  /** Whether both count the holders of one run in the same way. */
  public boolean isBeside(HolderRank other) {
    return run.equals(other.run) && holders == other.holders && replicas == other.replicas;
  }

  /** Whether they are of one run, and have all shares. */
  public static boolean areComplete(List<HolderRank> ranks) {
    return !ranks.isEmpty()
        && ranks.stream().allMatch(ranks.get(0)::isBeside)
        && ranks.stream().mapToInt(HolderRank::share).distinct().count() == ranks.get(0).shares();
  }

  @Override
  public String toString() {
    return "holder %s of %s%s, run '%s'"
        .formatted(holder, holders, replicas == 1 ? "" : " in " + replicas + " replicas", run);
  }
}
