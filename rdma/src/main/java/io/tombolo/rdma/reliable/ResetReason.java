// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;

/** Why an end of a channel is gone for good, as it tells the other end. */
enum ResetReason {
  /** Its user closed it with transfers outstanding. */
  CLOSED(1),
  /** A send and the receive it met do not agree. */
  MISMATCH(2),
  /** Anything else went wrong there. */
  FAILED(3);

  private final int number;

  ResetReason(int number) {
    this.number = number;
  }

  /** As the wire has it. */
  int number() {
    return number;
  }

  /** What to tell the peer of {@code failure}. */
  static ResetReason of(TomboloException failure) {
    return failure instanceof CorruptException ? MISMATCH : FAILED;
  }

  /** What {@code number} from the peer means here; numbers of later versions are failures too. */
  static TomboloException failure(int number, ChannelId id) {
    String who = "rank %s, flow %s".formatted(id.peer(), id.flow());
    if (number == MISMATCH.number) {
      return new CorruptException(
          who
              + ": the peer found that its sends and our receives do not agree in order, tag and"
              + " size; its own error names both");
    }
    return new PeerFailedException(
        who
            + (number == CLOSED.number
                ? ": the peer closed its end, or its process ended"
                : ": the peer's end failed (reason " + number + "); its own error says why"));
  }
}
