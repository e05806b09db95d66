// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** What honest ranks do beside strangers: one sends the other a message, which comes as it is. */
public final class HonestExchange {
  private static final int BYTES = 1000;

  private HonestExchange() {}

  /** A message over two ends of a channel; {@code drive} makes progress until a condition holds. */
  public static void over(Channel from, Channel to, Consumer<BooleanSupplier> drive) {
    long before = to.receivedBytes();
    int[] done = new int[2];
    Channel.Completions completions =
        new Channel.Completions() {
          @Override
          public void onSent(long tag, long sizeBytes) {
            done[0]++;
          }

          @Override
          public void onReceived(long tag, long sizeBytes) {
            done[1]++;
          }
        };
    try (TestMemory sent = new TestMemory(BYTES, 0, 0).fill(before);
        TestMemory received = new TestMemory(BYTES, 0, 0)) {
      assertTrue(from.send(1, sent, 0, BYTES));
      assertTrue(to.receive(1, received, 0, BYTES));
      drive.accept(
          () -> {
            from.poll(completions);
            to.poll(completions);
            return done[0] == 1 && done[1] == 1;
          });
      assertEquals(received.get(0, BYTES), sent.get(0, BYTES));
    }
    assertEquals(to.receivedBytes(), before + BYTES);
  }
}
