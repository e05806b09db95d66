// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UnsupportedException;

/**
 * What a user asked for, without the addresses: all that a plan depends on. All ranks must make the
 * same calls in the same order.
 *
 * @param collective the operation
 * @param type type of the elements
 * @param reduction how elements combine
 * @param root the rank that alone sends or receives; 0 for operations without one
 * @param layout the blocks; for all_reduce, reduce and broadcast the vector
 * @param inPlace whether input and output share memory on this rank: they are one buffer, or the
 *     smaller one is this rank's block of the larger; ranks may differ in it
 * @param reach which of this rank's memories messages may lie in; ranks may differ in it, too
 */
public record CollectiveCall(
    Collective collective,
    DataType type,
    Reduction reduction,
    int root,
    Layout layout,
    boolean inPlace,
    Reach reach) {
  /** Checks that the call makes sense. */
  public CollectiveCall {
    checkArgument(root >= 0, "a root is a rank: %s", root);
    if (reduction instanceof Reduction.By by && !by.op().appliesTo(type)) {
      throw new UnsupportedException(
          collective.text() + ": " + by.op().text() + " has no meaning for " + type.text());
    }
    if (reduction instanceof Reduction.PreMultiplied scaled && !scaled.appliesTo(type)) {
      throw new UnsupportedException(
          "%s: multiplying by %s has no meaning for %s"
              .formatted(collective.text(), scaled.factor(), type.text()));
    }
    if (collective.isReducing() && averages(reduction) && !collective.signature().averages()) {
      throw new UnsupportedException(
          collective.text()
              + " has no avg: each rank combines another number of elements; take sum, and divide");
    }
  }

  /** A call whose messages all lie on the stage. */
  public CollectiveCall(
      Collective collective,
      DataType type,
      Reduction reduction,
      int root,
      Layout layout,
      boolean inPlace) {
    this(collective, type, reduction, root, layout, inPlace, Reach.NONE);
  }

  /** Combines everyone's {@code count} elements, for everyone. */
  public static CollectiveCall allReduce(long count, DataType type, ReduceOp op, boolean inPlace) {
    return vector(Collective.ALL_REDUCE, count, type, new Reduction.By(op), 0, inPlace);
  }

  /** A call about one vector of {@code count} elements: all_reduce, reduce, broadcast. */
  public static CollectiveCall vector(
      Collective collective,
      long count,
      DataType type,
      Reduction reduction,
      int root,
      boolean inPlace) {
    return new CollectiveCall(collective, type, reduction, root, new Layout.Even(count), inPlace);
  }

  /** A call that moves blocks: all_gather, gather, scatter, all_to_all, with and without _v. */
  public static CollectiveCall move(
      Collective collective, Layout layout, DataType type, int root, boolean inPlace) {
    return new CollectiveCall(collective, type, new Reduction.None(), root, layout, inPlace);
  }

  /** Combines blocks and gives each rank its own. */
  public static CollectiveCall reduceScatter(
      Layout layout, DataType type, Reduction reduction, boolean inPlace) {
    Collective collective =
        layout instanceof Layout.Even ? Collective.REDUCE_SCATTER : Collective.REDUCE_SCATTER_V;
    return new CollectiveCall(collective, type, reduction, 0, layout, inPlace);
  }

  /** The messages this rank alone exchanges with others. */
  public static CollectiveCall exchange(Layout.Pairwise messages, DataType type) {
    return move(Collective.EXCHANGE, messages, type, 0, false);
  }

  /** Nobody goes on before everybody came. */
  public static CollectiveCall barrier() {
    return move(Collective.BARRIER, new Layout.Even(0), DataType.U8, 0, false);
  }

  /** This call on the same ranks with another layout. */
  public CollectiveCall withLayout(Layout other) {
    return new CollectiveCall(collective, type, reduction, root, other, inPlace, reach);
  }

  /** This call, in place or not. */
  public CollectiveCall inPlace(boolean shared) {
    return shared == inPlace
        ? this
        : new CollectiveCall(collective, type, reduction, root, layout, shared, reach);
  }

  /** This call on memory that NICs reach so. */
  public CollectiveCall reaching(Reach other) {
    return new CollectiveCall(collective, type, reduction, root, layout, inPlace, other);
  }

  /**
   * Whether this rank's device combines pieces of so many elements, wherever they lie. The host
   * does so on the stage alone, and divides and multiplies there.
   */
  boolean combinesOnDevice(long elements) {
    return reduction instanceof Reduction.By
        && !averages()
        && elements * type.sizeBytes() >= reach.combinesFromBytes();
  }

  /** Elements of {@code rank}'s input, in a job of {@code size} ranks. */
  public long inputElements(int rank, int size) {
    return collective.signature().input().elements(layout.sends(), rank, root, size);
  }

  /** Elements of {@code rank}'s output, in a job of {@code size} ranks. */
  public long outputElements(int rank, int size) {
    return collective.signature().output().elements(layout.receives(), rank, root, size);
  }

  /**
   * Where the smaller buffer begins in the larger when {@code rank}'s call is in place, in
   * elements.
   */
  public long inPlaceOffset(int rank) {
    return collective.signature().isBlockOfBlocks() ? layout.offset(rank) : 0;
  }

  /** Bytes of the larger of {@code rank}'s buffers, in a job of {@code size} ranks. */
  public long sizeBytes(int rank, int size) {
    return Math.multiplyExact(
        Math.max(inputElements(rank, size), outputElements(rank, size)), type.sizeBytes());
  }

  /**
   * Bytes of the vector, or of a block, as all ranks know it: what the choice of an algorithm goes
   * by.
   */
  long blockBytes() {
    return Math.multiplyExact(layout.agreedBlock(), type.sizeBytes());
  }

  /** Whether the division of an average is to be done. */
  boolean averages() {
    return averages(reduction);
  }

  private static boolean averages(Reduction reduction) {
    return reduction instanceof Reduction.By by && by.op() == ReduceOp.AVG;
  }

  /**
   * As of any record. Each call is looked up among the plans, the first ones before they are
   * compiled; and a record's own methods are put together from method handles, dozens of them, when
   * they are first called. So this, and what most calls are made of, are written out.
   */
  @Override
  public boolean equals(Object other) {
    return other instanceof CollectiveCall call
        && collective == call.collective
        && type == call.type
        && root == call.root
        && inPlace == call.inPlace
        && reduction.equals(call.reduction)
        && layout.equals(call.layout)
        && reach.equals(call.reach);
  }

  @Override
  public int hashCode() {
    int hash = collective.hashCode();
    hash = 31 * hash + type.hashCode();
    hash = 31 * hash + reduction.hashCode();
    hash = 31 * hash + root;
    hash = 31 * hash + layout.hashCode();
    hash = 31 * hash + Boolean.hashCode(inPlace);
    return 31 * hash + reach.hashCode();
  }

  /** The call as one phrase for people: {@code all_reduce of 1024 f32 by sum}. */
  @Override
  public String toString() {
    return collective.text()
        + " of "
        + layout
        + " "
        + type.text()
        + reduction
        + (collective.isRooted() ? ", root " + root : "");
  }
}
