// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.reliable.PacketSender;
import java.nio.ByteBuffer;

/**
 * Packets and remote writes that wait for their time, earliest first; those of one time in order.
 * Memory that no packet ever lay in is not touched.
 */
final class HeldPackets implements AutoCloseable {
  private static final int SLOTS = 1 << 13;

  private final int packetBytes;
  private final NativeMemory memory;
  private final ByteBuffer[] views = new ByteBuffer[SLOTS];
  private final int[] free = new int[SLOTS];
  private final int[] uses = new int[SLOTS];
  private final LocalMemory[] sources = new LocalMemory[SLOTS];
  private final long[] tickets = new long[SLOTS];
  private final HeldWrite[] writes = new HeldWrite[SLOTS];
  private final TimeHeap due = new TimeHeap(2 * SLOTS);
  private int freeCount;

  HeldPackets(int packetBytes) {
    this.packetBytes = packetBytes;
    memory = NativeMemory.allocate((long) SLOTS * packetBytes);
    for (int slot = SLOTS - 1; slot >= 0; slot--) {
      free[freeCount++] = slot;
    }
  }

  boolean hasRoom() {
    return freeCount > 0;
  }

  /** A slot with {@code head} copied into it, and room for so much payload behind. */
  int take(ByteBuffer head, int payloadBytes) {
    int slot = free[--freeCount];
    if (views[slot] == null) {
      views[slot] = memory.view((long) slot * packetBytes, packetBytes);
    }
    int from = head.position();
    ByteBuffer view = views[slot].clear();
    view.put(head);
    view.limit(view.position() + payloadBytes).position(0);
    head.position(from);
    return start(slot);
  }

  /**
   * A slot for a remote write that may be late by {@code spareNs}, or go at {@link
   * PacketSender#ANY_TIME}.
   */
  int take(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory source,
      long offset,
      int sizeBytes,
      long cookie,
      long spareNs) {
    int slot = free[--freeCount];
    writes[slot] =
        new HeldWrite(
            immediate, remoteKey, remoteAddress, source, offset, sizeBytes, cookie, spareNs);
    return start(slot);
  }

  /** The remote write in {@code slot} is of the slot's own bytes, and nobody waits for it. */
  void keep(int slot) {
    HeldWrite write = writes[slot];
    writes[slot] =
        new HeldWrite(
            write.immediate,
            write.remoteKey,
            write.remoteAddress,
            new HeldMemory(memory),
            (long) slot * packetBytes,
            write.sizeBytes,
            PacketSender.NOBODYS,
            write.spareNs);
  }

  private int start(int slot) {
    uses[slot] = 0;
    sources[slot] = null;
    tickets[slot] = LocalMemory.DONE;
    return slot;
  }

  /** The host address of the first byte of {@code slot}. */
  long address(int slot) {
    return memory.address((long) slot * packetBytes, packetBytes);
  }

  /** The payload of {@code slot} is still being copied in. */
  void copying(int slot, LocalMemory source, long ticket) {
    sources[slot] = source;
    tickets[slot] = ticket;
  }

  /** Lets {@code slot} go at {@code atNs}, once more if it has been let go already. */
  void release(int slot, long atNs) {
    uses[slot]++;
    due.add(slot, atNs);
  }

  /** Whether the first has its time, and its payload. */
  boolean isDue(long nowNs) {
    if (due.isEmpty() || due.firstNs() - nowNs > 0) {
      return false;
    }
    int slot = due.first();
    return tickets[slot] == LocalMemory.DONE || sources[slot].isDone(tickets[slot]);
  }

  /** Passes the first on; false if {@code wire} has no room. */
  boolean passFirst(PacketSender wire) {
    int slot = due.first();
    boolean passed =
        writes[slot] == null
            ? wire.sendControl(views[slot].position(0))
            : writes[slot].pass(wire, due.firstNs());
    if (passed) {
      due.removeFirst();
      if (--uses[slot] == 0) {
        sources[slot] = null;
        writes[slot] = null;
        free[freeCount++] = slot;
      }
    }
    return passed;
  }

  @Override
  public void close() {
    memory.close();
  }

  /** A remote write; its memory is read when it is passed on. */
  private record HeldWrite(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory source,
      long offset,
      int sizeBytes,
      long cookie,
      long spareNs) {
    boolean pass(PacketSender wire, long dueNs) {
      long untilNs = spareNs == PacketSender.ANY_TIME ? spareNs : dueNs + spareNs;
      return wire.sendAgain(
          immediate, remoteKey, remoteAddress, source, offset, sizeBytes, cookie, untilNs);
    }
  }
}
