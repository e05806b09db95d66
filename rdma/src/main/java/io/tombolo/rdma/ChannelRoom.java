// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * What one direction of a channel surely takes in while the receiver posts nothing: how far a
 * sender gets by itself. Beyond it, sender and receiver have to meet.
 *
 * @param messages how many may be posted and not done, on either side
 * @param slots slots between the two sides; without any, each message waits at its sender until its
 *     receive is posted
 * @param slotBytes what a slot carries
 */
public record ChannelRoom(int messages, int slots, int slotBytes) {
  /** Messages that every channel lets be posted in one direction and not be reported yet. */
  public static final int MAX_POSTED = 256;

  /**
   * What every fabric has: over carriers that lose packets, and in memory read in place, no slots.
   */
  public static final ChannelRoom LEAST =
      new ChannelRoom(MAX_POSTED, 0, SlotGeometry.DEFAULT.payloadBytes());

  /** Checks the bounds. */
  public ChannelRoom {
    checkArgument(
        messages >= 1 && slots >= 0 && slotBytes >= 1,
        "no room: %s messages, %s slots of %s bytes",
        messages,
        slots,
        slotBytes);
  }

  /** The room of a channel that fills the slots of {@code geometry} before a receive is posted. */
  public static ChannelRoom of(SlotGeometry geometry) {
    return new ChannelRoom(MAX_POSTED, geometry.slots(), geometry.payloadBytes());
  }

  /**
   * For each of a channel's messages, in order, the last one whose receive must be posted before
   * the send is done; -1 where none must.
   *
   * <p>Slots are filled and emptied in order. So a message's last slot is filled once the slot that
   * lies a ring's length before it is empty, and that takes the receive of the message in it.
   *
   * @param sizesBytes what the messages carry
   */
  public int[] awaited(long... sizesBytes) {
    int[] awaited = new int[sizesBytes.length];
    long filled = 0;
    long emptied = 0;
    int last = -1;
    for (int i = 0; i < sizesBytes.length; i++) {
      filled += slotsOf(sizesBytes[i]);
      while (emptied < filled - slots) {
        emptied += slotsOf(sizesBytes[++last]);
      }
      awaited[i] = last;
    }
    return awaited;
  }

  /** An empty message is one empty slot. */
  private long slotsOf(long sizeBytes) {
    return Math.max(1, (sizeBytes + slotBytes - 1) / slotBytes);
  }
}
