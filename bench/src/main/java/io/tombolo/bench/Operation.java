// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;

/**
 * What is measured, as one rank of a job sees it: how it is called, how long vectors are and what
 * must be in them afterwards. Sizes are those of nccl-tests: of the larger of a rank's two vectors.
 * Pure, but for {@link #start}.
 */
interface Operation {
  /**
   * A part of a result.
   *
   * @param offset its first element
   * @param count its elements
   * @param source whose input it is
   * @param combined how many ranks' inputs are combined in it, from {@code source} on
   * @param from the element of that input, or of the combination, with which it begins
   */
  record Part(long offset, long count, int source, int combined, long from) {}

  /** Whose view this is. */
  int rank();

  /** The same, as {@code other} rank sees it. */
  Operation at(int other);

  /** Whether elements are combined. */
  boolean isReducing();

  /** The elements of a block, where the larger vector has at most {@code elements}. */
  long block(long elements);

  /** Elements of the larger vector that has blocks of {@code block}. */
  long total(long block);

  /** Elements that this rank sends. */
  long sendCount(long block);

  /** What this rank must receive; nothing where it gets no result. */
  ImmutableList<Part> expected(long block);

  /** The call that moves blocks of {@code block} elements, reductions by {@code op}. */
  CollectiveCall call(long block, DataType type, ReduceOp op, boolean inPlace);

  /** Makes {@code call}, one of {@link #call}, from the beginning of one buffer to another's. */
  Work start(
      Communicator communicator,
      CollectiveCall call,
      DeviceBuffer from,
      DeviceBuffer to,
      CallOptions options,
      Stream stream);

  /** The highest rank that gets a result. */
  int lastWithResult();

  /** Whether input and output can be in one buffer. */
  boolean canBeInPlace();

  /** Where this rank's input begins in the one buffer of a call in place, in elements. */
  long sendOffset(long block);

  /** Where this rank's output begins there. */
  long receiveOffset(long block);

  /** How much of the algorithm's bandwidth the busiest link carries: nccl-tests, PERFORMANCE.md. */
  double busFactor();
}
