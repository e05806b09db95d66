// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import io.tombolo.base.NativeWaiter;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Work is handed in, and unparks, just when the agent goes to sleep: no wake-up is lost. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the agent came at once")
@Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "the agent slept on, and nobody woke it")
@State
public class ParkerStress {
  private static final long MAX_NS = Duration.ofSeconds(2).toNanos();
  private static final long SLACK_NS = MAX_NS / 4;
  private static final long NAP_NS = 1_000_000;

  /** One for all: a descriptor for each state would be too many. A stale signal only wakes. */
  private static final NativeWaiter WAITER = NativeWaiter.open();

  private final Parker parker = new Parker(MAX_NS, NAP_NS, () -> WAITER);
  private final Round round = new Round();
  private boolean handed;
  private volatile long unparkedNs;

  @Actor
  public void caller() {
    handed = true;
    parker.unpark();
    unparkedNs = System.nanoTime();
  }

  @Actor
  public void agent(I_Result result) {
    parker.beginRound();
    while (!handed) {
      parker.prepare(round);
      parker.park();
      if (unparkedNs != 0 && System.nanoTime() - unparkedNs > MAX_NS - SLACK_NS) {
        result.r1 = 1;
      }
      parker.beginRound();
    }
  }
}
