// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;

import io.tombolo.base.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Both ways at once, with memory that copies late and out of order, steps taken at random; for half
 * of the seeds with messages so large that the wire reads and writes them in place where it can.
 */
public final class RandomTrafficTest {
  private static final int SEEDS = 30;

  /** Opening UCX twice takes 50 ms, and its own tests mix ways too. */
  private static final int UCX_SEEDS = 8;

  private static final int MESSAGES = 60;
  private static final int MEMORY_BYTES = 1 << 15;

  /** Makes most messages larger than what UCX copies because they are small. */
  private static final int LARGE = 64;

  @DataProvider
  public Object[][] kindsAndSeeds() {
    List<Object[]> rows = new ArrayList<>();
    for (Kind kind : Kind.chosen(Kind.ANYWHERE)) {
      for (int seed = 0; seed < (kind == Kind.UCX ? UCX_SEEDS : SEEDS); seed++) {
        rows.add(new Object[] {kind, seed});
      }
    }
    return rows.toArray(Object[][]::new);
  }

  @Test(dataProvider = "kindsAndSeeds")
  public void shouldDeliverEverythingInOrderWhenStepsInterleaveAtRandom(Kind kind, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int scale = seed % 2 == 0 ? 1 : LARGE;
    int payload = scale * 64 * (1 + random.nextInt(8));
    SlotGeometry geometry = new SlotGeometry(1 + random.nextInt(5), payload);
    try (FabricPair pair = new FabricPair(kind, geometry);
        Way up = new Way(pair.fromLow, pair.fromHigh, scale, random.split());
        Way down = new Way(pair.fromHigh, pair.fromLow, scale, random.split())) {
      Deadline deadline = Deadline.after(FabricPair.BUDGET);
      while (!(up.isDone() && down.isDone())) {
        switch (random.nextInt(6)) {
          case 0 -> up.postSend();
          case 1 -> up.postReceive();
          case 2 -> down.postSend();
          case 3 -> down.postReceive();
          case 4 -> pair.low.progress();
          default -> pair.high.progress();
        }
        pair.fromLow.poll(both(up.sent, down.received));
        pair.fromHigh.poll(both(down.sent, up.received));
        if (deadline.isExpired()) {
          throw new AssertionError(
              "stuck: "
                  + kind
                  + ", seed "
                  + seed
                  + ", "
                  + geometry
                  + "; up: "
                  + up
                  + "; down: "
                  + down);
        }
      }
      up.check("up, seed " + seed);
      down.check("down, seed " + seed);
      assertEquals(pair.fromHigh.receivedBytes(), up.totalBytes);
      assertEquals(pair.fromLow.sentBytes(), up.totalBytes);
    }
  }

  private static Channel.Completions both(List<Long> sent, List<Long> received) {
    return new Channel.Completions() {
      @Override
      public void onSent(long tag, long sizeBytes) {
        sent.add(tag);
      }

      @Override
      public void onReceived(long tag, long sizeBytes) {
        received.add(tag);
      }
    };
  }

  /** One direction: messages of random sizes, back to back in the memory of both sides. */
  private static final class Way implements AutoCloseable {
    private final Channel sender;
    private final Channel receiver;
    private final TestMemory source;
    private final TestMemory target;
    private final long[] offset = new long[MESSAGES + 1];
    private final List<Long> sent = new ArrayList<>();
    private final List<Long> received = new ArrayList<>();
    private final long totalBytes;
    private int sends;
    private int receives;

    Way(Channel sender, Channel receiver, int scale, SplittableRandom random) {
      this.sender = sender;
      this.receiver = receiver;
      int bytes = scale * MEMORY_BYTES;
      source = memory(bytes, scale, random).fill(random.nextLong());
      target = memory(bytes, scale, random);
      for (int i = 0; i < MESSAGES; i++) {
        int most = bytes / MESSAGES;
        offset[i + 1] = offset[i] + (random.nextInt(4) == 0 ? 0 : random.nextInt(most));
      }
      totalBytes = offset[MESSAGES];
    }

    private static TestMemory memory(int bytes, int scale, SplittableRandom random) {
      TestMemory memory = new TestMemory(bytes, 6, random.nextLong());
      return scale == LARGE ? memory.exported().registered() : memory;
    }

    void postSend() {
      if (sends < MESSAGES && sender.send(sends, source, offset[sends], size(sends))) {
        sends++;
      }
    }

    void postReceive() {
      if (receives < MESSAGES
          && receiver.receive(receives, target, offset[receives], size(receives))) {
        receives++;
      }
    }

    private long size(int message) {
      return offset[message + 1] - offset[message];
    }

    boolean isDone() {
      return sent.size() == MESSAGES && received.size() == MESSAGES;
    }

    @Override
    public String toString() {
      return "posted %d and %d, sent %d, received %d, protocol %s"
          .formatted(sends, receives, sent.size(), received.size(), sender.protocolCounters());
    }

    void check(String what) {
      for (int i = 0; i < MESSAGES; i++) {
        assertEquals((long) sent.get(i), i, what);
        assertEquals((long) received.get(i), i, what);
      }
      assertEquals(target.get(0, totalBytes), source.get(0, totalBytes), what);
    }

    @Override
    public void close() {
      source.close();
      target.close();
    }
  }
}
