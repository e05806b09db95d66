// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.rdma.ChannelRoom;
import io.tombolo.rdma.SlotGeometry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.testng.annotations.Test;

/** Each rule of the verifier, and a plan that breaks it and no other. */
public class VerifierRulesTest {
  private static final Layout GAPS =
      new Layout.Uneven(ImmutableLongArray.of(2, 2), ImmutableLongArray.of(1, 5));

  @Test
  public void shouldRejectStepsBeyondTheirBuffers() {
    Broken world = allReduce("aab", false);
    world.resize(2, -1, 0);
    world.isRejected("goes beyond its memory");
    world = allReduce("aab", false);
    world.add(2, new Action.Copy(new Range(Space.INPUT, 11, 2), new Range(Space.OUTPUT, 11, 2)));
    world.isRejected("goes beyond its memory");
    world = allReduce("ab", false);
    world.add(0, new Action.Copy(new Range(Space.INPUT, 0, 1), new Range(Space.SCRATCH, 0, 1)));
    world.isRejected("goes beyond its memory");
  }

  @Test
  public void shouldRejectTheNameOfABufferThatLiesInTheOther() {
    Broken world = allReduce("ab", true);
    world.add(0, new Action.Copy(new Range(Space.OUTPUT, 0, 1), new Range(Space.INPUT, 0, 1)));
    world.isRejected("goes beyond its memory");
  }

  @Test
  public void shouldRejectMessagesAndArithmeticOnDeviceMemory() {
    Broken world = allReduce("ab", false);
    world.change(
        1,
        Action.Send.class,
        send -> new Action.Send(send.peer(), on(Space.INPUT, send.from()), send.key()));
    world.isRejected("cannot reach");
    world = allReduce("ab", false);
    world.change(
        1,
        Action.Receive.class,
        receive ->
            new Action.Receive(receive.peer(), on(Space.OUTPUT, receive.to()), receive.key()));
    world.isRejected("cannot reach");
    world = allReduce("ab", false);
    world.change(
        0,
        Action.Combine.class,
        combine ->
            new Action.Combine(
                combine.left(),
                combine.right(),
                on(Space.OUTPUT, combine.into()),
                combine.reduction()));
    world.isRejected("cannot reach");
  }

  @Test
  public void shouldRejectVendorCallsOnTheStage() {
    Broken world = allReduce("aab", false);
    world.resize(0, 100, 0);
    world.change(
        0,
        Action.IntraCall.class,
        call ->
            new Action.IntraCall(
                call.primitive(),
                on(Space.STAGE, call.input()),
                call.output(),
                call.op(),
                call.root()));
    world.isRejected("cannot reach");
  }

  @Test
  public void shouldRejectStepsThatOverwriteWhatTheyStillRead() {
    Broken world = allReduce("ab", false);
    world.change(
        1,
        Action.Combine.class,
        combine ->
            new Action.Combine(
                combine.left(), combine.right(), shifted(combine.left(), -1), combine.reduction()));
    world.isRejected("writes what it reads");
    world = allReduce("aab", false);
    world.add(2, new Action.Copy(new Range(Space.OUTPUT, 0, 4), new Range(Space.OUTPUT, 1, 4)));
    world.isRejected("writes what it reads");
  }

  @Test
  public void shouldRejectCopiesOfTwoLengths() {
    Broken world = allReduce("ab", false);
    world.change(
        1,
        Action.Copy.class,
        copy -> new Action.Copy(copy.from(), new Range(copy.to().space(), 0, 0)));
    world.isRejected("is about two lengths");
  }

  @Test
  public void shouldRejectVendorCallsThatMembersMakeOfDifferentSizes() {
    Broken world = allReduce("aa", false);
    world.change(
        1,
        Action.IntraCall.class,
        call ->
            new Action.IntraCall(
                call.primitive(),
                new Range(call.input().space(), 0, 11),
                new Range(call.output().space(), 0, 11),
                call.op(),
                call.root()));
    world.isRejected("meets");
  }

  @Test
  public void shouldRejectAVendorCallThatOneMemberLeavesOut() {
    for (int rank = 0; rank < 2; rank++) {
      Broken world = allReduce("aa", false);
      world.empty(rank);
      world.isRejected("different numbers of vendor calls");
    }
  }

