// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import com.google.common.base.Splitter;
import io.tombolo.base.errors.UsageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Kills one rank in the middle of the training, to show what the others do.
 *
 * @param rank who dies
 * @param step before which step, from 0
 */
record KillSwitch(int rank, int step) {

  /** Parses {@code RANK@STEP}. */
  static KillSwitch parse(String text) {
    if (!text.matches("\\d{1,6}@\\d{1,9}")) {
      throw new UsageException("--kill wants RANK@STEP, for example 2@100; got '" + text + "'");
    }
    List<String> parts = Splitter.on('@').splitToList(text);
    return new KillSwitch(Integer.parseInt(parts.get(0)), Integer.parseInt(parts.get(1)));
  }

  /** Kills this process as {@code kill -9} does, if it is {@code rank}'s and its hour has come. */
  void check(int rank, int step) {
    if (rank == this.rank && step == this.step) {
      try {
        new ProcessBuilder("sh", "-c", "kill -9 $PPID").start().waitFor();
        Thread.sleep(Long.MAX_VALUE);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot kill rank " + rank, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Refuses what would never happen in a job of {@code ranks} that trains for {@code steps}.
   *
   * @throws UsageException if no such rank or no such step comes
   */
  void checkComes(int ranks, int steps) {
    if (rank >= ranks) {
      throw new UsageException(
          "--kill %s: there are %d ranks, from 0 to %d".formatted(this, ranks, ranks - 1));
    }
    if (step >= steps) {
      throw new UsageException(
          "--kill %s: there are %d steps, from 0 to %d".formatted(this, steps, steps - 1));
    }
  }

  @Override
  public String toString() {
    return rank + "@" + step;
  }
}
