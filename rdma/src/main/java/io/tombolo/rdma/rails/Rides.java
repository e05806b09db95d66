// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import java.util.Arrays;

/** The stripes that travel over one rail, in order: none overtakes another there. */
final class Rides {
  private static final int FIRST_ROOM = 16;
  private static final long NONE = -1;

  private long[] messages = new long[FIRST_ROOM];
  private long[] offsets = new long[FIRST_ROOM];
  private int[] bytes = new int[FIRST_ROOM];
  private long[] turns = new long[FIRST_ROOM];
  private long arrived;
  private long given;
  private long lastArrived;

  /** Stripes that the rail was given since {@link #restart}. */
  long given() {
    return given;
  }

  /** Those of them that have arrived. */
  long arrived() {
    return arrived;
  }

  boolean isEmpty() {
    return arrived == given;
  }

  void restart() {
    arrived = 0;
    given = 0;
    lastArrived = NONE;
  }

  /** The rail was given a stripe; {@code turn} counts those of all rails. */
  void add(long turn, long message, long offset, int sizeBytes) {
    if (given - arrived == messages.length) {
      grow();
    }
    int at = at(given++);
    turns[at] = turn;
    messages[at] = message;
    offsets[at] = offset;
    bytes[at] = sizeBytes;
  }

  /** Twice the room: each stripe's place is where its number says, then as well. */
  private void grow() {
    int room = messages.length;
    messages = Arrays.copyOf(messages, 2 * room);
    offsets = Arrays.copyOf(offsets, 2 * room);
    bytes = Arrays.copyOf(bytes, 2 * room);
    turns = Arrays.copyOf(turns, 2 * room);
    System.arraycopy(messages, 0, messages, room, room);
    System.arraycopy(offsets, 0, offsets, room, room);
    System.arraycopy(bytes, 0, bytes, room, room);
    System.arraycopy(turns, 0, turns, room, room);
  }

  /** The turn of the oldest. */
  long oldest() {
    return turns[at(arrived)];
  }

  /** The turn of the last one that has arrived; -1 if none has. */
  long lastArrived() {
    return lastArrived;
  }

  /** The number of the message that the oldest is of. */
  long message() {
    return messages[at(arrived)];
  }

  /** Where in its message the oldest is. */
  long offset() {
    return offsets[at(arrived)];
  }

  /** The oldest one's bytes. */
  int bytes() {
    return bytes[at(arrived)];
  }

  /** The oldest has arrived, or is lost. */
  void remove() {
    lastArrived = turns[at(arrived)];
    arrived++;
  }

  private int at(long number) {
    return (int) number & messages.length - 1;
  }
}
