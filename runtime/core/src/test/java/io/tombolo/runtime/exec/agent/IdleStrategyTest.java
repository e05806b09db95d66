// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import static org.testng.Assert.assertEquals;

import io.tombolo.runtime.exec.agent.IdleStrategy.Mode;
import java.util.EnumSet;
import java.util.Set;
import org.testng.annotations.Test;

/** How the agent idles, round after round. */
public class IdleStrategyTest {
  private static final long ROUND_NS = 2_000;
  private static final long LONG_NS = 1_000_000;

  private final IdleStrategy idleStrategy = new IdleStrategy();
  private long nowNs = Long.MAX_VALUE - 10 * ROUND_NS; // clocks may overflow

  @Test
  public void shouldNotIdleWhileThereIsWork() {
    assertEquals(modes(LONG_NS, 1, true), EnumSet.of(Mode.NONE));
  }

  @Test
  public void shouldOnlyLetOthersRunRightAfterWork() {
    round(1, true);
    assertEquals(modes(50_000, 0, true), EnumSet.of(Mode.SPIN, Mode.YIELD));
    round(1, true);
    assertEquals(modes(50_000, 0, false), EnumSet.of(Mode.SPIN, Mode.YIELD));
  }

  @Test
  public void shouldParkWhenNothingHasComeForAWhile() {
    modes(LONG_NS, 0, true);
    assertEquals(modes(LONG_NS, 0, true), EnumSet.of(Mode.PARK_BRIEFLY));
    assertEquals(modes(LONG_NS, 0, false), EnumSet.of(Mode.PARK));
  }

  @Test
  public void shouldBeAwakeAgainAfterWork() {
    modes(LONG_NS, 0, false);
    assertEquals(round(1, false), Mode.NONE);
    assertEquals(round(0, false), Mode.SPIN);
  }

  @Test
  public void shouldKeepACoreOfItsOwnWhileSomethingIsUnderWay() {
    IdleStrategy ownCore = ownCore();
    assertEquals(ownCore.after(1, true, 0, 0), Mode.NONE);
    for (int i = 0; i < 20; i++) {
      assertEquals(ownCore.after(0, true, i, i), Mode.SPIN, "round " + i);
    }
    assertEquals(ownCore.after(0, false, 20, 20), Mode.YIELD);
    long endNs = IdleStrategy.OWN_CORE_SPIN_NS + 20;
    assertEquals(ownCore.after(0, true, endNs, endNs), Mode.YIELD);
  }

  @Test
  public void shouldSleepOnceWhereItsCoreIsShared() {
    IdleStrategy ownCore = ownCore();
    for (int wait = 0; wait < 4; wait++) {
      assertEquals(modeInPlaceOfAYield(ownCore), Mode.YIELD, "wait " + wait);
      nowNs += 60_000; // another has the core
      assertEquals(round(ownCore, 1, true, ROUND_NS), Mode.NONE);
    }
    assertEquals(modeInPlaceOfAYield(ownCore), Mode.PARK_BRIEFLY);
    assertEquals(round(ownCore, 0, true, ROUND_NS), Mode.YIELD);
  }

  @Test
  public void shouldNotSleepWhereYieldsAreShort() {
    IdleStrategy ownCore = ownCore();
    for (int wait = 0; wait < 100; wait++) {
      assertEquals(modeInPlaceOfAYield(ownCore), Mode.YIELD, "wait " + wait);
      nowNs += wait % 4 == 0 ? ROUND_NS : 60_000; // others want a core now and then
      assertEquals(round(ownCore, 1, true, ROUND_NS), Mode.NONE);
    }
  }

  @Test
  public void shouldNotSleepWhereOnlyRoundsAreLong() {
    IdleStrategy ownCore = ownCore();
    for (int wait = 0; wait < 100; wait++) {
      assertEquals(modeInPlaceOfAYield(ownCore), Mode.YIELD, "wait " + wait);
      assertEquals(round(ownCore, 1, true, 60_000), Mode.NONE);
    }
  }

  @Test
  public void shouldSleepSeldomWhereThatIsInVain() {
    IdleStrategy ownCore = ownCore();
    long fromNs = nowNs;
    int sleeps = 0;
    while (nowNs - fromNs < 20_000_000) {
      sleeps += modeInPlaceOfAYield(ownCore) == Mode.PARK_BRIEFLY ? 1 : 0;
      nowNs += 60_000;
      assertEquals(round(ownCore, 1, true, ROUND_NS), Mode.NONE);
    }
    assertEquals(sleeps, 10, 1);
  }

  private static IdleStrategy ownCore() {
    return new IdleStrategy(IdleStrategy.OWN_CORE_SPIN_NS, new SharedCore());
  }

  /** How it idles when it has spun in vain. */
  private Mode modeInPlaceOfAYield(IdleStrategy of) {
    Mode mode;
    do {
      mode = round(of, 0, true, ROUND_NS);
    } while (mode == Mode.SPIN);
    return mode;
  }

  private Mode round(int done, boolean busy) {
    return round(idleStrategy, done, busy, ROUND_NS);
  }

  /** A round that begins now, and takes {@code tookNs}. */
  private Mode round(IdleStrategy of, int done, boolean busy, long tookNs) {
    long startNs = nowNs;
    nowNs += tookNs;
    return of.after(done, busy, startNs, nowNs);
  }

  private Set<Mode> modes(long lengthNs, int done, boolean busy) {
    Set<Mode> seen = EnumSet.noneOf(Mode.class);
    for (long passedNs = 0; passedNs < lengthNs; passedNs += ROUND_NS) {
      seen.add(round(done, busy));
    }
    return seen;
  }
}
