package io.tombolo.runtime.plan;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import io.tombolo.base.Collective;
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
                call.collective(),
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
                call.collective(),
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

  private static Broken allReduce(String word, boolean inPlace) {
    Broken world =
        new Broken(word, CollectiveCall.allReduce(12, DataType.F32, ReduceOp.SUM, inPlace));
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
      this.context = Worlds.context(word, segmentBytes);
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
              ImmutableList.copyOf(steps),
              plan.stageElements() + stage,
              plan.scratchElements() + scratch,
              plan.intraBytes(),
              plan.crossBytes()));
    }
  }
}
