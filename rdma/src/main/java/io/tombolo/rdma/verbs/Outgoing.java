// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.reliable.PacketSender;
import io.tombolo.rdma.staged.SlotLines;
import io.tombolo.rdma.staged.SlotQueue;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Packets on their way out, of all channels of a process: built in registered slots, where a
 * device's engine may still be copying their payload in, then posted in batches. Of a remote write
 * the NIC reads the payload where the message lies, if that is registered.
 *
 * <p>A write that repeats another has a moment until which it may be posted, for its slot may be
 * another's later: the clock is read at the post, as copies, or what other channels register, may
 * have kept it waiting.
 *
 * <p>Copies are awaited in order channel by channel: one that never ends holds up its own alone.
 *
 * <p>The last slots are kept for acknowledgements and the like, which go first, each as soon as its
 * own queue pair has room: neither payload nor another channel holds them up. What they say is of
 * the moment. So one that has waited for long is dropped, and its channel says anew what is so.
 */
final class Outgoing implements AutoCloseable {
  /**
   * How long what is no payload may wait: the peer takes an acknowledgement to be news, and may
   * write for half a second because of it.
   */
  private static final long CONTROL_NS = 100_000_000;

  private final PacketPool pool;
  private final Borrowed borrowed;
  private final SlotQueue free;
  private final SlotLines copying;
  private final SlotQueue control;
  private final SlotQueue ready;
  private final int reserve;
  private final QueuedPacket[] packets;
  private final PostedSlots.Freed release = this::release;
  private final IntPredicate settle = this::settle;

  /** Packets in the slots of {@code pool}, which it takes, or, slot by slot, {@code borrowed}. */
  Outgoing(PacketPool pool, Borrowed borrowed) {
    this.pool = pool;
    this.borrowed = borrowed;
    int slots = pool.slots();
    free = SlotQueue.full(slots);
    copying = new SlotLines(slots);
    control = new SlotQueue(slots);
    ready = new SlotQueue(slots);
    reserve = slots / 8;
    packets = new QueuedPacket[slots];
    for (int slot = 0; slot < slots; slot++) {
      packets[slot] = new QueuedPacket();
    }
  }

  /** One packet that a slot holds, and where it goes; reused. */
  static final class QueuedPacket {
    private LossyLink from;
    private LocalMemory memory;
    private long ticket;
    private long cookie;
    private int sizeBytes;
    private boolean write;
    private int immediate;
    private int remoteKey;
    private long remoteAddress;
    private long untilNs;
    private boolean hasWaited;
  }

  /**
   * Takes a copy of {@code packet}, which has no payload; false if there is no room now. One that
   * cannot be posted soon is dropped, and {@code from} told so.
   */
  boolean packet(LossyLink from, ByteBuffer packet) {
    if (free.isEmpty() || packet.remaining() > pool.slotBytes()) {
      return false;
    }
    int slot = start(from, packet);
    packets[slot].write = false;
    packets[slot].untilNs = from.nowNs() + CONTROL_NS;
    control.add(slot);
    return true;
  }

  /**
   * Takes a copy of {@code header}, and begins to copy the payload; tells {@code from} of {@code
   * cookie} when it is copied, never from inside this call. False if there is no room now.
   */
  boolean datagram(
      LossyLink from,
      ByteBuffer header,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie) {
    if (free.size() <= reserve) {
      return false;
    }
    int headerBytes = header.remaining();
    int slot = start(from, header);
    packets[slot].write = false;
    copy(slot, headerBytes, memory, offset, sizeBytes, cookie);
    return true;
  }

  /**
   * As {@link #datagram}, as a remote write. What the NIC reads by itself counts as copied when the
   * NIC is done with it. What cannot be posted by {@code untilNs} of the link's clock is dropped,
   * and the link told so.
   *
   * @throws io.tombolo.base.errors.UsageException if the memory was freed
   */
  boolean write(
      LossyLink from,
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie,
      long untilNs) {
    if (free.size() <= reserve) {
      return false;
    }
    int slot = free.remove();
    QueuedPacket packet = packets[slot];
    packet.from = from;
    packet.sizeBytes = 0;
    packet.write = true;
    packet.immediate = immediate;
    packet.remoteKey = remoteKey;
    packet.remoteAddress = remoteAddress;
    packet.untilNs = untilNs;
    from.slotTaken();
    if (sizeBytes > LossySizing.INLINE_BYTES && borrowed.take(slot, memory, offset)) {
      packet.sizeBytes = sizeBytes;
      packet.cookie = cookie;
      from.borrowed(sizeBytes);
      ready.add(slot);
    } else {
      copy(slot, 0, memory, offset, sizeBytes, cookie);
    }
    return true;
  }

  private int start(LossyLink from, ByteBuffer head) {
    int slot = free.remove();
    int position = head.position();
    packets[slot].from = from;
    packets[slot].sizeBytes = head.remaining();
    packets[slot].untilNs = PacketSender.ANY_TIME;
    packets[slot].hasWaited = false;
    pool.view(slot).clear().put(head);
    head.position(position);
    from.slotTaken();
    return slot;
  }

