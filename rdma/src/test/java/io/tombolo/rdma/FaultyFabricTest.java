// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.faulty.Faults;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Real sockets and the emulated HCA, behind a link on which things go wrong both ways. */
public final class FaultyFabricTest {
  private static final Duration BUDGET = Duration.ofSeconds(30);
  private static final String CLOGGED =
      "loss=5%,clog=0.2%:3ms,partition=0.05%:20ms,delay=20us,rate=1Gbit,queue=300kB,seed=3";
  private static final int MESSAGES = 40;
  private static final int MESSAGE_BYTES = 100_000;

  @DataProvider
  public Object[][] faults() {
    return new Object[][] {
      {Kind.UDP, "loss=20%,reorder=10%:1ms,duplicate=5%,delay=50us,seed=1"},
      {Kind.UDP, "loss=20%,reorder=10%:1ms,duplicate=5%,delay=50us,seed=2"},
      {Kind.UDP, CLOGGED},
      {Kind.EMU_UC, "loss=20%,reorder=10%:1ms,duplicate=5%,delay=50us,seed=4"},
      {Kind.EMU_UC, CLOGGED},
      {Kind.PATHS3_UC, "loss=20%,reorder=10%:1ms,duplicate=5%,delay=50us,seed=7"},
      {Kind.EMU_UD, "loss=20%,reorder=10%:1ms,duplicate=5%,delay=50us,seed=5"},
      {Kind.EMU_UD, CLOGGED},
    };
  }

  @Test(dataProvider = "faults")
  public void shouldDeliverEveryByteBothWaysWhateverGoesWrong(Kind kind, String faults) {
    converse(
        kind,
        faults,
        (sender, receiver) ->
            assertTrue(sender.resent() > sender.spuriousResends, "nothing got lost"));
  }

  @DataProvider
  public Object[][] lossyKinds() {
    return new Object[][] {{Kind.UDP}, {Kind.EMU_UC}, {Kind.EMU_UD}};
  }

  @Test(dataProvider = "lossyKinds")
  public void shouldDropWhatTheNetworkRepeats(Kind kind) {
    converse(
        kind,
        "duplicate=20%,delay=50us,seed=6",
        (sender, receiver) -> {
          long twice = receiver.duplicates + receiver.fencedWrites - sender.resent();
          System.out.printf("%s: %d chunks, %d twice%n", kind, sender.chunksSent, twice);
          assertTrue(twice > sender.chunksSent / 20, "twice: " + twice);
        });
  }

  private static void converse(
      Kind kind, String faults, BiConsumer<ProtocolCounters, ProtocolCounters> look) {
    JobToken token = JobToken.random();
    try (Fabric low = open(kind, 0, token, faults);
        Fabric high = open(kind, 1, token, faults);
        Way up = new Way(1);
        Way down = new Way(2)) {
      Deadline deadline = Deadline.after(BUDGET);
      Channel fromLow = low.connect(1, high.address(), 1, deadline);
      Channel fromHigh = high.connect(0, low.address(), 1, deadline);
      up.post(fromLow, fromHigh);
      down.post(fromHigh, fromLow);
      while (!(up.isDone() && down.isDone())) {
        low.progress();
        high.progress();
        fromLow.poll(both(up, down));
        fromHigh.poll(both(down, up));
        assertTrue(!deadline.isExpired(), faults + ": not done in " + BUDGET);
      }
      up.check(faults);
      down.check(faults);
      ProtocolCounters counters = fromLow.protocolCounters().orElseThrow();
      System.out.printf(
          "%s, %s: %d chunks, %d of them repeats, %d in vain%n",
          kind, faults, counters.chunksSent, counters.resent(), counters.spuriousResends);
      look.accept(counters, fromHigh.protocolCounters().orElseThrow());
    }
  }

  private static Fabric open(Kind kind, int rank, JobToken token, String faults) {
    return kind.open(
        FabricSettings.of(rank, token, HostPinner.none()), Optional.of(Faults.parse(faults)));
  }

  private static Channel.Completions both(Way out, Way in) {
    return new Channel.Completions() {
      @Override
      public void onSent(long tag, long sizeBytes) {
        assertEquals(tag, out.sent++);
      }

      @Override
      public void onReceived(long tag, long sizeBytes) {
        assertEquals(tag, in.received++);
      }
    };
  }

  /** Messages of one direction, back to back in the memory of both sides. */
  private static final class Way implements AutoCloseable {
    private final TestMemory source;
    private final TestMemory target;
    private long sent;
    private long received;

    Way(long seed) {
      source = memory(seed).fill(seed);
      target = memory(seed);
    }

    private static TestMemory memory(long seed) {
      return new TestMemory((long) MESSAGES * MESSAGE_BYTES, 0, seed).exported();
    }

    void post(Channel sender, Channel receiver) {
      for (int i = 0; i < MESSAGES; i++) {
        assertTrue(sender.send(i, source, (long) i * MESSAGE_BYTES, MESSAGE_BYTES - i));
        assertTrue(receiver.receive(i, target, (long) i * MESSAGE_BYTES, MESSAGE_BYTES - i));
      }
    }

    boolean isDone() {
      return sent == MESSAGES && received == MESSAGES;
    }

    void check(String what) {
      for (int i = 0; i < MESSAGES; i++) {
        long at = (long) i * MESSAGE_BYTES;
        assertEquals(target.get(at, MESSAGE_BYTES - i), source.get(at, MESSAGE_BYTES - i), what);
        assertEquals(target.get(at + MESSAGE_BYTES - i, i), new byte[i], what);
      }
    }

    @Override
    public void close() {
      source.close();
      target.close();
    }
  }
}
