// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import com.google.common.base.Ticker;
import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.reliable.PacketSender;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A wire on which things go wrong by seed, before a real one: packets get lost, late, repeated, out
 * of order; they wait for a link of some rate, and for one that is clogged.
 *
 * <p>What is held back lies in memory of its own, so that the memory of a send goes back as soon as
 * it is copied. Used by the thread of the wire it stands before; allocates nothing in steady state
 * but for remote writes. Such a one is held back as it is, unless it arrives twice: then both times
 * with a copy's bytes, as the sender does not know of the second.
 */
public final class FaultyWire implements PacketSender, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(FaultyWire.class);

  /** Headers of Ethernet, IP and UDP, which take their part of a link's rate. */
  private static final int FRAME_BYTES = 46;

  private final PacketSender wire;
  private final FaultPlan plan;
  private final FaultyLink link;
  private final FaultyLink back;
  private final Ticker ticker;
  private final LongConsumer onPosted;
  private final HeldPackets held;
  private final CookieQueue posted = new CookieQueue();
  private final long[] arrivalsNs = new long[FaultyLink.MAX_ARRIVALS];
  private final FaultCounters counters = new FaultCounters();

  /**
   * A faulty wire before {@code wire}.
   *
   * @param faults what goes wrong
   * @param packetBytes the longest packet
   * @param ticker the clock of delays
   * @param onPosted told of each chunk whose memory is not read any more, as the wire's owner is;
   *     only from inside {@link #progress}
   */
  public FaultyWire(
      PacketSender wire, Faults faults, int packetBytes, Ticker ticker, LongConsumer onPosted) {
    this.wire = wire;
    plan = faults.plan();
    link = FaultyLink.of(faults.seed());
    back = FaultyLink.of(faults.seed());
    this.ticker = ticker;
    this.onPosted = onPosted;
    held = new HeldPackets(packetBytes);
  }

  /** What has gone wrong so far. */
  public FaultCounters counters() {
    return counters;
  }

  @Override
  public boolean sendControl(ByteBuffer packet) {
    if (!hasRoom()) {
      return false;
    }
    int arrivals = carry(packet.remaining());
    if (arrivals > 0) {
      int slot = held.take(packet, 0);
      hold(slot, arrivals);
    }
    return true;
  }

  @Override
  public boolean sendDatagram(
      ByteBuffer header, LocalMemory memory, long offset, int sizeBytes, long cookie) {
    if (!hasRoom() || posted.isFull()) {
      return false;
    }
    int arrivals = carry(header.remaining() + sizeBytes);
    if (arrivals == 0) {
      posted.add(cookie, memory, LocalMemory.DONE);
      return true;
    }
    int slot = held.take(header, sizeBytes);
    long to = held.address(slot) + header.remaining();
    long ticket = sizeBytes == 0 ? LocalMemory.DONE : memory.copyOut(offset, to, sizeBytes);
    held.copying(slot, memory, ticket);
    posted.add(cookie, memory, ticket);
    hold(slot, arrivals);
    return true;
  }

  /** The delay here is as one of the network; only what is waited for longer counts. */
  @Override
  public boolean sendAgain(
      int immediate,
      int remoteKey,
      long remoteAddress,
      LocalMemory memory,
      long offset,
      int sizeBytes,
      long cookie,
      long untilNs) {
    if (!hasRoom() || posted.isFull()) {
      return false;
    }
    int arrivals = carry(sizeBytes);
    if (arrivals == 0) {
      posted.add(cookie, memory, LocalMemory.DONE);
      return true;
    }
    long spareNs = untilNs == ANY_TIME ? ANY_TIME : untilNs - ticker.read();
    int slot =
        held.take(immediate, remoteKey, remoteAddress, memory, offset, sizeBytes, cookie, spareNs);
    if (arrivals > 1) {
      long ticket =
          sizeBytes == 0 ? LocalMemory.DONE : memory.copyOut(offset, held.address(slot), sizeBytes);
      held.copying(slot, memory, ticket);
      held.keep(slot);
      posted.add(cookie, memory, ticket);
    }
    hold(slot, arrivals);
    return true;
  }

  private boolean hasRoom() {
    boolean room = held.hasRoom() && link.hasRoom(plan);
    counters.refused += room ? 0 : 1;
    return room;
  }

  /** How often a packet of {@code bytes} will arrive. */
  private int carry(int bytes) {
    counters.offered++;
    counters.bytesOffered += bytes + FRAME_BYTES;
    long departureNs = link.depart(plan, bytes + FRAME_BYTES, ticker.read());
    if (departureNs < 0) {
      counters.dropped++;
      return 0;
    }
    int arrivals = link.carry(plan, departureNs, back, arrivalsNs);
    counters.lost += arrivals == 0 ? 1 : 0;
    counters.repeated += arrivals > 1 ? 1 : 0;
    return arrivals;
  }

  private void hold(int slot, int arrivals) {
    for (int i = 0; i < arrivals; i++) {
      held.release(slot, arrivalsNs[i]);
    }
  }

  /** Passes on what is due; how many packets that were. */
  public int progress() {
    int done = 0;
    while (posted.isFirstDone()) {
      onPosted.accept(posted.remove());
      done++;
    }
    long nowNs = ticker.read();
    while (held.isDue(nowNs) && held.passFirst(wire)) {
      done++;
    }
    return done;
  }

  /** Whether no copy touches this wire's memory. */
  public boolean isQuiet() {
    return posted.isQuiet();
  }

  /** Drops what is held back; no copy may be under way. The log then says what has gone wrong. */
  @Override
  public void close() {
    held.close();
    log.info(
        "on purpose, of {} packets {} were lost, {} found a full queue, and {} came twice",
        counters.offered,
        counters.lost,
        counters.dropped,
        counters.repeated);
  }
}
