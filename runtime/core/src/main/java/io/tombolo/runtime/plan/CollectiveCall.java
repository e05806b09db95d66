package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;

/**
 * What a user asked for, without the addresses: all that a plan depends on. All ranks must make the
 * same calls in the same order.
 *
 * @param collective the operation
 * @param count elements of each rank's vector
 * @param type type of the elements
 * @param op how elements combine
 * @param inPlace whether input and output are the same memory on this rank; ranks may differ in it
 */
public record CollectiveCall(
    Collective collective, long count, DataType type, ReduceOp op, boolean inPlace) {
  /** Checks that the count is one. */
  public CollectiveCall {
    checkArgument(count >= 0, "a count is not negative: %s", count);
  }

  /** An all-reduce of {@code count} elements. */
  public static CollectiveCall allReduce(long count, DataType type, ReduceOp op, boolean inPlace) {
    return new CollectiveCall(Collective.ALL_REDUCE, count, type, op, inPlace);
  }

  /** Bytes of each rank's vector. */
  public long sizeBytes() {
    return Math.multiplyExact(count, type.sizeBytes());
  }

  /** The call as one phrase for people: {@code all_reduce of 1024 f32 by sum}. */
  @Override
  public String toString() {
    return collective.text() + " of " + count + " " + type.text() + " by " + op.text();
  }
}
