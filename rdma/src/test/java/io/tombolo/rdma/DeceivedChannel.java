// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import java.time.Duration;

/** The channel of a fabric of rank 1 with a rank 0 that is none: it may fail, and no other may. */
public final class DeceivedChannel implements AutoCloseable {
  private static final Duration BUDGET = Duration.ofSeconds(60);
  private static final int SIZE = 500;
  private static final int ROUNDS = 6;
  private static final Channel.Completions IGNORED =
      new Channel.Completions() {
        @Override
        public void onSent(long tag, long sizeBytes) {}

        @Override
        public void onReceived(long tag, long sizeBytes) {}
      };

  private final Fabric victim;
  private final TestMemory memory = new TestMemory(SIZE, 0, 0);
  private final Channel channel;

  /** Channel {@code id} of {@code victim}, which awaits {@code low} and has work to do. */
  public DeceivedChannel(Fabric victim, Fabric low, long id) {
    this.victim = victim;
    channel = victim.connect(0, low.address(), id, Deadline.after(BUDGET));
    channel.receive(1, memory, 0, SIZE);
    channel.send(2, memory, 0, SIZE);
  }

  /** Takes in what it is told; if it fails of that, then with an error that names it. */
  public void listen() {
    for (int round = 0; round < ROUNDS; round++) {
      victim.progress();
      try {
        channel.poll(IGNORED);
      } catch (TomboloException e) {
        assertTrue(e.getMessage().contains("rank 1 to rank 0"), e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    channel.close();
    memory.close();
  }
}
