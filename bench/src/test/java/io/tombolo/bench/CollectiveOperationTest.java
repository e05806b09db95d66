// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.runtime.plan.Collective;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class CollectiveOperationTest {
  private static final int RANKS = 3;
  private static final long BLOCK = 5;

  @DataProvider
  Object[][] operations() {
    return new Object[][] {
      {Collective.ALL_REDUCE, 1, 1, 4.0 / 3},
      {Collective.REDUCE, 1, 1, 1},
      {Collective.BROADCAST, 1, 1, 1},
      {Collective.ALL_GATHER, 1, RANKS, 2.0 / 3},
      {Collective.REDUCE_SCATTER, RANKS, 1, 2.0 / 3},
      {Collective.ALL_TO_ALL, RANKS, RANKS, 2.0 / 3},
      {Collective.GATHER, 1, RANKS, 2.0 / 3},
      {Collective.SCATTER, RANKS, 1, 2.0 / 3},
      {Collective.SCAN, 1, 1, 1},
      {Collective.EXSCAN, 1, 1, 1},
    };
  }

  @Test(dataProvider = "operations")
  public void shouldSayWhatEveryElementOfAResultMustBe(
      Collective collective, long sent, long received, double busFactor) {
    for (int rank = 0; rank < RANKS; rank++) {
      Operation operation = new CollectiveOperation(collective, RANKS, rank);
      boolean deaf =
          collective == Collective.EXSCAN ? rank == 0 : rank > operation.lastWithResult();
      List<Operation.Part> parts = operation.expected(BLOCK);
      long next = 0;
      for (Operation.Part part : parts) {
        assertEquals(part.offset(), next, "without a gap");
        next += part.count();
      }
      assertEquals(next, deaf ? 0 : received * BLOCK);
      assertEquals(operation.sendCount(BLOCK), sent * BLOCK);
      assertEquals(operation.total(BLOCK), Math.max(sent, received) * BLOCK);
      assertEquals(operation.busFactor(), busFactor, 1e-9);
    }
  }

  @Test(dataProvider = "operations")
  public void shouldStayWithinTheLargerVectorInPlace(
      Collective collective, long sent, long received, double busFactor) {
    for (int rank = 0; rank < RANKS; rank++) {
      Operation operation = new CollectiveOperation(collective, RANKS, rank);
      long total = operation.total(BLOCK);
      assertTrue(operation.sendOffset(BLOCK) + sent * BLOCK <= total);
      assertTrue(operation.receiveOffset(BLOCK) + received * BLOCK <= total);
      assertEquals(operation.block(total), BLOCK);
      assertEquals(operation.block(total + RANKS - 1), sent == received && sent == 1 ? 7 : BLOCK);
    }
  }

  @Test
  public void shouldExpectOfAScanWhatTheRanksUpToEachCombineTo() {
    Operation.Part all = new Operation.Part(0, BLOCK, 0, 3, 0);
    Operation.Part others = new Operation.Part(0, BLOCK, 0, 2, 0);
    assertEquals(new CollectiveOperation(Collective.SCAN, RANKS, 2).expected(BLOCK), List.of(all));
    assertEquals(
        new CollectiveOperation(Collective.EXSCAN, RANKS, 2).expected(BLOCK), List.of(others));
  }

  @Test
  public void shouldBeginAPartWithTheElementItBeginsWith() {
    Pattern pattern = new Pattern(io.tombolo.base.DataType.U8, io.tombolo.base.ReduceOp.SUM, RANKS);
    Chunks chunks = new Chunks(pattern, 1, 1);
    byte[] whole = chunks.input(2);
    byte[] part = chunks.expected(new Operation.Part(0, 10, 2, 1, Pattern.PERIOD + 8190L));
    assertEquals(part[0], whole[8190]);
    assertEquals(part[1], whole[0]);
  }
}
