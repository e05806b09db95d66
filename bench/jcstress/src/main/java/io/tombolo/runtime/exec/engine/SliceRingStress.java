// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.memory.HostWindow;
import io.tombolo.runtime.exec.memory.Windows;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Range;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Space;
import io.tombolo.runtime.plan.Step;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * One thread puts three slices into a ring with one place, and two take them: each slice is done
 * once, with the element that it was put with. A step is over when exactly its elements are done:
 * both of the first step by its slice at 0, and each of the second by a slice at 1.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "each slice was done once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slice was lost, done twice or mixed up")
@State
public class SliceRingStress {
  private static final Reducers NONE = new Reducers(0);
  private static final NativeMemory MEMORY = NativeMemory.allocate(4096);
  private static final Range BOTH = new Range(Space.STAGE, 0, 2);
  private static final Step SUM =
      new Step(
          0,
          new Action.Combine(BOTH, BOTH, BOTH, new Reduction.By(ReduceOp.SUM)),
          ImmutableIntArray.of());
  private static final Binding BINDING =
      new Binding(0, 0, new HostWindow(MEMORY.address(), 4096), 0, DataType.I64, Windows.NONE);

  private final SliceRing ring = new SliceRing(1);
  private final SlicedStep first = begun();
  private final SlicedStep second = begun();
  private volatile boolean allPut;

  private static SlicedStep begun() {
    SlicedStep step = new SlicedStep(NONE, () -> {});
    step.begin(SUM, BINDING, id -> {});
    return step;
  }

  @Actor
  public void agent() {
    put(first, 0);
    put(second, 1);
    put(second, 1);
    allPut = true;
    take();
  }

  private void put(SlicedStep step, long at) {
    while (!ring.offer(step, at)) {
      ring.computeNext();
    }
  }

  @Actor
  public void reducer() {
    take();
  }

  private void take() {
    while (!allPut || !ring.isEmpty()) {
      ring.computeNext();
    }
  }

  @Arbiter
  public void look(ZZ_Result result) {
    result.r1 = first.isOver();
    result.r2 = second.isOver();
  }
}
