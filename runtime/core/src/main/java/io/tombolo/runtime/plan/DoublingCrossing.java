// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.Cluster;
import java.util.ArrayList;
import java.util.List;

/**
 * A vector's way between the relays of all clusters by recursive {@link Doubling}.
 *
 * <p>Each message arrives in a place of its own, behind the vector, and is combined there: what is
 * still being sent is never written to.
 */
final class DoublingCrossing implements Crossing {
  private final CollectiveCall call;
  private final ImmutableList<Cluster> clusters;
  private final Sharding sharding;
  private final Stretch stretch;
  private final Interval lane;
  private final int mine;
  private final int worldSize;
  private final Doubling doubling;

  private final List<Arrival> arrivals = new ArrayList<>();

  /** What the relay of cluster {@code from} has sent here, in place {@code place} of the stage. */
  private record Arrival(int from, int place, int step) {}

  /** The crossing of {@code stretch}. */
  DoublingCrossing(Journey journey, Sharding sharding, Stretch stretch) {
    this.call = journey.call();
    this.clusters = journey.grouping().clusters();
    this.sharding = sharding;
    this.stretch = stretch;
    this.lane = stretch.owned();
    this.mine = journey.mine().index();
    this.worldSize = journey.grouping().size();
    this.doubling = new Doubling(clusters.size());
  }

  @Override
  public long stageElements() {
    return lane.length() * senders().size();
  }

  @Override
  public long scratchElements() {
    return 0;
  }

  /** The clusters that this one hears from, in order. */
  private List<Integer> senders() {
    if (doubling.isSpokenFor(mine)) {
      return List.of(mine - 1);
    }
    List<Integer> senders = new ArrayList<>();
    if (doubling.speaksForNext(mine)) {
      senders.add(mine + 1);
    }
    for (int round = 0; round < doubling.rounds(); round++) {
      senders.add(doubling.partner(mine, round));
    }
    return senders;
  }

  /** Who is spoken for combines nothing. */
  @Override
  public List<Interval> staged(SegmentBuilder steps) {
    boolean leaves =
        doubling.isSpokenFor(mine) && stretch.leavesDirectly(steps, relay(senders().get(0)));
    return leaves ? List.of() : List.of(lane);
  }

  @Override
  public void start(SegmentBuilder steps) {
    List<Integer> sent = new ArrayList<>();
    if (!doubling.speaksForNext(mine)) {
      sent.add(stretch.send(steps, relay(senders().get(0)), lane, lane.start()));
    }
    for (int from : senders()) {
      int place = arrivals.size() + 1;
      boolean overwrites = lands(steps) && stretch.endsWhereItBegins(steps);
      Range to = lands(steps) ? stretch.home(steps, lane) : place(steps, place);
      Action receive = new Action.Receive(relay(from), to, lane.start());
      arrivals.add(new Arrival(from, place, steps.add(receive, overwrites ? sent : List.of())));
    }
  }

  /** Whether the result comes from the speaker straight to where it belongs. */
  private boolean lands(SegmentBuilder steps) {
    return doubling.isSpokenFor(mine) && stretch.arrivesDirectly(steps, relay(mine - 1));
  }

  @Override
  public Outcome cross(SegmentBuilder steps) {
    Outcome outcome = new Outcome();
    if (lands(steps)) {
      outcome.landings().add(new Landing(lane, arrivals.get(0).step()));
    } else {
      outcome.finished().addAll(combineAll(steps));
    }
    return outcome;
  }

  /** The steps after which the result is on the stage. */
  private List<Integer> combineAll(SegmentBuilder steps) {
    if (doubling.isSpokenFor(mine)) {
      return List.of(arrivals.get(0).step());
    }
    List<Integer> done = stretch.staged();
    int last = arrivals.size() - 1;
    for (int i = 0; i <= last; i++) {
      done = List.of(combine(steps, arrivals.get(i), i, done));
      if (i < last) {
        send(steps, arrivals.get(i + 1).from(), i + 1, done);
      }
    }
    if (call.averages()) {
      done = List.of(steps.add(new Action.Divide(result(steps, lane), worldSize), done));
    }
    if (doubling.speaksForNext(mine)) {
      send(steps, mine + 1, last + 1, done);
    }
    return done;
  }

  /** What the lower clusters have is the left operand, on both sides of an exchange. */
  private int combine(SegmentBuilder steps, Arrival arrival, int before, List<Integer> ready) {
    List<Integer> after = new ArrayList<>(ready);
    after.add(arrival.step());
    Range own = place(steps, before);
    Range other = place(steps, arrival.place());
    Action combine =
        arrival.from() < mine
            ? new Action.Combine(other, own, other, call.reduction())
            : new Action.Combine(own, other, other, call.reduction());
    return steps.add(combine, after);
  }

  private void send(SegmentBuilder steps, int to, int place, List<Integer> after) {
    steps.add(new Action.Send(relay(to), place(steps, place), lane.start()), after);
  }

  @Override
  public Range result(SegmentBuilder steps, Interval part) {
    long place = arrivals.size() * lane.length();
    return steps.stage(place + part.start() - lane.start(), part.length());
  }

  private int relay(int cluster) {
    return sharding.relay(clusters.get(cluster), lane.start());
  }

  /** The vector itself is at place 0. */
  private Range place(SegmentBuilder steps, int place) {
    return steps.stage(place * lane.length(), lane.length());
  }
}
