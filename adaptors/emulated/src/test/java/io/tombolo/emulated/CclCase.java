// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.collect.Sets;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * One call to try: the primitive, its arguments, and what every member puts in and must get out.
 *
 * <p>{@code SEND} stands for a group in which everyone sends to the next member, {@code RECEIVE}
 * for one in which everyone sends to everyone, itself too, and counts are uneven.
 */
record CclCase(
    Primitive primitive, DataType type, ReduceOp op, int count, boolean inPlace, int root) {

  /** What receive buffers hold before a call. */
  static final byte POISON = (byte) 0xa5;

  /** Everything {@code declared}, at counts around the number of members. */
  static List<CclCase> all(Capabilities declared, int size) {
    List<CclCase> cases = new ArrayList<>();
    for (Primitive primitive : declared.primitives()) {
      for (DataType type : declared.types()) {
        for (ReduceOp op : operators(declared, primitive, type)) {
          for (int count : counts(type, op, size)) {
            cases.add(new CclCase(primitive, type, op, count, false, cases.size() % size));
            if (canBeInPlace(primitive) && count > size) {
              cases.add(new CclCase(primitive, type, op, count, true, cases.size() % size));
            }
          }
        }
      }
    }
    return cases;
  }

  /** Around the number of members; and sometimes more than libraries stage at a time. */
  private static int[] counts(DataType type, ReduceOp op, int size) {
    boolean large = LARGE_TYPES.contains(type) && op == ReduceOp.SUM;
    return IntStream.of(0, 1, size - 1, size + 1, large ? LARGE : 1000).distinct().toArray();
  }

  /** One call of each combination that is not {@code declared}, though the seam has it. */
  static List<CclCase> undeclared(Capabilities declared) {
    List<CclCase> cases = new ArrayList<>();
    for (Primitive primitive : CALLABLE) {
      for (DataType type : DataType.values()) {
        for (ReduceOp op : primitive.isReducing() ? List.of(ReduceOp.values()) : MOVES) {
          boolean isDeclared =
              primitive.isReducing()
                  ? declared.supports(primitive, type, op)
                  : declared.supports(primitive, type);
          if (!isDeclared) {
            cases.add(new CclCase(primitive, type, op, 1, false, 0));
          }
        }
      }
    }
    return cases;
  }

  /** The most elements of a case. */
  static final int LARGE = 70_001;

  private static final Set<DataType> LARGE_TYPES =
      Sets.immutableEnumSet(DataType.BF16, DataType.F64);

  private static final List<ReduceOp> MOVES = List.of(ReduceOp.SUM);

  /** The operations that {@link io.tombolo.adaptors.CclCommunicator} has. */
  private static final Set<Primitive> CALLABLE =
      Sets.immutableEnumSet(
          Primitive.ALL_REDUCE,
          Primitive.REDUCE,
          Primitive.BROADCAST,
          Primitive.ALL_GATHER,
          Primitive.REDUCE_SCATTER,
          Primitive.ALL_TO_ALL,
          Primitive.GATHER,
          Primitive.SCATTER,
          Primitive.SEND,
          Primitive.RECEIVE);

  private static List<ReduceOp> operators(
      Capabilities declared, Primitive primitive, DataType type) {
    return primitive.isReducing()
        ? declared.reduceOps().stream()
            .filter(op -> declared.supports(primitive, type, op))
            .toList()
        : MOVES;
  }

  private static boolean canBeInPlace(Primitive primitive) {
    return switch (primitive) {
      case ALL_TO_ALL, SEND, RECEIVE -> false;
      case ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, GATHER, SCATTER -> true;
    };
  }

  /** ExactElements of the send buffer. */
  int sendCount(int size) {
    return switch (primitive) {
      case REDUCE_SCATTER, ALL_TO_ALL, SCATTER, RECEIVE -> count * size;
      case ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, GATHER, SEND -> count;
    };
  }

  /** ExactElements of the receive buffer. */
  int receiveCount(int size) {
    return switch (primitive) {
      case ALL_GATHER, ALL_TO_ALL, GATHER, RECEIVE -> count * size;
      case ALL_REDUCE, REDUCE, BROADCAST, REDUCE_SCATTER, SCATTER, SEND -> count;
    };
  }

  /** ExactElements that {@code from} sends to {@code to} where counts are uneven. */
  int pairCount(int from, int to) {
    return Math.max(0, count - (3 * from + to) % 5);
  }

  /** Bytes from the beginning of the larger buffer to where block {@code rank} lies. */
  long blockOffset(int rank) {
    return (long) rank * count * type.sizeBytes();
  }

  /** Bytes from the beginning of the larger buffer to where the smaller one lies, in place. */
  long shardOffset(int rank, int size) {
    return sendCount(size) == receiveCount(size) ? 0 : blockOffset(rank);
  }

  /** What {@code rank} sends. */
  byte[] input(int rank, int size) {
    return new ExactElements(type).encode(values(rank, 0, sendCount(size), size));
  }

  /** Whether {@code rank} gets a result. */
  boolean hasResult(int rank) {
    return rank == root || (primitive != Primitive.REDUCE && primitive != Primitive.GATHER);
  }

  /** What {@code rank} must receive. */
  byte[] expected(int rank, int size) {
    return primitive == Primitive.RECEIVE
        ? uneven(rank, size)
        : new ExactElements(type).encode(results(rank, size));
  }

  /** The blocks as far as they were sent; the rest as it was before. */
  private byte[] uneven(int rank, int size) {
    byte[] blocks = new byte[receiveCount(size) * type.sizeBytes()];
    Arrays.fill(blocks, POISON);
    for (int from = 0; from < size; from++) {
      long[] sent = values(from, rank * count, pairCount(from, rank), size);
      byte[] block = new ExactElements(type).encode(sent);
      System.arraycopy(block, 0, blocks, (int) blockOffset(from), block.length);
    }
    return blocks;
  }

  private long[] results(int rank, int size) {
    int own = rank * count;
    return switch (primitive) {
      case ALL_REDUCE, REDUCE -> reduced(0, size);
      case REDUCE_SCATTER -> reduced(own, size);
      case BROADCAST -> values(root, 0, count, size);
      case ALL_GATHER, GATHER -> ofEveryone(0, size);
      case SCATTER -> values(root, own, count, size);
      case ALL_TO_ALL -> ofEveryone(own, size);
      case SEND -> values((rank + size - 1) % size, 0, count, size);
      case RECEIVE -> throw new AssertionError(primitive);
    };
  }

  /** Each member's block from its element {@code first} on. */
  private long[] ofEveryone(int first, int size) {
    long[] blocks = new long[count * size];
    for (int from = 0; from < size; from++) {
      System.arraycopy(values(from, first, count, size), 0, blocks, from * count, count);
    }
    return blocks;
  }

  private long[] reduced(int first, int size) {
    ExactElements elements = new ExactElements(type);
    long[] reduced = new long[count];
    long[] members = new long[size];
    for (int i = 0; i < count; i++) {
      for (int member = 0; member < size; member++) {
        members[member] = elements.value(member, first + i, op, size);
      }
      reduced[i] = elements.combine(op, members);
    }
    return reduced;
  }

  private long[] values(int rank, int first, int length, int size) {
    ExactElements elements = new ExactElements(type);
    long[] values = new long[length];
    for (int i = 0; i < length; i++) {
      values[i] = elements.value(rank, first + i, op, size);
    }
    return values;
  }
}
