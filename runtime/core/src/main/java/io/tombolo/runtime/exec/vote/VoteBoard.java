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
 * <p>A rank has 17 places of 128 bytes, little-endian. The first holds the number of the last
 * operation on which this rank has read all votes, i64. The others hold its votes on one operation
 * each, that with number {@code n} in place {@code 1 + n mod 16}: number of the operation i64, 8
 * bytes unused, the {@link Vote}; the number is written last. A place is used again when all ranks
 * have read what is there.
 *
 * <p>{@link #hasRoom} and {@link #cast} are for any thread, for each operation one; the rest is for
 * the thread that makes the rounds.
 */
public final class VoteBoard {
  private static final VarHandle NUMBER =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Two lines of a cache. */
  private static final int PLACE_BYTES = 128;

  private static final int VOTE_AT = 16;

  /** Votes that a rank may be ahead of the slowest reader. */
  static final int DEPTH = 16;

  private static final int PLACES = 1 + DEPTH;

  private final int rank;
  private final int size;
  private final ByteBuffer memory;
  private final ByteBuffer[] votes;
  private final ByteBuffer copy =
      ByteBuffer.allocate(Vote.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private int seen;

  /** An operation whose votes all ranks have read, and mostly the last such one. */
  private volatile long readByAll;

  /** The board in {@code memory}, of {@link #sizeBytes}, all zeros at first. */
  public VoteBoard(ByteBuffer memory, int rank, int size) {
    this.memory = memory;
    this.rank = rank;
    this.size = size;
    this.votes =
        IntStream.range(0, PLACES * size)
            .mapToObj(
                place ->
                    memory
                        .slice(place * PLACE_BYTES + VOTE_AT, Vote.SIZE_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN))
            .toArray(ByteBuffer[]::new);
  }

  /** Bytes of a board for {@code size} ranks. */
  public static int sizeBytes(int size) {
    return PLACES * size * PLACE_BYTES;
  }

  /** Whether there is a place for this rank's vote on operation {@code sequence}. */
  boolean hasRoom(long sequence) {
    if (sequence - DEPTH > readByAll) {
      readByAll = least();
    }
    return sequence - DEPTH <= readByAll;
  }

  private long least() {
    long least = Long.MAX_VALUE;
    for (int other = 0; other < size; other++) {
      least = Math.min(least, readBy(other));
    }
    return least;
  }

  private long readBy(int other) {
    return (long) NUMBER.getAcquire(memory, other * PLACES * PLACE_BYTES);
  }

  /** The rank that has read least, for whose sake there may be no room. */
  int slowest() {
    int slowest = 0;
    for (int other = 1; other < size; other++) {
      slowest = readBy(other) < readBy(slowest) ? other : slowest;
    }
    return slowest;
  }

  /** Shows this rank's vote, for which there is room; what it has shown already it may leave. */
  void cast(Vote mine) {
    int place = place(rank, mine);
    if ((long) NUMBER.getAcquire(memory, place * PLACE_BYTES) != mine.sequence()) {
      mine.encode(votes[place]);
      NUMBER.setRelease(memory, place * PLACE_BYTES, mine.sequence());
    }
  }

  /** From now on the votes of the next operation are looked for. */
  void begin() {
    seen = 0;
  }

  /** All votes on operation {@code sequence} have been read: their places may be used again. */
  void read(long sequence) {
    NUMBER.setRelease(memory, rank * PLACES * PLACE_BYTES, sequence);
  }

  /** Whether all ranks have voted on the operation that {@code mine} is about. */
  boolean isComplete(Vote mine) {
    while (seen < size && hasVoted(seen, mine)) {
      seen++;
    }
    return seen == size;
  }

  /** Whether {@code other} has voted on the operation that {@code mine} is about. */
  boolean hasVoted(int other, Vote mine) {
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
    return rank * PLACES + 1 + (int) (vote.sequence() % DEPTH);
  }
}
