// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/**
 * One rank's buffers, so that planners need not know whether a call is in place: then one buffer
 * holds both, and only that one is named.
 */
record Buffers(CollectiveCall call, int rank, int size) {
  boolean hasOutput() {
    return call.outputElements(rank, size) > 0;
  }

  /** {@code length} elements of the input from {@code offset} on. */
  Range in(long offset, long length) {
    return call.inPlace() && !inputIsLarger()
        ? new Range(Space.OUTPUT, offset + call.inPlaceOffset(rank), length)
        : new Range(Space.INPUT, offset, length);
  }

  /** {@code length} elements of the output from {@code offset} on. */
  Range out(long offset, long length) {
    return call.inPlace() && inputIsLarger()
        ? new Range(Space.INPUT, offset + call.inPlaceOffset(rank), length)
        : new Range(Space.OUTPUT, offset, length);
  }

  /**
   * Elements of the caller's buffer that is called {@code space}; in place, of the larger one, and
   * none of the other.
   */
  long elements(Space space) {
    if (call.inPlace() && inputIsLarger() != (space == Space.INPUT)) {
      return 0;
    }
    return space == Space.INPUT ? call.inputElements(rank, size) : call.outputElements(rank, size);
  }

  private boolean inputIsLarger() {
    return call.inputElements(rank, size) > call.outputElements(rank, size);
  }
}
