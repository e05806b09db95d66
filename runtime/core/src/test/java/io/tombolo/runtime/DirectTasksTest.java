// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;
import io.tombolo.runtime.plan.Reach;
import io.tombolo.runtime.plan.Tuning;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.io.Simulation;
import java.util.Set;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Two ranks with a library that sums, and has no maximum: that goes in messages. */
public class DirectTasksTest {
  private static final CollectiveCall SUM = call(ReduceOp.SUM);
  private static final CollectiveCall MAX = call(ReduceOp.MAX);
  private static final Reach REACH =
      new Reach(ImmutableSet.of(1), ImmutableSet.of(1), false, false, Reach.NEVER);

  private final HostDevice host = new HostDevice();
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

  private DeviceMemory memory;
  private int asked;
  private DirectTasks tasks;

  private static CollectiveCall call(ReduceOp op) {
    return CollectiveCall.allReduce(100, DataType.F32, op, true);
  }

  @BeforeMethod
  public void open() {
    memory = host.allocate(100 * Float.BYTES);
    asked = 0;
    tasks = tasks(REACH);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    memory.close();
  }

  private DirectTasks tasks(Reach reach) {
    DeviceAdaptor device =
        StandIn.of(
            DeviceAdaptor.class,
            (method, arguments) -> {
              asked += method.getName().equals("allocationAt") ? 1 : 0;
              return StandIn.pass(host, method, arguments);
            });
    return new DirectTasks(0, 2, device, reach, Reach.NONE, call -> planner.plan(call, 0));
  }

  private Task task(CollectiveCall call) {
    return tasks.task(call, memory.address(), memory.address());
  }

  @Test
  public void shouldNotAskWhoseMemoryItIsOnceCallsAreOneOfALibraryEach() {
    assertTrue(task(SUM).plan().isOneCall());
    int before = asked;
    assertTrue(before > 0, "nothing was known of the first");
    for (int i = 0; i < 3; i++) {
      Task task = task(SUM);
      assertEquals(task.plan(), planner.plan(SUM, 0));
      assertFalse(task.hasWindows());
      assertEquals(task.inputAddress(), memory.address());
      assertEquals(task.outputAddress(), memory.address());
    }
    assertEquals(asked, before);
  }

  @Test
  public void shouldHaveMessagesLieWhereTheBuffersAreWhateverCameBefore() {
    CollectiveCall reached = MAX.reaching(REACH.to(true, true));
    for (CollectiveCall before : ImmutableList.of(SUM, SUM, MAX, SUM, MAX, MAX)) {
      task(before);
      Task task = task(MAX);
      assertEquals(task.plan(), planner.plan(reached, 0));
      assertFalse(task.plan().isOneCall());
      assertTrue(task.hasWindows());
      assertEquals(task.input().orElseThrow().address(), memory.address());
    }
  }

  /** Messages are no calls of a library, and come between those. */
  @Test
  public void shouldNotMindMessagesBetweenCalls() {
    task(SUM);
    CollectiveCall message =
        CollectiveCall.exchange(
            new Layout.Pairwise(new Layout.One(1, 10), new Layout.One(1, 0)), DataType.F32);
    task(message);
    int before = asked;
    task(SUM);
    assertEquals(asked, before);
    assertEquals(task(message).plan(), planner.plan(message.reaching(REACH.to(true, false)), 0));
  }

  /** Else a plan for memory that nothing reaches would be another one. */
  @Test
  public void shouldPlanOneCallAlikeWhateverIsReached() {
    for (Reach reach : ImmutableList.of(REACH, REACH.to(true, false), REACH.to(true, true))) {
      assertEquals(
          planner.plan(SUM.reaching(reach), 0).steps(),
          planner.plan(SUM, 0).steps(),
          reach.toString());
    }
  }

  @Test
  public void shouldAskNobodyWhereNothingIsReached() {
    tasks = tasks(Reach.NONE);
    assertEquals(task(MAX).plan(), planner.plan(MAX, 0));
    assertEquals(task(SUM).plan(), planner.plan(SUM, 0));
    assertEquals(asked, 0);
  }
}