  @Test
  public void shouldRejectWritesBetweenBlocks() {
    Broken world =
        new Broken(
            "ab", CollectiveCall.move(Collective.ALL_GATHER_V, GAPS, DataType.F32, 0, false));
    world.isAccepted();
    world.add(0, new Action.Copy(new Range(Space.INPUT, 0, 1), new Range(Space.OUTPUT, 4, 1)));
    world.isRejected("where no block of it lies");
  }

  @Test
  public void shouldRejectOverwritingAnotherBlockInPlace() {
    Broken world =
        new Broken(
            "ab",
            CollectiveCall.reduceScatter(
                new Layout.Even(2), DataType.F32, new Reduction.By(ReduceOp.SUM), true));
    world.isAccepted();
    world.add(0, new Action.Copy(new Range(Space.INPUT, 0, 1), new Range(Space.INPUT, 2, 1)));
    world.isRejected("ends with");
  }

  @Test
  public void shouldRejectCombiningInAnotherOrder() {
    Broken world = allReduce("abc", false);
    world.change(
        1,
        Action.Combine.class,
        combine ->
            new Action.Combine(
                /* left= */ combine.right(),
                /* right= */ combine.left(),
                combine.into(),
                combine.reduction()));
    world.isRejected("combines out of order");
  }

  /** Rank 2 adds the higher two first: right in numbers, but with other bits than the rest. */
  @Test
  public void shouldRejectRanksThatCombineInDifferentOrders() {
    Broken world = allReduce("abc", Algorithm.DIRECT);
    List<Action.Combine> folds = world.all(2, Action.Combine.class);
    Range lowest = folds.get(0).left();
    Range higher = folds.get(0).right();
    Range own = folds.get(1).right();
    Range result = folds.get(1).into();
    world.replace(2, folds.get(0), combine(higher, own, result));
    world.replace(2, folds.get(1), combine(lowest, result, result));
    world.isRejected("combined in the order");
  }

  @Test
  public void shouldRejectLeavingOutAClusterBetweenTwo() {
    Broken world = allReduce("abc", Algorithm.DIRECT);
    List<Action.Combine> folds = world.all(2, Action.Combine.class);
    Range result = folds.get(1).into();
    world.replace(2, folds.get(0), combine(folds.get(0).left(), folds.get(1).right(), result));
    world.replace(2, folds.get(1), combine(result, folds.get(0).right(), result));
    world.isRejected("combines out of order");
  }

  @Test
  public void shouldRejectDoublingThatSwapsOperandsOrKeepsTheResult() {
    Broken world = allReduce("abcd", Algorithm.DOUBLING);
    Action.Combine second = world.all(1, Action.Combine.class).get(1);
    world.replace(
        1, second, combine(/* left= */ second.right(), /* right= */ second.left(), second.into()));
    world.isRejected("combines out of order");
    world = allReduce("abc", Algorithm.DOUBLING);
    List<Action.Send> sends = world.all(0, Action.Send.class);
    world.replace(0, sends.get(1), sends.get(0));
    world.isRejected("but receives from");
  }

  private static Action.Combine combine(Range left, Range right, Range into) {
    return new Action.Combine(left, right, into, new Reduction.By(ReduceOp.SUM));
  }

  @Test
  public void shouldRejectSendsThatCountOnABuffer() {
    Broken world = allReduce("ab", false);
    for (int rank = 0; rank < 2; rank++) {
      world.waitForSends(rank);
    }
    world.isRejected("deadlock");
  }

  /**
   * Each rank sends half the vector before it receives the other half: that is well only as long as
   * the halves lie in the slots.
   */
  @Test
  public void shouldRejectSendsOfMoreThanTheSlotsHold() {
    SlotGeometry geometry = SlotGeometry.DEFAULT;
    int fitting = geometry.slots() * geometry.payloadBytes() / Float.BYTES;
    for (int half : new int[] {1, fitting, fitting + 1, 10 * fitting}) {
      Broken world =
          new Broken(
              "ab",
              CollectiveCall.allReduce(2L * half, DataType.F32, ReduceOp.SUM, false),
              1 << 30);
      for (int rank = 0; rank < 2; rank++) {
        world.waitForSends(rank);
      }
      if (half <= fitting) {
        world.isAccepted(ChannelRoom.of(geometry));
      } else {
        world.isRejected("deadlock", ChannelRoom.of(geometry));
      }
      world.isRejected("deadlock");
    }
  }

