package io.tombolo.rdma.simulated;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Simulated time, and links between two or more nodes that go wrong by seed.
 *
 * <p>Single-threaded: {@link #step} runs one event after the other in order of time. Everything
 * random comes from the seed, so the same seed and the same use give the same {@link #traceHash}.
 */
public final class SimulatedNetwork {
  private final SplittableRandom random;
  private final int nodes;
  private final SimulatedLink[] links;
  private final SimulatedClock[] clocks;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private FaultPlan plan;
  private long nowNs;
  private long sequence;
  private long traceHash;

  /** A network of {@code nodes} nodes. */
  public SimulatedNetwork(long seed, FaultPlan plan, int nodes) {
    this.random = new SplittableRandom(seed);
    this.plan = plan;
    this.nodes = nodes;
    links = new SimulatedLink[nodes * nodes];
    for (int i = 0; i < links.length; i++) {
      links[i] = new SimulatedLink();
    }
    clocks = new SimulatedClock[nodes];
    for (int i = 0; i < nodes; i++) {
      clocks[i] =
          new SimulatedClock(
              upTo(2 * plan.clockOffsetMaxNs()) - plan.clockOffsetMaxNs(),
              (int) (upTo(2L * plan.clockDriftMaxPpm()) - plan.clockDriftMaxPpm()));
    }
  }

  /** Simulated time since the start. */
  public long nowNs() {
    return nowNs;
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
    return !chance(plan.refusalProbability());
  }

  /** Whether a slab slot can get a new key now. */
  boolean canFence() {
    return !chance(plan.fenceFailureProbability());
  }

  /** When a local completion of something that left at {@code departureNs} comes. */
  long completionNs(long departureNs) {
    return departureNs + upTo(plan.completionDelayMaxNs());
  }

  /** When a packet offered now has left for the wire; −1 if the queue drops it. */
  long departureNs(int from, int to, int bytes) {
    return link(from, to).depart(plan, bytes, nowNs);
  }

  /** Carries a packet that has just left, to be taken by {@code arrival} once, twice or never. */
  void carry(int from, int to, Runnable arrival) {
    disturb(from, to);
    SimulatedLink link = link(from, to);
    if (link.isSilent(nowNs) || chance(plan.lossProbability())) {
      return;
    }
    at(link.throughClog(nowNs + delayNs()), arrival);
    if (chance(plan.replayProbability())) {
      at(link.throughClog(nowNs + delayNs() + upTo(20 * plan.oneWayDelayMeanNs())), arrival);
    }
  }

  private void disturb(int from, int to) {
    if (chance(plan.clogProbability())) {
      link(from, to).clog(nowNs + exponential(plan.clogMeanNs()));
    }
    if (chance(plan.partitionProbability())) {
      long untilNs = nowNs + exponential(plan.partitionMeanNs());
      link(from, to).silence(untilNs);
      if (plan.symmetricPartitions()) {
        link(to, from).silence(untilNs);
      }
    }
  }

  private long delayNs() {
    long heldNs = chance(plan.reorderProbability()) ? upTo(plan.reorderDelayNs()) : 0;
    long spreadNs = plan.oneWayDelayMeanNs() - plan.oneWayDelayMinNs();
    return plan.oneWayDelayMinNs() + exponential(spreadNs) + heldNs;
  }

  /** Nothing goes wrong from now on. */
  public void heal() {
    plan = plan.healed();
    for (SimulatedLink link : links) {
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

  private SimulatedLink link(int from, int to) {
    return links[from * nodes + to];
  }

  private boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  private long upTo(long maximum) {
    return maximum <= 0 ? 0 : random.nextLong(maximum + 1);
  }

  private long exponential(long mean) {
    return mean <= 0 ? 0 : (long) (-mean * Math.log(1 - random.nextDouble()));
  }

  private record Event(long atNs, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNs, other.atNs);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }
}
