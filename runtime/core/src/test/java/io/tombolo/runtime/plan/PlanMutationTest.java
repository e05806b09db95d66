package io.tombolo.runtime.plan;

import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.testng.annotations.Test;

/**
 * The verifier must be able to fail: it rejects every broken plan that an independent executor
 * shows to be wrong.
 */
public class PlanMutationTest {
  private static final long SEED = 20261121;
  private static final int MUTANTS_PER_WORLD = 30;
  private static final int INTERLEAVINGS = 50;

  @Test
  public void shouldAgreeWithTheLooseExecutorOnSoundPlans() {
    for (String word : new String[] {"ab", "abab", "aabbc", "aaabb"}) {
      PlanContext context = Worlds.context(word, 32);
      List<Plan> plans = plans(context, 23, false);
      for (int seed = 0; seed < INTERLEAVINGS; seed++) {
        assertTrue(
            new LooseExecutor(context.clustering(), plans, seed).computesTheSum(),
            word + " interleaving " + seed);
      }
    }
  }

  @Test
  public void shouldRejectEveryMutantThatComputesWrongly() {
    Random random = new Random(SEED);
    int rejected = 0;
    int equivalent = 0;
    int strict = 0;
    for (String word : new String[] {"ab", "abab", "aab", "aabbc", "abba"}) {
      PlanContext context = Worlds.context(word, 32);
      for (int i = 0; i < MUTANTS_PER_WORLD; i++) {
        List<Plan> mutant = mutate(plans(context, 19, random.nextBoolean()), random);
        boolean accepted = isAccepted(context, mutant);
        boolean wrong = isWrong(context, mutant, random.nextLong());
        assertTrue(
            !(accepted && wrong),
            "accepted a wrong plan: seed " + SEED + ", " + word + ": " + mutant);
        rejected += wrong ? 1 : 0;
        strict += !accepted && !wrong ? 1 : 0;
        equivalent += accepted ? 1 : 0;
      }
    }
    System.out.printf(
        "mutants: %d wrong, all rejected; %d rejected though no interleaving failed; %d equivalent%n",
        rejected, strict, equivalent);
    assertTrue(rejected > 80, "the mutations must bite: only " + rejected + " wrong ones");
  }

  private static List<Plan> plans(PlanContext context, long count, boolean inPlace) {
    return Worlds.plans(
        context, CollectiveCall.allReduce(count, DataType.I64, ReduceOp.SUM, inPlace));
  }

  private static boolean isAccepted(PlanContext context, List<Plan> plans) {
    try {
      PlanVerifier.verify(context.clustering(), plans);
      return true;
    } catch (PlanDefect defect) {
      return false;
    }
  }

  private static boolean isWrong(PlanContext context, List<Plan> plans, long seed) {
    for (int i = 0; i < INTERLEAVINGS; i++) {
      if (!new LooseExecutor(context.clustering(), plans, seed + i).computesTheSum()) {
        return true;
      }
    }
    return false;
  }

  private static List<Plan> mutate(List<Plan> plans, Random random) {
    List<Plan> mutant = new ArrayList<>(plans);
    int rank = random.nextInt(plans.size());
    List<Action> actions = new ArrayList<>();
    List<ImmutableIntArray> after = new ArrayList<>();
    plans.get(rank).steps().forEach(step -> actions.add(step.action()));
    plans.get(rank).steps().forEach(step -> after.add(step.after()));
    int at = random.nextInt(actions.size());
    switch (random.nextInt(5)) {
      case 0 -> after.set(at, ImmutableIntArray.of());
      case 1 -> Collections.swap(actions, at, random.nextInt(actions.size()));
      case 2 -> actions.set(at, shifted(actions.get(at)));
      case 3 -> {
        actions.add(actions.get(at));
        after.add(ImmutableIntArray.of(actions.size() - 2));
      }
      default ->
          actions.set(
              at, new Action.Copy(new Range(Space.OUTPUT, 0, 0), new Range(Space.STAGE, 0, 0)));
    }
    ImmutableList.Builder<Step> steps = ImmutableList.builder();
    for (int id = 0; id < actions.size(); id++) {
      steps.add(new Step(id, actions.get(id), after.get(id)));
    }
    Plan plan = plans.get(rank);
    mutant.set(
        rank,
        new Plan(
            plan.call(),
            rank,
            steps.build(),
            plan.stageElements() + 8,
            plan.scratchElements() + 8,
            plan.intraBytes(),
            plan.crossBytes()));
    return mutant;
  }

  private static Action shifted(Action action) {
    if (action instanceof Action.Send send) {
      return new Action.Send(send.peer(), shifted(send.from()), send.key());
    }
    if (action instanceof Action.Receive receive) {
      return new Action.Receive(receive.peer(), shifted(receive.to()), receive.key());
    }
    if (action instanceof Action.Copy copy) {
      return new Action.Copy(copy.from(), shifted(copy.to()));
    }
    if (action instanceof Action.Combine combine) {
      return new Action.Combine(
          combine.left(), shifted(combine.right()), combine.into(), combine.reduction());
    }
    return action;
  }

  private static Range shifted(Range range) {
    return new Range(range.space(), range.offset() + 1, range.length());
  }
}
