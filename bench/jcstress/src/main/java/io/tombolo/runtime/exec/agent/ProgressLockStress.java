// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Whoever takes the lock is alone, and sees what the owner before did to a plain field. */
@JCStressTest
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "one after the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "both at once, or a round was lost")
@State
public class ProgressLockStress {
  private final ProgressLock lock = new ProgressLock(Thread.currentThread());
  private int rounds;

  @Actor
  public void agent(II_Result result) {
    while (!lock.takeForAgent()) {
      Thread.onSpinWait();
    }
    result.r1 = ++rounds;
    lock.release();
  }

  @Actor
  public void caller(II_Result result) {
    while (!lock.takeForCaller()) {
      Thread.onSpinWait();
    }
    result.r2 = ++rounds;
    lock.release();
  }
}
