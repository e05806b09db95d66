// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.HostPinner;
import io.tombolo.rdma.staged.SlotLines;
import io.tombolo.rdma.staged.SlotQueue;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Packets that have arrived, of all channels of a process. A slot whose payload a device's engine
 * still copies out is received into again only after that, and after those that the same channel
 * began before.
 */
final class UdpReceiver implements AutoCloseable {
  /** Told of each packet. */
  interface Arrivals {
    /**
     * A packet lies in {@code slot}, between position and limit of {@code packet}.
     *
     * @return the connection that may still be copying out of it, or null
     */
    UdpConnection onArrival(int slot, ByteBuffer packet, long nowNs);
  }

  private final UdpSocket socket;
  private final UdpCounters counters;
  private final PacketSlots slots;
  private final SlotQueue free;
  private final SlotLines held;
  private final UdpConnection[] holders;
  private final long[] copiesToFinish;
  private final IntPredicate release = this::release;
  private boolean lostSight;
  private final SlotQueue batch = new SlotQueue(PacketSlots.BATCH);

  UdpReceiver(UdpSocket socket, UdpCounters counters, int count, int slotBytes, HostPinner pinner) {
    this.socket = socket;
    this.counters = counters;
    slots = new PacketSlots(count, slotBytes, pinner);
    counters.slabBytes += slots.sizeBytes();
    free = SlotQueue.full(count);
    held = new SlotLines(count);
    holders = new UdpConnection[count];
    copiesToFinish = new long[count];
  }

  PacketSlots slots() {
    return slots;
  }

  /** Takes one batch from the kernel; how many packets that were. */
  int progress(Arrivals arrivals, long nowNs) {
    held.removeWhile(release);
    int count = Math.min(PacketSlots.BATCH, free.size());
    if (count == 0) {
      counters
          .receiveStalls++; // the kernel keeps them, then drops them, then the peer repeats them
      return 0;
    }
    for (int i = 0; i < count; i++) {
      slots.order(i, free.get(i));
    }
    int got = socket.receive(slots, count);
    for (int i = 0; i < got; i++) {
      batch.add(free.remove());
    }
    for (int i = 0; i < got; i++) {
      take(batch.remove(), arrivals, nowNs);
    }
    return got;
  }

  private void take(int slot, Arrivals arrivals, long nowNs) {
    int bytes = slots.sizeBytes(slot);
    counters.packetsReceived++;
    counters.bytesReceived += bytes;
    UdpConnection holder =
        arrivals.onArrival(slot, slots.view(slot).position(0).limit(bytes), nowNs);
    if (holder == null || holder.hasLostSight()) {
      free.add(slot);
      return;
    }
    holders[slot] = holder;
    copiesToFinish[slot] = holder.copiesStarted();
    held.add(holder.copiesIn(), slot);
  }

  /** Whether {@code slot} is no longer held. */
  private boolean release(int slot) {
    boolean isFinished = holders[slot].copiesFinished() >= copiesToFinish[slot];
    if (!isFinished && !holders[slot].hasLostSight()) {
      return false;
    }
    holders[slot] = null;
    if (isFinished) {
      free.add(slot);
    } else {
      lostSight = true; // the engine may still read there: the slot is used no more
    }
    return true;
  }

  /** Whether no copy touches a slot. */
  boolean isQuiet() {
    held.removeWhile(release);
    return held.isEmpty() && !lostSight;
  }

  @Override
  public void close() {
    slots.close();
  }
}