  @Test
  public void shouldRejectWhatNobodyFlushes() {
    Broken world = directAllToAll();
    world.drop(0, Action.Flush.class);
    world.isRejected("the end touches output[4..8) of rank 0, received and not flushed");
  }

  @Test
  public void shouldRejectADeviceThatReadsWhatIsNotFlushed() {
    Broken world = directAllToAll();
    world.resize(0, 0, 4);
    world.drop(0, Action.Flush.class);
    world.add(0, new Action.Copy(new Range(Space.OUTPUT, 4, 4), new Range(Space.SCRATCH, 0, 4)));
    world.isRejected("(Copy) touches output[4..8) of rank 0, received and not flushed");
  }

  @Test
  public void shouldRejectADeviceThatOverwritesWhatIsNotFlushed() {
    Broken world = directAllToAll();
    world.drop(0, Action.Flush.class);
    world.add(0, new Action.Copy(new Range(Space.INPUT, 0, 4), new Range(Space.OUTPUT, 4, 4)));
    world.isRejected("(Copy) touches output[4..8) of rank 0, received and not flushed");
  }

  @Test
  public void shouldRejectAFlushThatMayComeBeforeTheMessage() {
    Broken world = directAllToAll();
    world.forget(0, Action.Flush.class);
    world.isRejected("race");
  }

  @Test
  public void shouldRejectADirectSendThatDoesNotWaitForTheVendorsCall() {
    CollectiveCall sum =
        CollectiveCall.reduceScatter(
            new Layout.Even(12), DataType.F32, new Reduction.By(ReduceOp.SUM), false);
    Broken world = new Broken("aab", sum.reaching(Calls.everywhere(3)));
    world.isAccepted();
    world.forget(0, Action.Send.class);
    world.isRejected("race: rank 0");
  }

  @Test
  public void shouldRejectMessagesInDeviceMemoryOnOtherWays() {
    CollectiveCall call = allToAll();
    Broken world = new Broken("ab", call.reaching(Calls.everywhere(1))); // but not to rank 1
    world.isAccepted();
    world.change(
        0,
        Action.Send.class,
        send -> new Action.Send(send.peer(), new Range(Space.INPUT, 4, 4), send.key()));
    world.isRejected("cannot reach");
  }

  @Test
  public void shouldRejectReceptionIntoDeviceMemoryWhereNicsOnlyReadIt() {
    Broken world = new Broken("ab", allToAll().reaching(Calls.outwards(2)));
    world.isAccepted();
    world.change(
        0,
        Action.Receive.class,
        receive ->
            new Action.Receive(receive.peer(), new Range(Space.OUTPUT, 4, 4), receive.key()));
    world.isRejected("cannot reach");
  }

  private static CollectiveCall allToAll() {
    return CollectiveCall.move(Collective.ALL_TO_ALL, new Layout.Even(4), DataType.F32, 0, false);
  }

  private static Broken directAllToAll() {
    Broken world = new Broken("ab", allToAll().reaching(Calls.everywhere(2)));
    world.isAccepted();
    return world;
  }

  private static Broken allReduce(String word, boolean inPlace) {
    Broken world =
        new Broken(word, CollectiveCall.allReduce(12, DataType.F32, ReduceOp.SUM, inPlace));
    world.isAccepted();
    return world;
  }

  private static Broken allReduce(String word, Algorithm algorithm) {
    Broken world =
        new Broken(
            Worlds.context(word, 1 << 20, algorithm, Worlds.Profile.COMPLETE),
            CollectiveCall.allReduce(12, DataType.F32, ReduceOp.SUM, false));
    world.isAccepted();
    return world;
  }

  private static Range on(Space space, Range range) {
    return new Range(space, 0, range.length());
  }

  private static Range shifted(Range range, long by) {
    return new Range(range.space(), range.offset() + by, range.length());
  }

  /** The plans of a job, to be broken. */
  private static final class Broken {
    private final PlanContext context;
    private final List<Plan> plans;

    Broken(String word, CollectiveCall call) {
      this(word, call, 1 << 20);
    }

