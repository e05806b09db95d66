// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.HostPinner;
import io.tombolo.rdma.staged.SlotLines;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Receives posted for all channels of a process. A slot whose payload a device's engine still
 * copies out is posted again only after that, and after those that the same channel began before.
 */
final class Incoming implements AutoCloseable {
  /** What the NIC puts before a datagram: the global route header. */
  private static final int ROUTE_HEADER_BYTES = 40;

  private static final int BATCH = 64;

  private final PacketPool pool;
  private final ReceiveQueue queue;
  private final int headerBytes;
  private final Marks marks;
  private final ReceiveRequests requests;
  private final SlotLines held;
  private final LossyLink[] holders;
  private final long[] copiesToFinish;
  private final IntPredicate release = this::release;

  /** Posts {@code slots} receives of {@code packetBytes} each to {@code queue} of {@code nic}. */
  Incoming(
      NicPort nic,
      ReceiveQueue queue,
      boolean datagrams,
      int slots,
      int packetBytes,
      HostPinner pinner) {
    this.queue = queue;
    headerBytes = datagrams ? ROUTE_HEADER_BYTES : 0;
    marks = datagrams ? Marks.on(nic.card()) : Marks.NONE;
    held = new SlotLines(slots);
    holders = new LossyLink[slots];
    copiesToFinish = new long[slots];
    try (CloseStack stack = new CloseStack()) {
      requests = stack.opened(new ReceiveRequests(BATCH));
      pool = stack.opened(new PacketPool(nic.domain(), slots, headerBytes + packetBytes, pinner));
      for (int slot = 0; slot < slots; slot++) {
        repost(slot);
      }
      flush();
      stack.keep();
    }
  }

  /** The packet of {@code receivedBytes} in {@code slot}, between position and limit. */
  ByteBuffer packet(int slot, int receivedBytes) {
    int end = Math.max(headerBytes, Math.min(receivedBytes, pool.slotBytes()));
    return pool.view(slot).position(0).limit(end).position(headerBytes);
  }

  /** Whether the packet in {@code slot} came marked: a queue on its way is long. */
  boolean isMarked(int slot) {
    return marks.isMarked(pool.view(slot));
  }

  /** The host address of the packet in {@code slot}. */
  long address(int slot) {
    return pool.address(slot) + headerBytes;
  }

  /** {@code holder} may still be copying out of {@code slot}; null if nobody does. */
  void giveBack(int slot, LossyLink holder) {
    if (holder == null || holder.hasLostSight()) {
      repost(slot);
      return;
    }
    holders[slot] = holder;
    copiesToFinish[slot] = holder.copiesStarted();
    held.add(holder.copiesIn(), slot);
  }

  private void repost(int slot) {
    if (requests.isFull()) {
      post();
    }
    requests.add(slot, pool.address(slot), pool.slotBytes(), pool.localKey());
  }

  /** Posts what was given back, in one call. */
  void flush() {
    held.removeWhile(release);
    post();
  }

  private void post() {
    if (!requests.isEmpty()) {
      requests.postTo(queue);
    }
  }

  /** Whether {@code slot} is no longer held. */
  private boolean release(int slot) {
    boolean isFinished = holders[slot].copiesFinished() >= copiesToFinish[slot];
    if (!isFinished && !holders[slot].hasLostSight()) {
      return false;
    }
    if (isFinished) { // else the engine may still read there, and the slot is used no more
      repost(slot);
    }
    holders[slot] = null;
    return true;
  }

  /** As {@link PacketPool#keepMapped}. */
  void keepMapped() {
    pool.keepMapped();
  }

  @Override
  public void close() {
    requests.close();
    pool.close();
  }
}
