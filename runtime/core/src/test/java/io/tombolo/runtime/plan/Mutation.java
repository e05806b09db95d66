// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.base.ReduceOp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Ways to break one rank's plan a little. */
enum Mutation {
  /** A step is missing. */
  DROP {
    @Override
    void apply(Draft draft, int at, Random random) {
      draft.order.remove((Integer) at);
    }
  },
  /** A step does not wait for one that it must wait for. */
  FORGET {
    @Override
    void apply(Draft draft, int at, Random random) {
      List<Integer> after = draft.after.get(at);
      if (!after.isEmpty()) {
        after.remove(random.nextInt(after.size()));
      }
    }
  },
  /** A receive waits for a send before it. */
  WAIT {
    @Override
    void apply(Draft draft, int at, Random random) {
      List<Integer> receives = draft.all(Action.Receive.class, draft.actions.size());
      int last = receives.isEmpty() ? at : receives.get(random.nextInt(receives.size()));
      List<Integer> sends = draft.all(Action.Send.class, last);
      if (!sends.isEmpty()) {
        draft.after.get(last).add(sends.get(random.nextInt(sends.size())));
      }
    }
  },
  /** Two steps do each other's work. */
  SWAP {
    @Override
    void apply(Draft draft, int at, Random random) {
      Collections.swap(draft.actions, at, random.nextInt(draft.actions.size()));
    }
  },
  /** A range lies one element off. */
  SHIFT {
    @Override
    void apply(Draft draft, int at, Random random) {
      int by = random.nextBoolean() ? 1 : -1;
      draft.changeRange(
          at,
          random,
          range -> new Range(range.space(), Math.max(0, range.offset() + by), range.length()));
    }
  },
  /** Ranges are an element longer or shorter. */
  RESIZE {
    @Override
    void apply(Draft draft, int at, Random random) {
      int by = random.nextBoolean() ? 1 : -1;
      UnaryOperator<Range> resized =
          range -> new Range(range.space(), range.offset(), Math.max(0, range.length() + by));
      if (random.nextBoolean()) {
        draft.changeRange(at, random, resized);
      } else {
        draft.actions.set(at, Ranges.changed(draft.actions.get(at), resized));
      }
    }
  },
  /** A range lies in another memory. */
  MISPLACE {
    @Override
    void apply(Draft draft, int at, Random random) {
      Space[] spaces = Space.values();
      Space space = spaces[random.nextInt(spaces.length)];
      draft.changeRange(at, random, range -> new Range(space, range.offset(), range.length()));
    }
  },
  /** A step is done twice. */
  DUPLICATE {
    @Override
    void apply(Draft draft, int at, Random random) {
      int copy = draft.actions.size();
      draft.actions.add(draft.actions.get(at));
      draft.after.add(new ArrayList<>(random.nextBoolean() ? List.of(at) : draft.after.get(at)));
      draft.order.add(at + 1 + random.nextInt(copy - at), copy);
    }
  },
  /** A step comes at another place of the program. */
  REORDER {
    @Override
    void apply(Draft draft, int at, Random random) {
      draft.order.remove((Integer) at);
      draft.order.add(random.nextInt(draft.order.size() + 1), at);
    }
  },
  /** A step is about another peer, root or operator. */
  RETARGET {
    @Override
    void apply(Draft draft, int at, Random random) {
      draft.actions.set(at, retargeted(draft.actions.get(at), draft.ranks, random));
    }
  };

  abstract void apply(Draft draft, int at, Random random);

  /** {@code plan} with one step of it broken. */
  Plan of(Plan plan, int ranks, Random random) {
    Draft draft = new Draft(plan, ranks);
    apply(draft, random.nextInt(plan.steps().size()), random);
    return draft.build(plan);
  }

  /** {@code plan} without one of its steps. */
  static Plan without(Plan plan, Step step, int ranks) {
    Draft draft = new Draft(plan, ranks);
    draft.order.remove((Integer) step.id());
    return draft.build(plan);
  }

  private static Action retargeted(Action action, int ranks, Random random) {
    int other = random.nextInt(ranks);
    if (action instanceof Action.Send send) {
      return new Action.Send(other, send.from(), send.key());
    }
    if (action instanceof Action.Receive receive) {
      return new Action.Receive(other, receive.to(), receive.key());
    }
    if (action instanceof Action.IntraCall call) {
      return random.nextBoolean()
          ? new Action.IntraCall(
              call.primitive(), call.input(), call.output(), call.op(), other % 2)
          : new Action.IntraCall(
              call.primitive(), call.input(), call.output(), ReduceOp.MAX, call.root());
    }
    if (action instanceof Action.Combine combine) {
      return random.nextBoolean()
          ? new Action.Combine(combine.right(), combine.left(), combine.into(), combine.reduction())
          : new Action.Combine(
              combine.left(), combine.right(), combine.into(), new Reduction.By(ReduceOp.MAX));
    }
    if (action instanceof Action.Divide divide) {
      return new Action.Divide(divide.range(), divide.divisor() + 1);
    }
    if (action instanceof Action.Scale scale) {
      return new Action.Scale(scale.range(), scale.factor() + 1);
    }
    if (action instanceof Action.Exchange exchange && !exchange.sends().isEmpty()) {
      List<Action.Transfer> sends = new ArrayList<>(exchange.sends());
      sends.set(0, new Action.Transfer(other % 2, sends.get(0).range()));
      return Action.Exchange.of(sends, exchange.receives());
    }
    return action;
  }

  /** A plan under change: steps keep their numbers, and are renumbered in the end. */
  static final class Draft {
    private final int ranks;
    private final List<Action> actions = new ArrayList<>();
    private final List<List<Integer>> after = new ArrayList<>();
    private final List<Integer> order;

    Draft(Plan plan, int ranks) {
      this.ranks = ranks;
      plan.steps().forEach(step -> actions.add(step.action()));
      plan.steps().forEach(step -> after.add(new ArrayList<>(step.after().asList())));
      this.order = new ArrayList<>(IntStream.range(0, actions.size()).boxed().toList());
    }

    void changeRange(int at, Random random, UnaryOperator<Range> change) {
      actions.set(at, Ranges.changedOne(actions.get(at), random, change));
    }

    /** The places below {@code end} of such actions. */
    List<Integer> all(Class<? extends Action> sort, int end) {
      return IntStream.range(0, end)
          .filter(at -> sort.isInstance(actions.get(at)))
          .boxed()
          .toList();
    }

    /** A step can only wait for those before it. */
    Plan build(Plan plan) {
      ImmutableList.Builder<Step> steps = ImmutableList.builder();
      for (int id = 0; id < order.size(); id++) {
        int place = id;
        ImmutableIntArray earlier =
            ImmutableIntArray.copyOf(
                after.get(order.get(id)).stream()
                    .mapToInt(order::indexOf)
                    .filter(other -> other >= 0 && other < place)
                    .sorted()
                    .distinct());
        steps.add(new Step(id, actions.get(order.get(id)), earlier));
      }
      return new Plan(
          plan.call(),
          plan.rank(),
          plan.scheme(),
          steps.build(),
          plan.stageElements(),
          plan.scratchElements(),
          plan.intraBytes(),
          plan.crossBytes());
    }
  }
}
