// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.NoQuorumException;
import java.util.List;

/**
 * What the ranks of a communicator have agreed on. In the store it is text: {@code -1 7 0,2,3}.
 *
 * @param home which rank hosts the store in which they can meet next; {@link #STORE}, if that of
 *     the job is still there
 * @param flags the bitwise and of what they brought
 * @param ranks who of them lives and came in time, by their rank in the job, rising
 */
public record Verdict(int home, long flags, ImmutableList<Integer> ranks) {
  /** The job's own store. */
  public static final int STORE = -1;

  private static final Splitter WORDS = Splitter.on(' ');
  private static final Splitter RANKS = Splitter.on(',').omitEmptyStrings();

  /**
   * The place of {@code rank} among those that came.
   *
   * @param size how many ranks the communicator has
   * @param purpose what they came for, for messages: {@code go on}
   * @throws NoQuorumException if those that came are no majority
   * @throws DeadlineExceededException if they are, and this rank is not among them
   */
  public int placeOf(int rank, int size, String purpose) {
    if (2 * ranks.size() <= size) {
      throw new NoQuorumException(
          "rank %s: only ranks %s of %s came to %s, which is no majority; start the job again"
              .formatted(rank, ranks, size, purpose));
    }
    int place = ranks.indexOf(rank);
    if (place < 0) {
      throw new DeadlineExceededException(
          "rank %s came too late to %s: ranks %s of %s do so without it; end this process, or give all ranks a longer limit"
              .formatted(rank, purpose, ranks, size));
    }
    return place;
  }

  String text() {
    return home + " " + flags + " " + Joiner.on(',').join(ranks);
  }

  static Verdict parse(String text) {
    List<String> words = WORDS.splitToList(text);
    Integer home = words.size() == 3 ? Ints.tryParse(words.get(0)) : null;
    Long flags = words.size() == 3 ? Longs.tryParse(words.get(1)) : null;
    if (home == null || flags == null || home < STORE) {
      throw corrupt(text);
    }
    ImmutableList.Builder<Integer> ranks = ImmutableList.builder();
    for (String word : RANKS.split(words.get(2))) {
      Integer rank = Ints.tryParse(word);
      if (rank == null || rank < 0) {
        throw corrupt(text);
      }
      ranks.add(rank);
    }
    return new Verdict(home, flags, ranks.build());
  }

  private static CorruptException corrupt(String text) {
    return new CorruptException("'" + text + "' stands in an acceptor where a verdict should");
  }
}
