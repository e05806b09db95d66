// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import io.tombolo.rdma.ChannelRoom;
import io.tombolo.runtime.plan.World.At;
import io.tombolo.runtime.plan.World.Message;
import io.tombolo.topology.Clustering;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves all ranks' plans for one call right together, without hardware: it runs them on sets of
 * contributors instead of numbers.
 *
 * <p>A {@link PlanDefect} is thrown unless every step keeps to the {@link StepRules}; every message
 * meets its receive and every library's call its members; nothing can wait for itself, with the
 * room that channels have; nothing reads what was not written; two overlapping accesses of which
 * one writes are ordered by happens-before; nothing but a flush touches what a message left in
 * device memory, before that flush; clusters' partial results combine in ascending order; and in
 * the end every rank's output holds every rank's contribution to every element exactly once, all
 * ranks have combined the same elements in one {@linkplain Operands order}, and all else of the
 * caller's is as it was.
 */
public final class PlanVerifier {
  private final Clustering clustering;
  private final CollectiveCall call;
  private final CallSemantics shape;
  private final World world;
  private final List<SymbolicMemory> memories = new ArrayList<>();

  private PlanVerifier(Clustering clustering, List<Plan> plans) {
    this.clustering = clustering;
    this.call = plans.get(0).call();
    this.shape = new CallSemantics(plans.stream().map(Plan::call).toList());
    this.world = new World(clustering, plans);
  }

  /**
   * Verifies the plans of ranks 0 … n-1, in this order, for channels of any fabric: what gets by
   * with the least room gets by with more.
   */
  public static void verify(Clustering clustering, List<Plan> plans) {
    verify(clustering, plans, ChannelRoom.LEAST);
  }

  /** Verifies the plans of ranks 0 … n-1, in this order, for channels with {@code room}. */
  static void verify(Clustering clustering, List<Plan> plans, ChannelRoom room) {
    PlanVerifier verifier = new PlanVerifier(clustering, plans);
    plans.forEach(
        plan ->
            verifier.world.stepsOf(plan.rank()).forEach(new StepRules(clustering, plan)::check));
    Order happensBefore = verifier.happensBefore();
    int[] sorted = Progress.check(verifier.world, room, happensBefore);
    verifier.checkRaces(new Reachability(happensBefore, sorted), sorted);
    verifier.interpret(sorted);
    verifier.checkResults();
    verifier.checkSameBits();
  }

  /**
   * What really happens before what: local dependencies, data that travels, and the order of the
   * library's stream.
   */
  private Order happensBefore() {
    Order order = new Order(2 * world.steps().size());
    for (At at : world.steps()) {
      order.before(at.start(), at.end());
      int first = at.node() - at.step().id();
      at.step().after().forEach(earlier -> order.before(2 * (first + earlier) + 1, at.start()));
    }
    for (ImmutableList<Message> messages : world.channels()) {
      messages.forEach(message -> order.before(message.send().start(), message.receive().end()));
    }
    for (ImmutableList<At> members : world.vendorCalls()) {
      for (int from = 0; from < members.size(); from++) {
        for (int to = 0; to < members.size(); to++) {
          if (from != to && VendorSemantics.flows(members, from, to)) {
            order.before(members.get(from).start(), members.get(to).end());
          }
        }
      }
    }
    for (Plan plan : world.plans()) {
      inProgramOrder(order, callsOf(plan.rank(), Resource.Kind.VENDOR));
      inProgramOrder(order, callsOf(plan.rank(), Resource.Kind.FLAT));
    }
    return order;
  }

  private List<At> callsOf(int rank, Resource.Kind library) {
    return world.stepsOf(rank).stream().filter(at -> at.resource().kind() == library).toList();
  }

  private static void inProgramOrder(Order order, List<At> steps) {
    for (int i = 1; i < steps.size(); i++) {
      order.before(steps.get(i - 1).end(), steps.get(i).start());
    }
  }

  private void checkRaces(Reachability order, int[] points) {
    List<Races> races = new ArrayList<>();
    world.plans().forEach(plan -> races.add(new Races(world.stepsOf(plan.rank()), order)));
    for (int point : points) {
      At at = world.steps().get(point / 2);
      if (point == at.start()) {
        races.get(at.plan().rank()).take(at);
      }
    }
  }

  private void interpret(int[] points) {
    world.plans().forEach(plan -> memories.add(initial(plan)));
    List<List<Contents>> read = new ArrayList<>();
    world.steps().forEach(step -> read.add(new ArrayList<>()));
    for (int point : points) {
      At at = world.steps().get(point / 2);
      SymbolicMemory memory = memories.get(at.plan().rank());
      if (point % 2 == 0) {
        for (Range range : at.step().action().reads()) {
          read.get(at.node()).add(memory.read(range, at));
        }
        checkFlushed(memory, at, at.step().action().reads());
      } else {
        checkFlushed(memory, at, at.step().action().writes());
        write(memory, at, read);
      }
    }
  }

  private static void checkFlushed(SymbolicMemory memory, At at, List<Range> ranges) {
    if (!(at.step().action() instanceof Action.Flush)) {
      ranges.forEach(range -> memory.checkFlushed(range, at));
    }
  }

