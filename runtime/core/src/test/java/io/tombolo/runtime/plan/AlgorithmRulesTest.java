// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.Optional;
import org.testng.annotations.Test;

public class AlgorithmRulesTest {

  @Test
  public void shouldTakeTheFirstRuleThatFits() {
    AlgorithmRules rules = AlgorithmRules.parse("all_reduce:0-4k@doubling#all_reduce:0-1m@direct");
    assertEquals(rules.choose(Collective.ALL_REDUCE, 4_096), Optional.of(Algorithm.DOUBLING));
    assertEquals(rules.choose(Collective.ALL_REDUCE, 4_097), Optional.of(Algorithm.DIRECT));
    assertEquals(rules.choose(Collective.ALL_REDUCE, 2 << 20), Optional.empty());
    assertEquals(rules.choose(Collective.BROADCAST, 8), Optional.empty());
    assertEquals(AlgorithmRules.parse(rules.toString()), rules);
  }

  @Test
  public void shouldSayWhichAlgorithmsAnOperationHas() {
    isRefused("all_reduce@ring", "all_reduce", "pieces, direct, doubling");
    isRefused("broadcast@doubling", "broadcast", "pieces, direct");
    isRefused("all_gather_v@doubling", "all_gather_v", "pieces, direct");
  }

  private static void isRefused(String rule, String operation, String choices) {
    String message =
        expectThrows(UsageException.class, () -> AlgorithmRules.parse(rule)).getMessage();
    assertTrue(message.startsWith("'" + rule + "': " + operation + " has no algorithm"), message);
    assertTrue(message.contains("choose one of " + choices), message);
  }
}
