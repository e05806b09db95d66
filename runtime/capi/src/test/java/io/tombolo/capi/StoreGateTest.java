// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.AbortedException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.Test;

public class StoreGateTest {
  private final StoreGate gate = new StoreGate("the store");

  @Test(timeOut = 60_000)
  public void shouldMakeTheLastCallAfterThoseThatAreInside() throws InterruptedException {
    List<String> order = new CopyOnWriteArrayList<>();
    CountDownLatch isInside = new CountDownLatch(1);
    CountDownLatch mayLeave = new CountDownLatch(1);
    Thread caller =
        new Thread(
            () ->
                gate.inside(
                    () -> {
                      isInside.countDown();
                      awaitQuietly(mayLeave);
                      return order.add("call");
                    }));
    caller.start();
    isInside.await();
    Thread closer = new Thread(() -> gate.shut(() -> order.add("last")));
    closer.start();
    while (closer.getState() != Thread.State.WAITING && order.isEmpty()) {
      Thread.onSpinWait();
    }
    AbortedException refused =
        expectThrows(AbortedException.class, () -> gate.inside(() -> order.add("late")));
    assertTrue(refused.getMessage().contains("the store"), refused.getMessage());
    mayLeave.countDown();
    caller.join();
    closer.join();
    gate.shut(() -> order.add("again"));
    assertEquals(order, List.of("call", "last"));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
