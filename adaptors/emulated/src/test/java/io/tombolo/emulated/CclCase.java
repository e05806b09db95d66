package io.tombolo.emulated;

import io.tombolo.base.Capabilities;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * One call to try: the collective, its arguments, and what every member puts in and must get out.
 */
record CclCase(
    Collective collective, DataType type, ReduceOp op, int count, boolean inPlace, int root) {

  /** Everything {@code declared}, at counts around the number of members. */
  static List<CclCase> all(Capabilities declared, int size) {
    List<CclCase> cases = new ArrayList<>();
    for (Collective collective : declared.collectives()) {
      for (DataType type : declared.types()) {
        for (ReduceOp op : reduces(collective) ? declared.reduceOps() : Set.of(ReduceOp.SUM)) {
          for (int count : new int[] {0, 1, size - 1, size + 1, 1000}) {
            for (boolean inPlace : new boolean[] {false, true}) {
              cases.add(new CclCase(collective, type, op, count, inPlace, cases.size() % size));
            }
          }
        }
      }
    }
    return cases;
  }

  private static boolean reduces(Collective collective) {
    return switch (collective) {
      case ALL_REDUCE, REDUCE, REDUCE_SCATTER -> true;
      default -> false;
    };
  }

  /** Elements of the send buffer. */
  int sendCount(int size) {
    return collective == Collective.REDUCE_SCATTER ? count * size : count;
  }

  /** Elements of the receive buffer. */
  int receiveCount(int size) {
    return collective == Collective.ALL_GATHER ? count * size : count;
  }

  /** Bytes from the beginning of the larger buffer to where the smaller one lies, in place. */
  long shardOffset(int rank) {
    return switch (collective) {
      case REDUCE_SCATTER, ALL_GATHER -> (long) rank * count * type.sizeBytes();
      default -> 0;
    };
  }

  /** What {@code rank} sends. */
  byte[] input(int rank, int size) {
    return new Elements(type)
        .encode(IntStream.range(0, sendCount(size)).mapToLong(i -> value(rank, i, size)).toArray());
  }

  /** Whether {@code rank} gets a result. */
  boolean hasResult(int rank) {
    return collective != Collective.REDUCE || rank == root;
  }

  /** What {@code rank} must receive. */
  byte[] expected(int rank, int size) {
    Elements elements = new Elements(type);
    return elements.encode(
        IntStream.range(0, receiveCount(size))
            .mapToLong(i -> expected(elements, rank, i, size))
            .toArray());
  }

  private long expected(Elements elements, int rank, int index, int size) {
    return switch (collective) {
      case ALL_REDUCE, REDUCE -> reduced(elements, index, size);
      case REDUCE_SCATTER -> reduced(elements, rank * count + index, size);
      case BROADCAST -> value(root, index, size);
      case ALL_GATHER -> value(index / count, index % count, size);
      default -> throw new AssertionError(collective);
    };
  }

  private long reduced(Elements elements, int index, int size) {
    return elements.combine(
        op, IntStream.range(0, size).mapToLong(member -> value(member, index, size)).toArray());
  }

  private long value(int rank, int index, int size) {
    return new Elements(type).value(rank, index, op, size);
  }
}
