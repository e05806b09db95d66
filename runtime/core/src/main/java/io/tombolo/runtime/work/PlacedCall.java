// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.CollectiveCall;

/**
 * A collective call on memory of this process's device. {@link BufferCalls} makes it from buffers;
 * the addresses here are taken on trust.
 *
 * @param call what is called; whether it is in place is found out from the addresses
 * @param send device address of the input
 * @param receive device address of the output
 */
public record PlacedCall(CollectiveCall call, long send, long receive) {
  /** A barrier, which has no buffers. */
  public static PlacedCall barrier() {
    return new PlacedCall(CollectiveCall.barrier(), 0, 0);
  }

  /**
   * This call, known to be in place or not.
   *
   * @throws UsageException if its buffers overlap without being in place, or are larger than any
   *     memory
   */
  @SuppressWarnings("ReferenceEquality") // the same object, where there was nothing to change
  public PlacedCall placed(int rank, int size) {
    requireCountable(call, rank, size);
    CollectiveCall found = InPlaceCheck.of(call, rank, size, send, receive);
    return found == call ? this : new PlacedCall(found, send, receive);
  }

  /** All sums of the plan are of bytes in the blocks of all ranks, at most. */
  static void requireCountable(CollectiveCall call, int rank, int size) {
    try {
      Math.multiplyExact(call.layout().sends().extent(size), call.type().sizeBytes());
      Math.multiplyExact(call.layout().receives().extent(size), call.type().sizeBytes());
    } catch (ArithmeticException e) {
      throw new UsageException(
          "rank %s: %s: the blocks of %s ranks would be more than 2⁶³ bytes; look at the counts"
              .formatted(rank, call, size),
          e);
    }
  }
}
