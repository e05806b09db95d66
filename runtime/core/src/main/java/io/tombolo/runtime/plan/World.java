// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.Multimaps;
import io.tombolo.topology.Clustering;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The programs of all ranks side by side, with what meets what: a global view for verification
 * only.
 */
final class World {

  /**
   * A step of one rank; {@code node} numbers it among all steps of the world.
   *
   * <p>In an {@link Order} it is two points: where it starts and reads, and where it has written
   * and ends.
   */
  record At(Plan plan, Step step, int node, Resource resource) {
    At(Plan plan, Step step, int node) {
      this(plan, step, node, Resource.of(step.action()));
    }

    int start() {
      return 2 * node;
    }

    int end() {
      return 2 * node + 1;
    }

    /** Bytes of the message, if it is one. */
    long sentBytes() {
      return step.action().crossElements() * plan.call().type().sizeBytes();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof At that && node == that.node;
    }

    @Override
    public int hashCode() {
      return node;
    }

    @Override
    public String toString() {
      return "rank "
          + plan.rank()
          + " step "
          + step.id()
          + " ("
          + step.action().getClass().getSimpleName()
          + ")";
    }
  }

  /** A message: a send and the receive it meets. */
  record Message(At send, At receive) {}

  private record Direction(int from, int to) {}

  private final ImmutableList<Plan> plans;
  private final ImmutableListMultimap<Integer, At> stepsOf;
  private final List<At> steps = new ArrayList<>();
  private final List<ImmutableList<Message>> channels = new ArrayList<>();
  private final List<ImmutableList<At>> vendorCalls = new ArrayList<>();
  private final Map<At, At> sendOf = new HashMap<>();
  private final Map<At, ImmutableList<At>> membersOf = new HashMap<>();

  World(Clustering clustering, List<Plan> plans) {
    this.plans = ImmutableList.copyOf(plans);
    plans.forEach(
        plan -> plan.steps().forEach(step -> steps.add(new At(plan, step, steps.size()))));
    this.stepsOf = Multimaps.index(steps, at -> at.plan().rank());
    matchMessages();
    clustering
        .clusters()
        .forEach(
            cluster ->
                matchCalls(
                    "members of cluster " + cluster.index(),
                    cluster.ranks(),
                    Resource.Kind.VENDOR));
    matchCalls(
        "ranks",
        plans.stream().map(Plan::rank).collect(ImmutableList.toImmutableList()),
        Resource.Kind.FLAT);
  }

  ImmutableList<Plan> plans() {
    return plans;
  }

  List<At> steps() {
    return steps;
  }

  /** The messages of each direction of each channel, in order. */
  List<ImmutableList<Message>> channels() {
    return channels;
  }

  /** The libraries' calls, each as its members' steps in member order. */
  List<ImmutableList<At>> vendorCalls() {
    return vendorCalls;
  }

  /** The send that {@code receive} meets. */
  At sendOf(At receive) {
    return sendOf.get(receive);
  }

  /** All members' steps of the library's call that {@code call} is part of. */
  ImmutableList<At> membersOf(At call) {
    return membersOf.get(call);
  }

  ImmutableList<At> stepsOf(int rank) {
    return stepsOf.get(rank);
  }

  private void matchMessages() {
    ListMultimap<Direction, At> sends = ArrayListMultimap.create();
    ListMultimap<Direction, At> receives = ArrayListMultimap.create();
    for (At at : steps) {
      if (at.step().action() instanceof Action.Send send) {
        sends.put(new Direction(at.plan().rank(), send.peer()), at);
      } else if (at.step().action() instanceof Action.Receive receive) {
        receives.put(new Direction(receive.peer(), at.plan().rank()), at);
      }
    }
    if (!sends.keySet().equals(receives.keySet())) {
      throw new PlanDefect(
          "messages from " + sends.keySet() + " but receives from " + receives.keySet());
    }
    for (Direction direction : sends.keySet()) {
      List<At> sent = sends.get(direction);
      List<At> received = receives.get(direction);
      if (sent.size() != received.size()) {
        throw new PlanDefect(
            direction + ": " + sent.size() + " sends meet " + received.size() + " receives");
      }
      ImmutableList.Builder<Message> messages = ImmutableList.builder();
      for (int i = 0; i < sent.size(); i++) {
        messages.add(meet(sent.get(i), received.get(i)));
        sendOf.put(received.get(i), sent.get(i));
      }
      channels.add(messages.build());
    }
  }

  private static Message meet(At sent, At received) {
    Action.Send send = (Action.Send) sent.step().action();
    Action.Receive receive = (Action.Receive) received.step().action();
    if (send.key() != receive.key() || send.from().length() != receive.to().length()) {
      throw new PlanDefect(sent + " " + send + " meets " + received + " " + receive);
    }
    return new Message(sent, received);
  }

  private void matchCalls(String who, List<Integer> ranks, Resource.Kind library) {
    List<List<At>> byMember = new ArrayList<>();
    for (int rank : ranks) {
      byMember.add(stepsOf(rank).stream().filter(at -> at.resource().kind() == library).toList());
    }
    if (byMember.stream().mapToInt(List::size).distinct().count() > 1) {
      throw new PlanDefect(who + " make different numbers of vendor calls");
    }
    for (int index = 0; index < byMember.get(0).size(); index++) {
      int call = index;
      ImmutableList<At> members =
          byMember.stream().map(calls -> calls.get(call)).collect(ImmutableList.toImmutableList());
      ImmutableList<At> group = sameCall(members);
      vendorCalls.add(group);
      group.forEach(member -> membersOf.put(member, group));
    }
  }

  /** Whether it is a call of a library, the vendor's or the host library. */
  static boolean isLibraryCall(At at) {
    return at.resource().kind() == Resource.Kind.VENDOR
        || at.resource().kind() == Resource.Kind.FLAT;
  }

  private static ImmutableList<At> sameCall(ImmutableList<At> members) {
    Action first = members.get(0).step().action();
    for (At member : members) {
      Action call = member.step().action();
      boolean same =
          first instanceof Action.IntraCall intra
              ? call instanceof Action.IntraCall other
                  && sameCall(intra, other)
                  && VendorRules.fits(other, members.indexOf(member), members.size())
              : call instanceof Action.Exchange exchange && isAnswered(members, member, exchange);
      if (!same) {
        throw new PlanDefect(members.get(0) + " " + first + " meets " + member + " " + call);
      }
    }
    return members;
  }

  private static boolean sameCall(Action.IntraCall one, Action.IntraCall other) {
    return one.primitive() == other.primitive()
        && one.op() == other.op()
        && one.root() == other.root()
        && VendorRules.count(one) == VendorRules.count(other);
  }

  /** Whether each message has one receiver that waits for it, and the other way round. */
  private static boolean isAnswered(
      ImmutableList<At> members, At member, Action.Exchange exchange) {
    int position = members.indexOf(member);
    for (int peer = 0; peer < members.size(); peer++) {
      if (!(members.get(peer).step().action() instanceof Action.Exchange other)
          || !lengths(exchange.sends(), peer).equals(lengths(other.receives(), position))
          || lengths(exchange.sends(), peer).size() > 1) {
        return false;
      }
    }
    return true;
  }

  private static List<Long> lengths(List<Action.Transfer> transfers, int position) {
    return transfers.stream()
        .filter(transfer -> transfer.position() == position)
        .map(transfer -> transfer.range().length())
        .toList();
  }
}
