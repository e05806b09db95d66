// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import io.tombolo.base.Primitive;
import io.tombolo.runtime.plan.JobTime.Unit;
import io.tombolo.topology.machine.LinkCost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Plays plans through in simulated time. A step starts when all it waits for has ended and its unit
 * is free; a vendor call when all members have come to it. A message occupies its sender's way out
 * for α + β·bytes, as who sends several starts one after the other, and its receiver's way in for
 * β·bytes.
 */
final class Timeline {
  private final PlanContext context;
  private final Map<Integer, Prices> prices = new HashMap<>();
  private final List<Player> players = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final PriorityQueue<Node> ready =
      new PriorityQueue<>(
          Comparator.comparingLong((Node node) -> node.readyPs).thenComparingInt(node -> node.id));

  /** One rank: when each of its units is free again, and how long it was busy. */
  private static final class Player {
    private final Plan plan;
    private final EnumMap<Unit, Long> freePs = new EnumMap<>(Unit.class);
    private final EnumMap<Unit, Long> busyPs = new EnumMap<>(Unit.class);
    private long endPs;

    Player(Plan plan) {
      this.plan = plan;
      for (Unit unit : Unit.values()) {
        freePs.put(unit, 0L);
        busyPs.put(unit, 0L);
      }
    }

    /** When {@code unit} has worked {@code timePs}, not starting before {@code fromPs}. */
    long occupy(Unit unit, long fromPs, long timePs) {
      long end = Math.max(fromPs, freePs.get(unit)) + timePs;
      freePs.put(unit, end);
      busyPs.merge(unit, timePs, Long::sum);
      endPs = Math.max(endPs, end);
      return end;
    }
  }

  /** A step of a rank. */
  private static final class Node {
    private final int id;
    private final Player player;
    private final Action action;
    private final List<Node> next = new ArrayList<>(2);
    private Meeting meeting;
    private int waitsFor;
    private long readyPs;

    Node(int id, Player player, Action action) {
      this.id = id;
      this.player = player;
      this.action = action;
    }

    void waitFor(Node earlier) {
      earlier.next.add(this);
      waitsFor++;
    }
  }

  /** The members' steps of one vendor call. */
  private static final class Meeting {
    private final List<Node> members = new ArrayList<>();
    private int came;
  }

  private record Route(int from, int to, int ordinal) {}

  /** Stands for all clusters at once. */
  private static final int FLAT = -1;

  private record VendorCall(int cluster, int ordinal) {}

  Timeline(PlanContext context, List<Plan> plans) {
    this.context = context;
    context
        .clustering()
        .clusters()
        .forEach(cluster -> prices.put(cluster.index(), Prices.of(context, cluster)));
    Map<Route, Node> sends = new HashMap<>();
    Map<Route, Node> receives = new HashMap<>();
    Map<VendorCall, Meeting> meetings = new HashMap<>();
    plans.forEach(plan -> add(plan, sends, receives, meetings));
    receives.forEach((route, receive) -> match(route, receive, sends));
  }

  private void add(
      Plan plan,
      Map<Route, Node> sends,
      Map<Route, Node> receives,
      Map<VendorCall, Meeting> meetings) {
    Player player = new Player(plan);
    players.add(player);
    int first = nodes.size();
    Map<Resource, Node> last = new HashMap<>();
    Map<Resource, Integer> counts = new HashMap<>();
    for (Step step : plan.steps()) {
      Node node = new Node(nodes.size(), player, step.action());
      nodes.add(node);
      step.after().forEach(id -> node.waitFor(nodes.get(first + id)));
      Resource resource = Resource.of(step.action());
      if (last.containsKey(resource)) {
        node.waitFor(last.get(resource));
      }
      last.put(resource, node);
      int ordinal = counts.merge(resource, 1, Integer::sum);
      switch (resource.kind()) {
        case SEND -> sends.put(new Route(plan.rank(), resource.peer(), ordinal), node);
        case RECEIVE -> receives.put(new Route(resource.peer(), plan.rank(), ordinal), node);
        case VENDOR, FLAT -> {
          boolean flat = resource.kind() == Resource.Kind.FLAT;
          VendorCall call = new VendorCall(flat ? FLAT : clusterOf(plan.rank()), ordinal);
          node.meeting = meetings.computeIfAbsent(call, unused -> new Meeting());
          node.meeting.members.add(node);
        }
        case COPY, HOST -> {}
      }
    }
  }

