// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import io.tombolo.base.errors.UsageException;

/**
 * Which of several processes holds parts of a state dict in its own memory.
 *
 * @param run what all of them call the run that they are in: another after each start, so that
 *     nobody takes parts of two runs for one version
 * @param holders how many there are
 * @param holder which of them this is, from 0 on
 */
public record HolderRank(String run, int holders, int holder) {
  /** As many as a reader may have connections to, for one state dict. */
  public static final int MOST = 1 << 16;

  /** Checks the numbers. */
  public HolderRank {
    if (holders < 1 || holders > MOST || holder < 0 || holder >= holders) {
      throw new UsageException(
          "holder %s of %s; they are 1 to %s, counted from 0".formatted(holder, holders, MOST));
    }
  }

  @Override
  public String toString() {
    return "holder %s of %s, run '%s'".formatted(holder, holders, run);
  }
}
