// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntToLongFunction;

/**
 * Inputs whose result is known to the last bit, in whatever order ranks are combined: small whole
 * numbers, powers of two for products. They repeat every {@link #PERIOD} elements, a prime, so that
 * data which landed at a wrong place, off by a power of two or by a segment, does not look right.
 * Pure.
 */
final class Pattern {
  /** Elements after which the data repeat. */
  static final int PERIOD = 8191;

  private static final int LARGEST = 1000;
  private static final int LARGEST_EXPONENT = 6;
  private static final int OWN_BITS = 7; // as many as every whole type has beside its sign

  private final DataType type;
  private final ReduceOp op;
  private final int ranks;
  private final int largest;

  Pattern(DataType type, ReduceOp op, int ranks) {
    checkArgument(ranks > 0, "a job has ranks");
    op.requireAppliesTo(type);
    this.type = type;
    this.op = op;
    this.ranks = ranks;
    long limit = Elements.exactLimit(type);
    boolean adds = op == ReduceOp.SUM || op == ReduceOp.AVG;
    this.largest = (int) Math.max(1, Math.min(LARGEST, adds ? limit / ranks - 1 : limit));
  }

  /** What {@code rank} puts in at element {@code index}. */
  long input(int rank, int index) {
    int at = index % PERIOD;
    return switch (op) {
      case SUM, MIN, MAX -> signed(scattered(at, rank), at, rank);
      case PROD -> signed(isTwo(rank, at) ? 2 : 1, at, rank);
      case AVG -> scattered(at, 0) + balancedOffset(rank);
      case BAND -> scattered(at, 0) | ownBit(rank, at);
      case BOR -> scattered(at, 0) & ~ownBit(rank, at);
      case BXOR -> scattered(at, rank);
    };
  }

  /** What all ranks' elements at {@code index} combine to. */
  long expected(int index) {
    return expected(ranks, index);
  }

  /** What the first {@code combined} ranks' elements at {@code index} combine to. */
  private long expected(int combined, int index) {
    long result = input(0, index);
    for (int rank = 1; rank < combined; rank++) {
      long operand = input(rank, index);
      result =
          switch (op) {
            case SUM, AVG -> result + operand;
            case PROD -> result * operand;
            case MIN -> Math.min(result, operand);
            case MAX -> Math.max(result, operand);
            case BAND -> result & operand;
            case BOR -> result | operand;
            case BXOR -> result ^ operand;
          };
    }
    return op == ReduceOp.AVG ? result / combined : result;
  }

  /** {@code periods} periods of {@code rank}'s input, as bytes. */
  byte[] inputBlock(int rank, int periods) {
    return block(periods, index -> input(rank, index));
  }

  /** {@code periods} periods of what the first {@code combined} ranks combine to, as bytes. */
  byte[] expectedBlock(int combined, int periods) {
    return block(periods, index -> expected(combined, index));
  }

  private byte[] block(int periods, IntToLongFunction value) {
    int periodBytes = PERIOD * type.sizeBytes();
    byte[] bytes = new byte[periods * periodBytes];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int index = 0; index < PERIOD; index++) {
      Elements.put(out, type, value.applyAsLong(index));
    }
    for (int period = 1; period < periods; period++) {
      System.arraycopy(bytes, 0, bytes, period * periodBytes, periodBytes);
    }
    return bytes;
  }

  /** A number from 1 to {@link #largest} that differs from place to place and from rank to rank. */
  private long scattered(int at, int rank) {
    return 1 + (hash(at, rank) >>> 1) % largest;
  }

  private long signed(long value, int at, int rank) {
    return Elements.isSigned(type) && hash(at, rank) < 0 ? -value : value;
  }

  /**
   * Mixes both numbers well, by multiplication and shift (SplittableRandom's constants, Steele et
   * al. 2014).
   */
  private static long hash(int at, int rank) {
    long mixed = (((long) rank << Integer.SIZE) + at + 1) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    return mixed ^ (mixed >>> 31);
  }

  /**
   * True for (at mod 7) of the ranks, other ones from place to place; so every product is a small
   * power of two.
   */
  private boolean isTwo(int rank, int at) {
    int twos = Math.min(at % (LARGEST_EXPONENT + 1), ranks);
    return (rank + at) % ranks < twos;
  }

  /** A bit that few ranks share at one place; the rest of the data survives "and" and "or". */
  private static long ownBit(int rank, int at) {
    return 1L << (rank + at) % OWN_BITS;
  }

  /** Offsets of 1 and -1 that cancel out over all ranks, so that the average is a whole number. */
  private long balancedOffset(int rank) {
    boolean hasPartner = rank < ranks - ranks % 2;
    return !hasPartner ? 0 : rank % 2 == 0 ? 1 : -1;
  }
}
