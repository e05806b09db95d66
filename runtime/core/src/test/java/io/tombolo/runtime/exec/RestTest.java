package io.tombolo.runtime.exec;

import static org.testng.Assert.assertEquals;

import io.tombolo.runtime.exec.Rest.Manner;
import java.util.EnumSet;
import java.util.Set;
import org.testng.annotations.Test;

/** How the agent rests, round after round. */
public class RestTest {
  private static final long ROUND_NS = 2_000;
  private static final long LONG_NS = 1_000_000;

  private final Rest rest = new Rest();
  private long nowNs = Long.MAX_VALUE - 10 * ROUND_NS; // clocks may overflow

  @Test
  public void shouldNotRestWhileThereIsWork() {
    assertEquals(manners(LONG_NS, 1, true), EnumSet.of(Manner.NONE));
  }

  @Test
  public void shouldOnlyLetOthersRunRightAfterWork() {
    round(1, true);
    assertEquals(manners(50_000, 0, true), EnumSet.of(Manner.SPIN, Manner.YIELD));
    round(1, true);
    assertEquals(manners(50_000, 0, false), EnumSet.of(Manner.SPIN, Manner.YIELD));
  }

  @Test
  public void shouldSleepWhenNothingHasComeForAWhile() {
    manners(LONG_NS, 0, true);
    assertEquals(manners(LONG_NS, 0, true), EnumSet.of(Manner.DOZE));
    assertEquals(manners(LONG_NS, 0, false), EnumSet.of(Manner.SLEEP));
  }

  @Test
  public void shouldBeAwakeAgainAfterWork() {
    manners(LONG_NS, 0, false);
    assertEquals(round(1, false), Manner.NONE);
    assertEquals(round(0, false), Manner.SPIN);
  }

  private Manner round(int done, boolean busy) {
    nowNs += ROUND_NS;
    return rest.after(done, busy, nowNs);
  }

  private Set<Manner> manners(long lengthNs, int done, boolean busy) {
    Set<Manner> seen = EnumSet.noneOf(Manner.class);
    for (long passedNs = 0; passedNs < lengthNs; passedNs += ROUND_NS) {
      seen.add(round(done, busy));
    }
    return seen;
  }
}
