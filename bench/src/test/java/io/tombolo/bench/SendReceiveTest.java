// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import java.util.List;
import org.testng.annotations.Test;

public class SendReceiveTest {
  private static final long BLOCK = 5;
  private static final Ring RING = new Ring(ImmutableList.of(0, 2, 1));

  @Test
  public void shouldExpectWhatTheRankBeforeSends() {
    assertEquals(
        SendReceive.of(RING, 2).expected(BLOCK), List.of(new Operation.Part(0, BLOCK, 0, 1, 0)));
    assertEquals(
        SendReceive.of(RING, 0).expected(BLOCK), List.of(new Operation.Part(0, BLOCK, 1, 1, 0)));
  }

  @Test
  public void shouldCallForOneMessageEachWay() {
    for (int rank = 0; rank < RING.size(); rank++) {
      CollectiveCall call =
          SendReceive.of(RING, 0).at(rank).call(BLOCK, DataType.F32, ReduceOp.SUM, false);
      for (int peer = 0; peer < RING.size(); peer++) {
        assertEquals(call.layout().sends().count(peer), peer == RING.next(rank) ? BLOCK : 0);
        assertEquals(call.layout().receives().count(peer), peer == RING.previous(rank) ? BLOCK : 0);
      }
    }
  }

  @Test
  public void shouldHaveOneVectorEachWayAndOneLinkCarryIt() {
    Operation operation = SendReceive.of(RING, 1);
    assertEquals(operation.block(BLOCK), BLOCK, "it is not cut");
    assertEquals(operation.total(BLOCK), BLOCK);
    assertEquals(operation.sendCount(BLOCK), BLOCK);
    assertEquals(operation.busFactor(), 1.0);
    assertEquals(operation.lastWithResult(), 2);
    assertFalse(operation.canBeInPlace());
  }
}
