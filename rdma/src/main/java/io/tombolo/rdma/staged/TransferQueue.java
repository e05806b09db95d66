// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.ChannelRoom;

/**
 * The messages posted in one direction, in order: first those whose completion is to be reported,
 * then those whose bytes are all under way, then the current one, then the waiting ones.
 */
public final class TransferQueue {
  private static final int CAPACITY = ChannelRoom.MAX_POSTED;

  private final PostedMessage[] entries = new PostedMessage[CAPACITY];
  private long reported;
  private long completed;
  private long started;
  private long ahead;
  private long posted;
  private boolean held;

  /** An empty queue. */
  public TransferQueue() {}

  /**
   * Appends a message; false if there is no room.
   *
   * @throws IllegalArgumentException if the bytes are not all inside {@code memory}
   */
  public boolean offer(long tag, LocalMemory memory, long offset, long sizeBytes) {
    if (offset < 0 || sizeBytes < 0 || offset > memory.sizeBytes() - sizeBytes) {
      // not checkArgument, which boxes its numbers for every message that is fine
      throw new IllegalArgumentException(
          "["
              + offset
              + ", +"
              + sizeBytes
              + ") is outside memory of "
              + memory.sizeBytes()
              + " bytes");
    }
    if (posted - reported == CAPACITY) {
      return false;
    }
    if (posted == reported) {
      restart();
    }
    blank(posted++).set(tag, memory, offset, sizeBytes);
    return true;
  }

  public boolean hasCurrent() {
    return started < posted && !held;
  }

  /** Until it is {@linkplain #release released}, nothing of it is to be moved. */
  void hold() {
    held = true;
  }

  /** What was posted may go. */
  void release() {
    held = false;
  }

  /** The message whose bytes are next. */
  public PostedMessage current() {
    return entry(started);
  }

  /** The current message's place, which {@link #goBack} takes until the message is done. */
  long currentPlace() {
    return started;
  }

  /**
   * The message at {@code place}, which is not done, is the current one again from its byte {@code
   * moved} on, and those behind it from their beginnings.
   */
  void goBack(long place, long moved) {
    for (; started > place; started--) {
      if (started < posted) {
        current().goBack(0);
      }
    }
    current().goBack(moved);
  }

  /** All bytes of the current message are under way. */
  public void finishCurrent() {
    started++;
  }

  /** Whether there is a message whose places the wire does not all know. */
  boolean hasAhead() {
    return ahead < posted && !held;
  }

  /** The first message whose places the wire does not all know. */
  PostedMessage ahead() {
    return entry(ahead);
  }

  /** The wire knows all places of that message. */
  void finishAhead() {
    ahead++;
  }

  /** The oldest message under way is done. */
  public void complete() {
    entry(completed++).clear();
  }

  /** Messages posted and not done. */
  public long outstanding() {
    return posted - completed;
  }

  public boolean hasUnreported() {
    return reported < completed;
  }

  /** The oldest message that is done and not reported, whose entry may be reused from now on. */
  public PostedMessage report() {
    return entry(reported++);
  }

  /** Begins again at the first entry, so that a queue that is never long stays small. */
  private void restart() {
    reported = 0;
    completed = 0;
    started = 0;
    ahead = 0;
    posted = 0;
  }

  private PostedMessage blank(long sequence) {
    int at = (int) (sequence % CAPACITY);
    if (entries[at] == null) {
      entries[at] = new PostedMessage();
    }
    return entries[at];
  }

  private PostedMessage entry(long sequence) {
    return entries[(int) (sequence % CAPACITY)];
  }
}
