// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.Test;

/** When a call's caller is expected to make the rounds. */
public class CallerHabitTest {
  private static final long SOON_NS = 5_000;
  private static final long LATE_NS = 50_000;

  private final CallerHabit habit = new CallerHabit();
  private long nowNs = Long.MAX_VALUE - 100_000; // clocks may overflow

  @Test
  public void shouldExpectACallerThatHasWaitedAtOnceEightTimes() {
    assertEquals(callsUntilExpected(), 8);
    assertTrue(callAndWait(SOON_NS));
  }

  @Test
  public void shouldNotExpectWhoDoesSomethingElseBeforeItWaits() {
    for (int call = 0; call < 20; call++) {
      assertFalse(callAndWait(LATE_NS), "call " + call);
    }
  }

  @Test
  public void shouldLearnAnewAfterOneCallThatNobodyWaitedFor() {
    callsUntilExpected();
    assertTrue(habit.onCall(nowNs));
    assertFalse(habit.onCall(nowNs)); // for the one before was left alone
    assertEquals(callsUntilExpected(), 8);
  }

  @Test
  public void shouldLearnAnewAfterOneLateWait() {
    callsUntilExpected();
    assertTrue(callAndWait(LATE_NS));
    assertFalse(callAndWait(SOON_NS));
  }

  private int callsUntilExpected() {
    int calls = 0;
    while (!callAndWait(SOON_NS)) {
      calls++;
      assertTrue(calls < 100, "no number of waits makes a habit");
    }
    return calls;
  }

  private boolean callAndWait(long delayNs) {
    boolean expected = habit.onCall(nowNs);
    nowNs += delayNs;
    habit.onWait(nowNs);
    return expected;
  }
}
