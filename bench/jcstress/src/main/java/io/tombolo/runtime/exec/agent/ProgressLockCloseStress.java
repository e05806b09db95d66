// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.Deadline;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A caller takes the lock just when it is closed: the lock must not stay with nobody. */
@JCStressTest
@Outcome(
    id = {"0, 0", "1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "the caller made its round, or none; then no more are made")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, or a round after the last one")
@State
public class ProgressLockCloseStress {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final ProgressLock lock = new ProgressLock(Thread.currentThread());
  private int rounds;

  @Actor
  public void caller(II_Result result) {
    if (lock.takeForCaller()) {
      result.r1 = ++rounds;
      lock.release();
    }
  }

  @Actor
  public void closer(II_Result result) {
    lock.beginClose();
    result.r2 = lock.keep(Deadline.after(LIMIT)) ? rounds : -1;
  }
}
