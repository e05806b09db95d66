// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.errors.UnavailableException;
import java.time.Duration;
import org.testng.annotations.Test;

public final class WarmUpTest {
  private static final Duration BRIEFLY = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final CoreShare ENOUGH = new CoreShare(2, 2, false);

  @Test
  public void shouldTellNothingWhereNothingIsDone() {
    assertEquals(WarmUp.begin(Duration.ZERO, ENOUGH, false).await(), "");
    CoreShare few = new CoreShare(2, 3, false);
    assertEquals(WarmUp.begin(LONG, few, false).await(), "");
  }

  @Test
  public void shouldEndWhenItsTimeIsOver() {
    WarmUp warmUp = WarmUp.begun(BRIEFLY, () -> new PrivateJob(false));
    String told = warmUp.await();
    assertTrue(told.matches("; \\d+ turns warmed it up( in \\d+ ms|, and are ending)"), told);
  }

  @Test
  public void shouldEndSoonIfItIsGivenUp() {
    try (WarmUp warmUp = WarmUp.begun(LONG, () -> new PrivateJob(false))) {
      warmUp.close();
      String told = warmUp.await();
      assertTrue(told.matches("; \\d+ turns warmed it up in \\d+ ms"), told);
    }
  }

  @Test
  public void shouldKeepNobodyFromJoiningIfItCannotBeDone() {
    WarmUp warmUp =
        WarmUp.begun(
            LONG,
            () -> {
              throw new UnavailableException("no memory is shared here");
            });
    String told = warmUp.await();
    assertTrue(told.matches("; 0 turns warmed it up in \\d+ ms"), told);
  }

  @Test
  public void shouldNotShowInWhatACommunicatorTells() {
    ImmutableSortedMap<String, String> settings = ImmutableSortedMap.of("warm_up_ms", "100");
    try (ThreadRanks ranks = new ThreadRanks(2, settings)) {
      for (Communicator each : ranks.all()) {
        assertEquals(each.activity().operations(), 0);
        assertEquals(each.activity().votes(), 0);
        assertEquals(each.traffic().intraBytes(), 0);
        assertEquals(each.traffic().crossBytes(), 0);
        assertEquals(each.traffic().copiedBytes(), 0);
      }
      ThreadRanks.assertUsable(ranks.all());
    }
  }
}