    Broken(String word, CollectiveCall call, long segmentBytes) {
      this(Worlds.context(word, segmentBytes), call);
    }

    Broken(PlanContext context, CollectiveCall call) {
      this.context = context;
      this.plans = new ArrayList<>(Worlds.plans(context, call));
    }

    void isAccepted() {
      PlanVerifier.verify(context.clustering(), plans);
    }

    void isAccepted(ChannelRoom room) {
      PlanVerifier.verify(context.clustering(), plans, room);
    }

    void isRejected(String why) {
      isRejected(why, ChannelRoom.LEAST);
    }

    void isRejected(String why, ChannelRoom room) {
      PlanDefect defect =
          expectThrows(
              PlanDefect.class, () -> PlanVerifier.verify(context.clustering(), plans, room));
      assertTrue(defect.getMessage().contains(why), defect.getMessage());
    }

    <A extends Action> void change(int rank, Class<A> sort, UnaryOperator<A> change) {
      List<Step> steps = new ArrayList<>(plans.get(rank).steps());
      Step first =
          steps.stream().filter(step -> sort.isInstance(step.action())).findFirst().orElseThrow();
      Action changed = change.apply(sort.cast(first.action()));
      steps.set(first.id(), new Step(first.id(), changed, first.after()));
      put(rank, steps, 0, 0);
    }

    /** What {@code rank} does of {@code sort}, in order. */
    <A extends Action> List<A> all(int rank, Class<A> sort) {
      return plans.get(rank).steps().stream()
          .map(Step::action)
          .filter(sort::isInstance)
          .map(sort::cast)
          .toList();
    }

    /** {@code rank} does {@code after} in place of {@code before}. */
    void replace(int rank, Action before, Action after) {
      put(
          rank,
          plans.get(rank).steps().stream()
              .map(
                  step ->
                      step.action().equals(before)
                          ? new Step(step.id(), after, step.after())
                          : step)
              .toList(),
          0,
          0);
    }

    /** Leaves out the last step of the plan, which is such a one. */
    void drop(int rank, Class<? extends Action> sort) {
      List<Step> steps = new ArrayList<>(plans.get(rank).steps());
      assertTrue(sort.isInstance(steps.remove(steps.size() - 1).action()), sort.toString());
      put(rank, steps, 0, 0);
    }

    /** Has the first such step wait for nothing. */
    void forget(int rank, Class<? extends Action> sort) {
      List<Step> steps = new ArrayList<>(plans.get(rank).steps());
      Step first =
          steps.stream().filter(step -> sort.isInstance(step.action())).findFirst().orElseThrow();
      steps.set(first.id(), new Step(first.id(), first.action(), ImmutableIntArray.of()));
      put(rank, steps, 0, 0);
    }

    /** Adds a step behind all others. */
    void add(int rank, Action action) {
      List<Step> steps = new ArrayList<>(plans.get(rank).steps());
      ImmutableIntArray.Builder all = ImmutableIntArray.builder();
      steps.forEach(step -> all.add(step.id()));
      steps.add(new Step(steps.size(), action, all.build()));
      put(rank, steps, 0, 0);
    }

    void empty(int rank) {
      put(rank, List.of(), 0, 0);
    }

    void resize(int rank, long stage, long scratch) {
      put(rank, plans.get(rank).steps(), stage, scratch);
    }

    /** Every receive waits for all sends before it. */
    void waitForSends(int rank) {
      List<Step> steps = new ArrayList<>();
      ImmutableIntArray.Builder sends = ImmutableIntArray.builder();
      for (Step step : plans.get(rank).steps()) {
        boolean receives = step.action() instanceof Action.Receive;
        steps.add(new Step(step.id(), step.action(), receives ? sends.build() : step.after()));
        if (step.action() instanceof Action.Send) {
          sends.add(step.id());
        }
      }
      put(rank, steps, 0, 0);
    }

    private void put(int rank, List<Step> steps, long stage, long scratch) {
      Plan plan = plans.get(rank);
      plans.set(
          rank,
          new Plan(
              plan.call(),
              rank,
              plan.scheme(),
              ImmutableList.copyOf(steps),
              plan.stageElements() + stage,
              plan.scratchElements() + scratch,
              plan.intraBytes(),
              plan.crossBytes()));
    }
  }
}