  private void copy(
      int slot, int at, LocalMemory memory, long offset, int payloadBytes, long cookie) {
    QueuedPacket packet = packets[slot];
    try {
      packet.ticket =
          payloadBytes == 0
              ? LocalMemory.DONE
              : memory.copyOut(offset, pool.address(slot) + at, payloadBytes);
    } catch (TomboloException e) {
      release(slot);
      throw e;
    }
    packet.from.copyStarted();
    packet.memory = memory;
    packet.cookie = cookie;
    packet.sizeBytes += payloadBytes;
    copying.add(packet.from.copiesOut(), slot);
  }

  /**
   * Hands over what is copied and has room; how many packets took a step. Whoever calls this for
   * one link moves what is others', too: what goes wrong with that is told to those.
   */
  int progress() {
    return copying.removeWhile(settle) + post();
  }

  /**
   * As {@link #progress()}, but of copies it looks only for those of {@code from}: each link does
   * this in each round, and each look may ask a device.
   */
  int progress(LossyLink from) {
    return copying.removeWhile(from.copiesOut(), settle) + post();
  }

  private int post() {
    int steps = postControl();
    for (; !ready.isEmpty() && post(ready.get(0)); steps++) {
      ready.remove();
    }
    return steps;
  }

  /** Those that find their queue pair full keep their order, and miss the turn of their channel. */
  private int postControl() {
    int posted = 0;
    for (int left = control.size(); left > 0; left--) {
      int slot = control.remove();
      if (post(slot)) {
        posted++;
      } else {
        packets[slot].hasWaited = true;
        control.add(slot);
      }
    }
    return posted;
  }

  /**
   * Whether the copy into {@code slot} is over. If nobody can tell any more, the slot stays with
   * its link, which is never quiet: the engine may still write there.
   */
  private boolean settle(int slot) {
    QueuedPacket packet = packets[slot];
    try {
      if (!isCopied(packet)) {
        return false;
      }
    } catch (TomboloException e) {
      packet.from.failure().onCopyLost(e);
      return true;
    }
    packet.memory = null;
    packet.from.onCopied(packet.cookie);
    ready.add(slot);
    return true;
  }

  /** Whether every packet has been handed over. */
  boolean isEmpty() {
    return copying.isEmpty() && control.isEmpty() && ready.isEmpty();
  }

  private static boolean isCopied(QueuedPacket packet) {
    return packet.ticket == LocalMemory.DONE || packet.memory.isDone(packet.ticket);
  }

  /**
   * Whether {@code slot} has left the queue: posted, or dropped: its channel is over, or its time.
   */
  private boolean post(int slot) {
    QueuedPacket packet = packets[slot];
    LossyLink from = packet.from;
    if (from.isOver()) {
      release(slot);
      return true;
    }
    boolean isTimed = packet.untilNs != PacketSender.ANY_TIME;
    if (isTimed && from.nowNs() > packet.untilNs) {
      tellTooLate(slot);
      release(slot);
      return true;
    }
    SendLane lane = from.laneFor(packet.write);
    if (!lane.hasRoom()) {
      return false;
    }
    try {
      add(lane, slot, packet);
    } catch (TomboloException e) { // of a batch that was full: this packet is in none
      from.failure().onPostRefused(e);
      release(slot);
      return true;
    }
    if (isTimed && (packet.write || packet.hasWaited)) { // one that has not is in its turn now
      flush(lane, from);
    }
    return true;
  }

  private void tellTooLate(int slot) {
    QueuedPacket packet = packets[slot];
    if (packet.write) {
      packet.from.onTooLate(packet.immediate, packet.sizeBytes, packet.cookie, borrowed.has(slot));
    } else {
      packet.from.onControlTooLate();
    }
  }

  /** A batch would wait for the turn of its channel. */
  private static void flush(SendLane lane, LossyLink from) {
    try {
      lane.flush();
    } catch (TomboloException e) { // the lane keeps the slots of what it was given
      from.failure().onPostRefused(e);
    }
  }

  private void add(SendLane lane, int slot, QueuedPacket packet) {
    int opcode = packet.write ? SendRequests.WRITE_WITH_IMMEDIATE : SendRequests.SEND;
    boolean isOurs = !borrowed.has(slot);
    long at = isOurs ? pool.address(slot) : borrowed.address(slot);
    int key = isOurs ? pool.localKey() : borrowed.localKey(slot);
    SendRequests request = lane.add(opcode, slot, at, packet.sizeBytes, key, isOurs);
    if (packet.write) {
      request.to(packet.remoteAddress, packet.remoteKey).immediate(packet.immediate);
    } else {
      packet.from.address(request);
    }
  }

  /** What tells of slots that the NIC no longer reads. */
  PostedSlots.Freed release() {
    return release;
  }

  private void release(int slot) {
    LossyLink from = packets[slot].from;
    if (borrowed.has(slot)) {
      boolean wasFreed = borrowed.isFreed(slot);
      borrowed.giveBack(slot);
      from.givenBack(packets[slot].cookie, wasFreed);
    }
    from.slotFreed();
    packets[slot].from = null;
    free.add(slot);
  }

  /** As {@link PacketPool#keepMapped}. */
  void keepMapped() {
    pool.keepMapped();
  }

  @Override
  public void close() {
    borrowed.close();
    pool.close();
  }
}
