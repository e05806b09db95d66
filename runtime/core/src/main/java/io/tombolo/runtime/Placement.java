package io.tombolo.runtime;

import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.CollectiveCall;

/** Finds out from a call's addresses whether it is in place. */
final class Placement {
  private Placement() {}

  /**
   * {@code call}, in place if its buffers share memory the way it allows.
   *
   * @throws UsageException if they overlap otherwise
   */
  static CollectiveCall of(CollectiveCall call, int rank, int size, long send, long receive) {
    long element = call.type().sizeBytes();
    long inputBytes = Math.multiplyExact(call.inputElements(rank, size), element);
    long outputBytes = Math.multiplyExact(call.outputElements(rank, size), element);
    if (inputBytes == 0 || outputBytes == 0) {
      return call;
    }
    long shift = call.inPlaceOffset(rank) * element;
    if (inputBytes > outputBytes ? receive == send + shift : send == receive + shift) {
      return call.inPlace(true);
    }
    if (send < receive + outputBytes && receive < send + inputBytes) {
      throw new UsageException(
          "rank "
              + rank
              + ": "
              + call
              + ": input and output overlap without being in place; give them memory of their own,"
              + " or "
              + (shift == 0 ? "equal addresses" : "addresses " + shift + " bytes apart"));
    }
    return call;
  }
}
