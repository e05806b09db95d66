// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/**
 * Where ranks of one host show each other their votes: each writes its own, and reads those of all
 * others. It takes as long as a line of a cache needs from one core to the next, and no channel.
 *
 * <p>A rank has two places, for operations with odd and with even numbers: it votes on the next but
 * one only when all have voted on the next, and so have read what is there. Place {@code 2 · rank +
 * number mod 2} of 128 bytes, little-endian: number of the operation i64, 8 bytes unused, the
 * {@link Vote}; the number is written last.
 *
 * <p>Used by the thread that makes the rounds.
 */
public final class VoteBoard {
  private static final VarHandle NUMBER =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Two lines of a cache. */
  private static final int PLACE_BYTES = 128;

  private static final int VOTE_AT = 16;

  private final int rank;
  private final int size;
  private final ByteBuffer memory;
  private final ByteBuffer[] votes;
  private final ByteBuffer copy =
      ByteBuffer.allocate(Vote.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private int seen;

  /** The board in {@code memory}, of {@link #sizeBytes}, all zeros at first. */
  public VoteBoard(ByteBuffer memory, int rank, int size) {
    this.memory = memory;
    this.rank = rank;
    this.size = size;
    this.votes =
        IntStream.range(0, 2 * size)
            .mapToObj(
                place ->
                    memory
                        .slice(place * PLACE_BYTES + VOTE_AT, Vote.SIZE_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN))
            .toArray(ByteBuffer[]::new);
  }

  /** Bytes of a board for {@code size} ranks. */
  public static int sizeBytes(int size) {
    return 2 * size * PLACE_BYTES;
  }

  /** Shows this rank's vote. */
  void cast(Vote mine) {
    int place = place(rank, mine);
    mine.encode(votes[place]);
    NUMBER.setRelease(memory, place * PLACE_BYTES, mine.sequence());
    seen = 0;
  }

  /** Whether all ranks have voted on the operation that {@code mine} is about. */
  boolean isComplete(Vote mine) {
    while (seen < size && hasVoted(seen, mine)) {
      seen++;
    }
    return seen == size;
  }

  private boolean hasVoted(int other, Vote mine) {
    return (long) NUMBER.getAcquire(memory, place(other, mine) * PLACE_BYTES) >= mine.sequence();
  }

  /** What all say together; every rank finds the same. */
  Vote sum(Vote mine) {
    Vote sum = vote(0, mine);
    for (int other = 1; other < size; other++) {
      sum = sum.and(vote(other, mine));
    }
    return sum;
  }

  private Vote vote(int other, Vote mine) {
    ByteBuffer shown = votes[place(other, mine)];
    if (other == rank || mine.isRepeatedIn(shown)) {
      return mine;
    }
    copy.put(0, shown, 0, Vote.SIZE_BYTES); // nobody changes it while it is checked
    return Vote.decode(copy);
  }

  /** The first rank that has not voted. */
  int missing() {
    return seen;
  }

  private static int place(int rank, Vote vote) {
    return 2 * rank + (int) (vote.sequence() & 1);
  }
}
