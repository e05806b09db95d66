// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.HostPinner;
import io.tombolo.base.NativeMemory;
import java.nio.ByteBuffer;

/**
 * Places for packets, laid out once as {@code udp_socket.h} reads them: a record of 64 bytes per
 * slot, the list of slots of one batch, then the bytes of each slot.
 *
 * <pre>
 *  0  u64  address of the bytes      16  16 bytes  address of the peer
 *  8  u32  size                      32  u32       its port
 * 12  u32  capacity                  36  u32       its scope
 *                                    40  u8        ECN field of the IP header
 * </pre>
 *
 * <p>The bytes are pinned for this process's device. Used by one thread.
 */
final class PacketSlots implements AutoCloseable {
  /** Packets per system call. */
  static final int BATCH = 64;

  private static final int RECORD_BYTES = 64;
  private static final int SIZE = 8;
  private static final int CAPACITY = 12;
  private static final int IP_LOW = 16;
  private static final int IP_HIGH = 24;
  private static final int PORT = 32;
  private static final int SCOPE = 36;
  private static final int ECN = 40;

  /** RFC 3168: routers may mark it, or drop it as ever. */
  private static final int MAY_BE_MARKED = 2;

  /** Congestion experienced, RFC 3168: a queue on the way is long. */
  private static final int MARK = 3;

  private final int slots;
  private final int slotBytes;
  private final long payloadOffset;
  private final NativeMemory memory;
  private final HostPinner.Pin pin;
  private final ByteBuffer records;
  private final ByteBuffer order;
  private final ByteBuffer[] views;

  PacketSlots(int slots, int slotBytes, HostPinner pinner) {
    this.slots = slots;
    this.slotBytes = slotBytes;
    long recordsBytes = (long) slots * RECORD_BYTES;
    payloadOffset = recordsBytes + BATCH * Integer.BYTES;
    memory = NativeMemory.allocate(payloadOffset + (long) slots * slotBytes);
    try {
      pin = pinner.pin(memory.address(), memory.sizeBytes());
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
    records = memory.view(0, slots * RECORD_BYTES);
    order = memory.view(recordsBytes, BATCH * Integer.BYTES);
    views = new ByteBuffer[slots];
    for (int slot = 0; slot < slots; slot++) {
      views[slot] = memory.view(payloadOffset + (long) slot * slotBytes, slotBytes);
      records.putLong(slot * RECORD_BYTES, address(slot));
      records.putInt(slot * RECORD_BYTES + CAPACITY, slotBytes);
    }
  }

  int slots() {
    return slots;
  }

  /** Room in one slot. */
  int slotBytes() {
    return slotBytes;
  }

  /** All memory of it. */
  long sizeBytes() {
    return memory.sizeBytes();
  }

  /** The bytes of {@code slot}: one buffer per slot, whose position and limit stay as left. */
  ByteBuffer view(int slot) {
    return views[slot];
  }

  /** The host address of the first byte of {@code slot}. */
  long address(int slot) {
    return memory.address(payloadOffset + (long) slot * slotBytes, slotBytes);
  }

  int sizeBytes(int slot) {
    return records.getInt(slot * RECORD_BYTES + SIZE);
  }

  void setSizeBytes(int slot, int sizeBytes) {
    records.putInt(slot * RECORD_BYTES + SIZE, sizeBytes);
  }

  /** What lies in {@code slot} goes to the end of {@code path}. */
  void setPath(int slot, UdpPath path) {
    int at = slot * RECORD_BYTES;
    UdpAddress peer = path.address();
    records.put(at + ECN, (byte) (path.marks() ? MAY_BE_MARKED : 0));
    records.putLong(at + IP_LOW, peer.ipLow()).putLong(at + IP_HIGH, peer.ipHigh());
    records.putInt(at + PORT, peer.port()).putInt(at + SCOPE, peer.scope());
  }

  /** Whether what lies in {@code slot} came from {@code peer}; allocates nothing. */
  boolean isFrom(int slot, UdpAddress peer) {
    int at = slot * RECORD_BYTES;
    return records.getLong(at + IP_LOW) == peer.ipLow()
        && records.getLong(at + IP_HIGH) == peer.ipHigh()
        && records.getInt(at + PORT) == peer.port()
        && records.getInt(at + SCOPE) == peer.scope();
  }

  /** Whether what lies in {@code slot} came with the mark of a long queue. */
  boolean isMarked(int slot) {
    return records.get(slot * RECORD_BYTES + ECN) == MARK;
  }

  /** The way that what lies in {@code slot} has come, and back. */
  UdpPath path(int slot) {
    return new UdpPath(peer(slot), records.get(slot * RECORD_BYTES + ECN) >= MAY_BE_MARKED);
  }

  UdpAddress peer(int slot) {
    int at = slot * RECORD_BYTES;
    return new UdpAddress(
        records.getLong(at + IP_LOW),
        records.getLong(at + IP_HIGH),
        records.getInt(at + PORT),
        records.getInt(at + SCOPE));
  }

  /** Makes {@code slot} the {@code i}-th of the next batch. */
  void order(int i, int slot) {
    order.putInt(i * Integer.BYTES, slot);
  }

  long recordsAddress() {
    return memory.address();
  }

  long orderAddress() {
    return memory.address((long) slots * RECORD_BYTES, BATCH * Integer.BYTES);
  }

  @Override
  public void close() {
    pin.closeWith(memory);
  }
}
