// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.exec.memory.CallerMemory;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.io.Simulation;
import java.util.Optional;
import java.util.Set;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Two ranks with a library that sums, and has no maximum: that goes in messages. */
public class LastCallTest {
  private static final int RANKS = 2;
  private static final long SEND = 4096;
  private static final long RECEIVE = 8192;

  private final Planner planner =
      new Planner(
          PlanContext.evenly(
              1,
              Clustering.of(Simulation.parse("1x(2xNVIDIA)").sites()),
              ImmutableList.of(
                  Capabilities.of(
                      Set.of(Primitive.ALL_REDUCE),
                      Set.of(DataType.F32),
                      Set.of(ReduceOp.SUM),
                      Set.of())),
              Tuning.DEFAULT));

  private LastCall lastCall;

  @BeforeMethod
  public void begin() {
    lastCall = new LastCall();
  }

  private static PlacedCall placed(long count, ReduceOp op, long send, long receive) {
    return new PlacedCall(
        CollectiveCall.allReduce(count, DataType.F32, op, send == receive), send, receive);
  }

  private static PlacedCall sum() {
    return placed(100, ReduceOp.SUM, SEND, RECEIVE);
  }

  private Submission noted(PlacedCall asked) {
    Submission made = Submission.of(new Task(plan(asked), asked.send(), asked.receive()), RANKS);
    lastCall.note(asked, made);
    return made;
  }

  private Plan plan(PlacedCall asked) {
    return planner.plan(asked.call(), 0);
  }

  @Test
  public void shouldFindWhatWasMadeOfAnEqualCall() {
    assertNull(lastCall.find(sum()));
    Submission made = noted(sum());
    assertSame(lastCall.find(sum()), made);
    assertSame(lastCall.find(sum()), made);
  }

  /** Each differs in one thing. */
  @Test
  public void shouldFindNothingForAnotherCall() {
    noted(sum());
    assertNull(lastCall.find(placed(99, ReduceOp.SUM, SEND, RECEIVE)));
    assertNull(lastCall.find(placed(100, ReduceOp.MAX, SEND, RECEIVE)));
    assertNull(lastCall.find(placed(100, ReduceOp.SUM, SEND + 512, RECEIVE)));
    assertNull(lastCall.find(placed(100, ReduceOp.SUM, SEND, RECEIVE + 512)));
    assertNull(lastCall.find(new PlacedCall(sum().call().inPlace(true), SEND, RECEIVE)));
  }

  @Test
  public void shouldRememberTheLastOfSeveral() {
    noted(sum());
    PlacedCall other = placed(7, ReduceOp.SUM, SEND, SEND);
    Submission made = noted(other);
    assertSame(lastCall.find(other), made);
    assertNull(lastCall.find(sum()));
  }

  /** Where its messages lie depends on whose memory it is, which may change. */
  @Test
  public void shouldNotRememberACallThatGoesInMessages() {
    PlacedCall max = placed(100, ReduceOp.MAX, SEND, RECEIVE);
    assertFalse(plan(max).isOneCall());
    noted(max);
    assertNull(lastCall.find(max));
  }

  /** It would keep that memory, or take another's in its place for the same. */
  @Test
  public void shouldNotRememberACallThatKnowsWhoseMemoryItIs() {
    assertTrue(plan(sum()).isOneCall());
    CallerMemory memory = new CallerMemory(SEND, 400, Optional.empty());
    for (Task task :
        ImmutableList.of(
            new Task(plan(sum()), SEND, RECEIVE, Optional.of(memory), Optional.empty()),
            new Task(plan(sum()), SEND, RECEIVE, Optional.empty(), Optional.of(memory)))) {
      lastCall.note(sum(), Submission.of(task, RANKS));
      assertNull(lastCall.find(sum()));
    }
  }
}