  private void write(SymbolicMemory memory, At at, List<List<Contents>> read) {
    List<Contents> mine = read.get(at.node());
    Action action = at.step().action();
    checkMeaning(at.plan().call().reduction(), at);
    if (action instanceof Action.Copy copy) {
      memory.write(copy.to(), mine.get(0));
    } else if (action instanceof Action.Combine combine) {
      boolean strictly = call.reduction() instanceof Reduction.UserDefined;
      memory.write(
          combine.into(),
          mine.get(0).zip(mine.get(1), (left, right) -> left.foldedWith(right, strictly, at)));
    } else if (action instanceof Action.Divide divide) {
      memory.write(
          divide.range(),
          mine.get(0).map(value -> value.dividedBy(divide.divisor(), clustering.size(), at)));
    } else if (action instanceof Action.Scale scale) {
      memory.write(scale.range(), mine.get(0).map(value -> value.scaledOnce(at)));
    } else if (action instanceof Action.Receive receive) {
      Contents sent = read.get(world.sendOf(at).node()).get(0);
      if (receive.to().space() == Space.STAGE) {
        memory.write(receive.to(), sent);
      } else {
        memory.post(receive.to(), sent);
      }
    } else if (action instanceof Action.Flush flush) {
      memory.flush(flush.range(), at);
    } else if (action instanceof Action.IntraCall intra) {
      memory.write(intra.output(), VendorSemantics.result(world.membersOf(at), at, read));
    } else if (action instanceof Action.Exchange exchange) {
      ImmutableList<At> members = world.membersOf(at);
      for (Action.Transfer receive : exchange.receives()) {
        memory.write(
            receive.range(), VendorSemantics.received(members, at, receive.position(), read));
      }
    }
  }

  /** A step combines as its call does, and scales by its rank's factor. */
  private static void checkMeaning(Reduction reduction, At at) {
    Action action = at.step().action();
    boolean meant =
        action instanceof Action.Combine combine
            ? combine.reduction().equals(reduction)
            : action instanceof Action.Scale scale
                ? reduction.equals(new Reduction.PreMultiplied(scale.factor()))
                : !(action instanceof Action.IntraCall intra && intra.primitive().isReducing())
                    || intra.op() == reduction.inner()
                    || reduction.equals(new Reduction.By(intra.op()));
    if (!meant) {
      throw new PlanDefect(at + " " + action + " is not what a reduction" + reduction + " does");
    }
  }

  private SymbolicMemory initial(Plan plan) {
    SymbolicMemory memory = new SymbolicMemory(plan.rank());
    for (CallSemantics.Stretch given : shape.inputs(plan.rank())) {
      Range range = buffers(plan).in(given.offset(), given.length());
      memory.write(
          range, Contents.of(given.length(), Value.given(given.contributors(), given.id())));
    }
    return memory;
  }

  private Buffers buffers(Plan plan) {
    return new Buffers(plan.call(), plan.rank(), clustering.size());
  }

  /**
   * The caller's buffers hold what the call says, what it does not speak of is as it was, and the
   * gaps between blocks are untouched.
   */
  private void checkResults() {
    for (Plan plan : world.plans()) {
      SymbolicMemory wanted = wanted(plan);
      SymbolicMemory found = memories.get(plan.rank());
      for (Space space : List.of(Space.INPUT, Space.OUTPUT)) {
        for (Contents.Piece piece : wanted.contents(space).pieces()) {
          check(plan, new Range(space, piece.at(), piece.length()), piece.value());
        }
        if (found.contents(space).elements() != wanted.contents(space).elements()) {
          throw new PlanDefect(
              "rank " + plan.rank() + " writes to " + space + " where no block of it lies");
        }
      }
    }
  }

  /** All ranks that end with the same sums have rounded them in the same order. */
  private void checkSameBits() {
    if (call.collective().signature().isSameEverywhere()) {
      Contents first = output(world.plans().get(0));
      world.plans().forEach(plan -> first.zip(output(plan), (one, two) -> same(one, two, plan)));
    }
  }

  private Contents output(Plan plan) {
    Range all = buffers(plan).out(0, call.layout().count(plan.rank()));
    return memories.get(plan.rank()).read(all, "the end");
  }

  private static Value same(Value first, Value found, Plan plan) {
    if (!first.operands().equals(found.operands())) {
      throw new PlanDefect(
          "rank %s combined in the order %s, rank 0 in the order %s"
              .formatted(plan.rank(), found.operands(), first.operands()));
    }
    return first;
  }

  private SymbolicMemory wanted(Plan plan) {
    boolean scaled = call.reduction() instanceof Reduction.PreMultiplied;
    boolean divided = call.averages() && clustering.size() > 1;
    SymbolicMemory wanted = initial(plan);
    for (CallSemantics.Stretch each : shape.outputs(plan.rank())) {
      Range range = buffers(plan).out(each.offset(), each.length());
      Value value = Value.finished(each.contributors(), each.id(), scaled, divided);
      wanted.write(range, Contents.of(each.length(), value));
    }
    return wanted;
  }

  private void check(Plan plan, Range range, Value expected) {
    memories.get(plan.rank()).checkFlushed(range, "the end");
    for (Contents.Piece piece : memories.get(plan.rank()).read(range, "the end").pieces()) {
      Value found = piece.value().moved(range.offset());
      if (!found.means(expected)) {
        throw new PlanDefect(
            "rank "
                + plan.rank()
                + " ends with "
                + found
                + " at element "
                + piece.at()
                + " of "
                + range
                + ", wanted "
                + expected);
      }
    }
  }
}