  /** Without the sender's plan, it is taken to send when this rank sends to it. */
  private static void match(Route route, Node receive, Map<Route, Node> sends) {
    Node send = sends.get(route);
    if (send != null) {
      receive.waitFor(send);
      return;
    }
    Node mirrored = sends.get(new Route(route.to(), route.from(), route.ordinal()));
    if (mirrored != null && mirrored.id < receive.id) {
      receive.waitFor(mirrored);
    }
  }

  JobTime run() {
    nodes.stream().filter(node -> node.waitsFor == 0).forEach(ready::add);
    int done = 0;
    while (!ready.isEmpty()) {
      Node node = ready.remove();
      done += play(node);
    }
    if (done != nodes.size()) {
      throw new PlanDefect("of " + nodes.size() + " steps only " + done + " can ever start");
    }
    return new JobTime(
        players.stream()
            .map(
                player ->
                    new JobTime.RankTime(
                        player.plan.rank(), player.endPs, Maps.immutableEnumMap(player.busyPs)))
            .collect(ImmutableList.toImmutableList()));
  }

  /** Plays a step, or all members' steps once the last has come; the number of steps played. */
  private int play(Node node) {
    if (node.meeting == null) {
      end(node, alone(node));
      return 1;
    }
    Meeting meeting = node.meeting;
    meeting.came++;
    if (meeting.came < meeting.members.size()) {
      return 0;
    }
    long timePs = vendorPs(meeting);
    for (Node member : meeting.members) {
      end(member, member.player.occupy(Unit.VENDOR, node.readyPs, timePs));
    }
    return meeting.members.size();
  }

  private void end(Node node, long endPs) {
    for (Node next : node.next) {
      next.readyPs = Math.max(next.readyPs, endPs);
      if (--next.waitsFor == 0) {
        ready.add(next);
      }
    }
  }

  private long alone(Node node) {
    Player player = node.player;
    long elements =
        node.action instanceof Action.Flush
            ? 0
            : node.action.writes().stream().mapToLong(Range::length).sum();
    long sizeBytes = elements * player.plan.call().type().sizeBytes();
    return switch (Resource.of(node.action).kind()) {
      case SEND -> {
        long sent = node.action.crossElements() * player.plan.call().type().sizeBytes();
        yield player.occupy(Unit.OUT, node.readyPs, message(node).timePs(sent));
      }
      case RECEIVE -> receive(node, Prices.transferPs(message(node), sizeBytes));
      case COPY -> player.occupy(Unit.COPY, node.readyPs, prices(node).copy().timePs(sizeBytes));
      case HOST -> player.occupy(Unit.HOST, node.readyPs, prices(node).host().timePs(sizeBytes));
      case VENDOR, FLAT -> throw new IllegalStateException("members make a vendor call together");
    };
  }

  /** The last byte arrives when it is ready; by then the way in was busy with it. */
  private static long receive(Node node, long timePs) {
    return node.player.occupy(Unit.IN, Math.max(0, node.readyPs - timePs), timePs);
  }

  private long vendorPs(Meeting meeting) {
    Node any = meeting.members.get(0);
    int members = context.clustering().clusterOf(any.player.plan.rank()).size();
    long largest = meeting.members.stream().mapToLong(Timeline::largestBytes).max().orElse(0);
    if (Resource.of(any.action).kind() == Resource.Kind.FLAT) {
      return prices(any).flatPs(largest);
    }
    Primitive primitive =
        any.action instanceof Action.IntraCall call ? call.primitive() : Primitive.SEND;
    return prices(any).vendorPs(primitive, members, largest);
  }

  private static long largestBytes(Node node) {
    long in = node.action.reads().stream().mapToLong(each -> bytes(node, each)).sum();
    long out = node.action.writes().stream().mapToLong(each -> bytes(node, each)).sum();
    return Math.max(in, out);
  }

  private static long bytes(Node node, Range range) {
    return range.length() * node.player.plan.call().type().sizeBytes();
  }

  private LinkCost message(Node node) {
    int rank = node.player.plan.rank();
    String host = context.clustering().site(rank).hostId();
    String there = context.clustering().site(Resource.of(node.action).peer()).hostId();
    return prices(node).message(host.equals(there));
  }

  private Prices prices(Node node) {
    return prices.get(clusterOf(node.player.plan.rank()));
  }

  private int clusterOf(int rank) {
    return context.clustering().clusterOf(rank).index();
  }
}
