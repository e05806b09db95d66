// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.udp;

import io.tombolo.base.HostPinner;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.staged.SlotLines;
import io.tombolo.rdma.staged.SlotQueue;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packets on their way out, of all channels of a process: built in slots, where a device's engine
 * may still be copying their payload in, then handed to the kernel in batches. One copy that never
 * ends holds up its own channel alone.
 *
 * <p>The last slots are kept for acknowledgements and the like: payload never holds them up.
 */
final class UdpTransmitter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(UdpTransmitter.class);

  private final UdpSocket socket;
  private final UdpCounters counters;
  private final PacketSlots slots;
  private final SlotQueue free;
  private final SlotLines copying;
  private final SlotQueue ready;
  private final int reserve;
  private final LocalMemory[] memories;
  private final long[] tickets;
  private final Owner[] owners;
  private final long[] cookies;
  private final IntPredicate settle = this::settle;
  private boolean lostSight;

  /** Whose payload is copied into slots; told of it in whosever call that comes out. */
  interface Owner {
    /** In which its slots wait for their copies. */
    SlotLines.Line copiesOut();

    /** What {@code cookie} stands for is copied. */
    void onPosted(long cookie);

    /** A device does not say whether it has copied; nobody else is to suffer from that. */
    void onRefused(TomboloException why);
  }

  UdpTransmitter(
      UdpSocket socket, UdpCounters counters, int count, int slotBytes, HostPinner pinner) {
    this.socket = socket;
    this.counters = counters;
    slots = new PacketSlots(count, slotBytes, pinner);
    counters.slabBytes += slots.sizeBytes();
    free = SlotQueue.full(count);
    copying = new SlotLines(count);
    ready = new SlotQueue(count);
    reserve = count / 8;
    memories = new LocalMemory[count];
    tickets = new long[count];
    owners = new Owner[count];
    cookies = new long[count];
  }

  /** Takes a copy of {@code packet} for {@code to}; false if there is no room now. */
  boolean packet(UdpPath to, ByteBuffer packet) {
    if (free.isEmpty() || packet.remaining() > slots.slotBytes()) {
      return false;
    }
    int slot = start(to, packet, 0);
    ready.add(slot);
    return true;
  }

  /**
   * Takes a copy of {@code header}, and begins to copy the payload; tells {@code owner} of {@code
   * cookie} when it is copied, never from inside this call. False if there is no room now.
   */
  boolean datagram(
      UdpPath to,
      ByteBuffer header,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      Owner owner,
      long cookie) {
    if (free.size() <= reserve) {
      counters.slotsExhausted++;
      return false;
    }
    int headerBytes = header.remaining();
    int slot = start(to, header, sizeBytes);
    try {
      tickets[slot] =
          sizeBytes == 0
              ? LocalMemory.DONE
              : memory.copyOut(offset, slots.address(slot) + headerBytes, sizeBytes);
    } catch (TomboloException e) {
      free.add(slot);
      throw e;
    }
    memories[slot] = memory;
    owners[slot] = owner;
    cookies[slot] = cookie;
    copying.add(owner.copiesOut(), slot);
    return true;
  }

  private int start(UdpPath to, ByteBuffer head, int payloadBytes) {
    int slot = free.remove();
    int from = head.position();
    slots.setPath(slot, to);
    slots.setSizeBytes(slot, head.remaining() + payloadBytes);
    slots.view(slot).clear().put(head);
    head.position(from);
    return slot;
  }

  /** Moves what can be moved; how many packets took a step. */
  int progress() {
    return settle() + flush();
  }

  private int settle() {
    return copying.removeWhile(settle);
  }

  /** Whether the copy into {@code slot} is over, or nobody can tell any more. */
  private boolean settle(int slot) {
    Owner owner = owners[slot];
    try {
      if (!isCopied(slot)) {
        return false;
      }
    } catch (TomboloException e) {
      lostSight = true; // the engine may still write there: the slot is used no more
      owner.onRefused(e);
      return true;
    }
    ready.add(slot);
    memories[slot] = null;
    owners[slot] = null;
    owner.onPosted(cookies[slot]);
    return true;
  }

  private boolean isCopied(int slot) {
    return tickets[slot] == LocalMemory.DONE || memories[slot].isDone(tickets[slot]);
  }

  private int flush() {
    int flushed = 0;
    while (!ready.isEmpty()) {
      int batch = Math.min(PacketSlots.BATCH, ready.size());
      for (int i = 0; i < batch; i++) {
        slots.order(i, ready.get(i));
      }
      int sent = socket.send(slots, batch);
      if (sent == UdpSystem.AGAIN || sent == UdpSystem.NO_BUFFERS) {
        break;
      }
      counters.sendCalls++;
      flushed += sent > 0 ? sent(sent) : dropFirst(-sent);
    }
    return flushed;
  }

  private int sent(int count) {
    for (int i = 0; i < count; i++) {
      int slot = ready.remove();
      counters.packetsSent++;
      counters.bytesSent += slots.sizeBytes(slot);
      free.add(slot);
    }
    return count;
  }

  /** Like a packet lost on the way: who waits for it in vain gives up in time, and says so. */
  private int dropFirst(int errno) {
    int slot = ready.remove();
    if (counters.unsendable++ == 0 && log.isDebugEnabled()) {
      log.debug(
          "a datagram of {} bytes to {} cannot be sent: errno {}",
          slots.sizeBytes(slot),
          slots.peer(slot),
          errno);
    }
    free.add(slot);
    return 1;
  }

  /** Whether every packet has left. */
  boolean isEmpty() {
    return copying.isEmpty() && ready.isEmpty();
  }

  /** Whether no copy touches a slot. */
  boolean isQuiet() {
    settle();
    return copying.isEmpty() && !lostSight;
  }

  @Override
  public void close() {
    slots.close();
  }
}
