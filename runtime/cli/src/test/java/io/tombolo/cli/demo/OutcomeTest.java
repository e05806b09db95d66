// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import org.testng.annotations.Test;

public class OutcomeTest {
  private static final Bytes MOVED = new Bytes(100, 50);

  @Test
  public void shouldBeGoodWhenAllRanksAgreeWithEachOtherThePlanAndOneProcess() {
    Outcome outcome = outcome(rank(0, "aa", MOVED), rank(1, "aa", MOVED));
    assertTrue(outcome.isGood(), outcome.checks().toString());
    assertEquals(outcome.counted(), new Bytes(200, 100));
  }

  @Test
  public void shouldFailWhenOneRankHoldsOtherWeights() {
    Outcome outcome = outcome(rank(0, "aa", MOVED), rank(1, "ab", MOVED));
    assertFalse(outcome.isGood());
    assertTrue(outcome.checks().get(0).text().contains("2 different"), outcome.checks().toString());
  }

  @Test
  public void shouldFailWhenBytesDifferFromThePlanEvenIfTheSumDoesNot() {
    Outcome outcome = outcome(rank(0, "aa", new Bytes(101, 50)), rank(1, "aa", new Bytes(99, 50)));
    assertFalse(outcome.isGood());
    assertTrue(outcome.checks().get(1).text().contains("[0, 1]"), outcome.checks().toString());
  }

  @Test
  public void shouldFailWhenOneProcessReachesAnotherAccuracy() {
    RankReport.Finished rank = rank(0, "aa", MOVED);
    assertTrue(outcome(0.9651, rank).isGood());
    assertFalse(outcome(0.9649, rank).isGood());
    assertFalse(outcome(0.9751, rank).isGood());
  }

  private static Outcome outcome(RankReport.Finished... ranks) {
    return outcome(0.97, ranks);
  }

  private static Outcome outcome(double aloneAccuracy, RankReport.Finished... ranks) {
    return new Outcome(ImmutableList.copyOf(ranks), ImmutableList.of(), aloneAccuracy);
  }

  private static RankReport.Finished rank(int rank, String hash, Bytes counted) {
    return new RankReport.Finished(rank, hash.repeat(32), 0.1, 0.97, counted, MOVED);
  }
}
