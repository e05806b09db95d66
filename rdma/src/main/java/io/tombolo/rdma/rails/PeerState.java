// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;

/**
 * What the peer's receives lack at the end of an epoch, and over which rails it can go on.
 *
 * @param live those rails
 * @param received messages that are complete
 * @param ranges what each of the next ones lacks: where that begins, and where it ends
 */
@SuppressWarnings("ArrayRecordComponent") // what was said, never compared
record PeerState(int live, long received, long[] ranges) {
  /** What the peer says in {@code word} and behind it. */
  static PeerState of(ControlWord word, ByteBuffer behind) {
    long[] ranges = new long[2 * word.count()];
    for (int i = 0; i < ranges.length; i++) {
      ranges[i] = behind.getLong();
    }
    return new PeerState(word.live(), word.received(), ranges);
  }

  /**
   * Tells {@code sends}, which have stopped, what of them has to be sent again. What the peer has
   * posted no receive for lacks all of it.
   */
  void applyTo(Stripes sends) {
    for (long number = sends.done(); number < sends.taken(); number++) {
      StripedMessage message = sends.message(number);
      long at = 2 * (number - received);
      if (at < 0) {
        message.lacksNothing();
      } else if (at < ranges.length) {
        apply(message, ranges[(int) at], ranges[(int) at + 1]);
      } else {
        message.lacks(0, message.sizeBytes());
      }
    }
  }

  private static void apply(StripedMessage message, long from, long to) {
    if (from == ControlWord.NOTHING && to == ControlWord.NOTHING) {
      message.lacksNothing();
    } else if (from >= 0 && from <= to && to <= message.sizeBytes()) {
      message.lacks(from, to);
    } else {
      throw new CorruptException(
          "the peer lacks bytes "
              + from
              + " to "
              + to
              + " of a message of "
              + message.sizeBytes()
              + "; the two sides' calls differ");
    }
  }
}
