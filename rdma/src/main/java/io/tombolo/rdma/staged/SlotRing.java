// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.SlotGeometry;
import java.nio.ByteBuffer;

/**
 * Slots in a block of memory: each a {@link SlotHeader} on a cache line of its own, then the
 * payload.
 */
public final class SlotRing {
  private final NativeMemory memory;
  private final SlotGeometry geometry;
  private final long offset;
  private final ByteBuffer[] views;

  /** The ring at {@code offset} of {@code memory}, which it does not own. */
  public SlotRing(NativeMemory memory, long offset, SlotGeometry geometry) {
    this.memory = memory;
    this.offset = offset;
    this.geometry = geometry;
    this.views = new ByteBuffer[geometry.slots()];
    for (int slot = 0; slot < views.length; slot++) {
      views[slot] = memory.view(offset + (long) slot * slotBytes(geometry), slotBytes(geometry));
    }
  }

  /** Bytes of a ring. */
  public static long sizeBytes(SlotGeometry geometry) {
    return (long) geometry.slots() * slotBytes(geometry);
  }

  private static int slotBytes(SlotGeometry geometry) {
    return SlotHeader.SIZE_BYTES + geometry.payloadBytes();
  }

  /** How many slots there are. */
  public int slots() {
    return geometry.slots();
  }

  /** The most that one of them carries. */
  public int payloadBytes() {
    return geometry.payloadBytes();
  }

  /** The index of slot {@code sequence}. */
  public int index(long sequence) {
    return (int) (sequence % geometry.slots());
  }

  /**
   * All bytes of slot {@code sequence}, header first: one buffer per slot, whose position and limit
   * stay as left.
   */
  public ByteBuffer view(long sequence) {
    return views[index(sequence)];
  }

  /** The host address of the header of slot {@code sequence}. */
  public long header(long sequence) {
    return payload(sequence) - SlotHeader.SIZE_BYTES;
  }

  /** The host address of the payload of slot {@code sequence}. */
  public long payload(long sequence) {
    long at = (long) index(sequence) * slotBytes(geometry) + SlotHeader.SIZE_BYTES;
    return memory.address(offset + at, geometry.payloadBytes());
  }
}
