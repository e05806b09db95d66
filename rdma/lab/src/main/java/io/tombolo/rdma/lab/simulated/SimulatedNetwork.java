// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.simulated;

import io.tombolo.rdma.faulty.Dice;
import io.tombolo.rdma.faulty.FaultPlan;
import io.tombolo.rdma.faulty.FaultyLink;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Simulated time, and links between two or more nodes that go wrong by seed.
 *
 * <p>Single-threaded: {@link #step} runs one event after the other in order of time. Everything
 * random comes from the seed, so the same seed and the same use give the same {@link #traceHash}.
 */
public final class SimulatedNetwork {
  private final Dice dice;
  private final int nodes;
  private final FaultyLink[] links;
  private final SimulatedClock[] clocks;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final long[] arrivalsNs = new long[FaultyLink.MAX_ARRIVALS];
  private FaultPlan plan;
  private long nowNs;
  private long sequence;
  private long traceHash;
  private long wirePackets;
  private long wireBytes;

  /** A network of {@code nodes} nodes. */
  public SimulatedNetwork(long seed, FaultPlan plan, int nodes) {
    this.dice = new Dice(new SplittableRandom(seed));
    this.plan = plan;
    this.nodes = nodes;
    links = new FaultyLink[nodes * nodes];
    for (int i = 0; i < links.length; i++) {
      links[i] = new FaultyLink(dice);
    }
    clocks = new SimulatedClock[nodes];
    for (int i = 0; i < nodes; i++) {
      clocks[i] =
          new SimulatedClock(
              dice.upTo(2 * plan.clockOffsetMaxNs()) - plan.clockOffsetMaxNs(),
              (int) (dice.upTo(2L * plan.clockDriftMaxPpm()) - plan.clockDriftMaxPpm()));
    }
  }

  /** Simulated time since the start. */
  public long nowNs() {
    return nowNs;
  }

  /** Packets that nodes have sent, lost ones included. */
  public long wirePackets() {
    return wirePackets;
  }

  /** Bytes of them, headers included. */
  public long wireBytes() {
    return wireBytes;
  }

  /** What {@code node} takes for the time. */
  public long clockNs(int node) {
    return clocks[node].localNs(nowNs);
  }

  /** The true time at which {@code node}'s clock shows {@code localNs}. */
  public long trueNs(int node, long localNs) {
    return clocks[node].trueNs(localNs);
  }

  /** Runs {@code action} at {@code atNs} of true time, or now if that is past. */
  public void at(long atNs, Runnable action) {
    events.add(new Event(Math.max(atNs, nowNs), sequence++, action));
  }

  /** Whether the wire of some node has room for a packet now. */
  boolean hasRoom() {
    return !dice.chance(plan.refusalProbability());
  }

  /** Whether a slab slot can get a new key now. */
  boolean canFence() {
    return !dice.chance(plan.fenceFailureProbability());
  }

  /** The turns that a process of its own has on some node. */
  SimulatedTurns turns() {
    return new SimulatedTurns(dice);
  }

  /** When a process with these {@code turns} runs next: now, unless others have their turn. */
  long turnNs(SimulatedTurns turns) {
    return turns.nextNs(plan, nowNs);
  }

  /** When a local completion of something that left at {@code departureNs} comes. */
  long completionNs(long departureNs) {
    return departureNs + dice.upTo(plan.completionDelayMaxNs());
  }

  /** Whether a packet offered now is marked on its way: others wait for the link. */
  boolean marks(int from, int to) {
    return link(from, to).marks(plan, nowNs);
  }

  /** When a packet offered now has left for the wire; −1 if the queue drops it. */
  long departureNs(int from, int to, int bytes) {
    wirePackets++;
    wireBytes += bytes;
    return link(from, to).depart(plan, bytes, nowNs);
  }

  /** Carries a packet that has just left, to be taken by {@code arrival} once, twice or never. */
  void carry(int from, int to, Runnable arrival) {
    int copies = link(from, to).carry(plan, nowNs, link(to, from), arrivalsNs);
    for (int i = 0; i < copies; i++) {
      at(arrivalsNs[i], arrival);
    }
  }

  /** The links are as {@code newPlan} says from now on; clocks go on as they do. */
  public void become(FaultPlan newPlan) {
    plan = newPlan;
  }

  /** Nothing goes wrong from now on. */
  public void heal() {
    plan = plan.healed();
    for (FaultyLink link : links) {
      link.heal();
    }
  }

  /** Runs the next event; false if there is none. */
  public boolean step() {
    Event event = events.poll();
    if (event == null) {
      return false;
    }
    nowNs = event.atNs;
    event.action.run();
    return true;
  }

  /** Takes {@code what} that happened now into the trace. */
  void trace(long what) {
    traceHash = (traceHash ^ nowNs * 31 + what) * 0x9E3779B97F4A7C15L;
    traceHash ^= traceHash >>> 29;
  }

  /** A digest of everything that arrived, and when. */
  public long traceHash() {
    return traceHash;
  }

  private FaultyLink link(int from, int to) {
    return links[from * nodes + to];
  }

  private record Event(long atNs, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNs, other.atNs);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }
}
