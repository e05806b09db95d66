// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.vote;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Scheme;
import java.util.List;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class LastBallotTest {
  private LoadingCache<Plan, Vote.Ballot> ballots;
  private LastBallot last;
  private int lookedUp;

  @BeforeMethod
  public void begin() {
    ballots = CacheBuilder.newBuilder().weakKeys().build(CacheLoader.from(this::ballot));
    last = new LastBallot(ballots);
    lookedUp = 0;
  }

  private Vote.Ballot ballot(Plan plan) {
    lookedUp++;
    return Vote.Ballot.of(3, 0, plan.call(), plan.scheme());
  }

  private static Plan plan(long count) {
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
    return new Plan(call, 3, new Scheme(Scheme.Way.ALONE, 0), ImmutableList.of(), 0, 0, 0, 0);
  }

  @Test
  public void shouldSayWhatBelongsToThePlanWhenCallsAlternate() {
    Plan first = plan(8);
    Plan second = plan(9);
    for (Plan next : List.of(first, second, first, first, second, second, first)) {
      assertEquals(last.of(next).count(), next.call().layout().count(0));
      assertSame(last.of(next), ballots.getUnchecked(next));
    }
    assertEquals(lookedUp, 2, "each is made once");
  }

  @Test
  public void shouldNotLookUpARepeatedCall() {
    Plan plan = plan(8);
    Vote.Ballot said = last.of(plan);
    ballots.invalidateAll();
    assertSame(last.of(plan), said);
    assertEquals(lookedUp, 1);
  }
}
