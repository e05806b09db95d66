// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.LateEnds;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Reliable connections take memory only while they are used. */
public final class RcRestTest {
  private static final int PEERS = 1000;

  /** Before those that count: classes are loaded and compiled. */
  private static final int FIRST_PEERS = 200;

  private static final int MAX_KIB_PER_END = 16;
  private static final int SIZE = 300_000;

  private static final String REFUSALS = "EIO_PERCENT";

  private final AtomicLong clock = new AtomicLong();

  @AfterMethod
  public void repair() {
    EmulatedHca.set(REFUSALS, "0");
  }

  @Test(timeOut = 120_000)
  public void shouldTakeLittleMemoryForPeersThatAreIdle() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xms256m", // all of the heap is there from the start,
                "-Xmx256m",
                "-XX:+AlwaysPreTouch", // and in memory: what is added there is something else's
                "-cp",
                System.getProperty("java.class.path"),
                IdleEnds.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      assertEquals(process.waitFor(), 0, said);
      String last = said.substring(said.lastIndexOf('\n') + 1); // the JVM may say more before
      double perEndKib = Double.parseDouble(last);
      System.out.printf("an idle end over rc: %.1f KiB, of %d%n", perEndKib, 2 * PEERS);
      assertTrue(perEndKib <= MAX_KIB_PER_END, perEndKib + " KiB for each end");
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * A process of its own: what tests leave in this one, and give back meanwhile, counts as well.
   */
  static final class IdleEnds {
    private IdleEnds() {}

    /** Says how many KiB each idle end takes. */
    public static void main(String[] arguments) throws IOException {
      try (Fabric low = open(0, Ticker.systemTicker());
          Fabric high = open(1, Ticker.systemTicker())) {
        List<Channel> ends = new ArrayList<>();
        add(FIRST_PEERS, ends, low, high);
        long objects = EmulatedHca.living();
        long beforeKib = takenKib();
        add(PEERS, ends, low, high);
        double perEndKib = (takenKib() - beforeKib) / (2.0 * PEERS);
        assertEquals(EmulatedHca.living(), objects, "objects of the NIC");
        System.out.println(perEndKib);
      }
    }
  }

  private static void add(int peers, List<Channel> ends, Fabric low, Fabric high) {
    for (int i = 0; i < peers; i++) {
      ends.addAll(join(low, high, ends.size()));
    }
    FabricPair.drive(() -> ends.stream().allMatch(Channel::isOpen), low, high);
  }

  /** How much of what is to be freed the NIC refuses at first. */
  @DataProvider
  public Object[][] refusals() {
    return new Object[][] {{"0"}, {"40"}};
  }

  @Test(dataProvider = "refusals", timeOut = 120_000)
  public void shouldFreeBothEndsWhenNothingIsSentForAWhileAndGoOnAfterwards(String refusals) {
    long seed = Long.getLong("tombolo.seed", 49);
    Random random = new Random(seed);
    try (Fabric low = open(0);
        Fabric high = open(1);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(seed);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      List<Channel> ends = join(low, high, 1);
      FabricPair.drive(() -> ends.stream().allMatch(Channel::isOpen), low, high);
      long asleep = LateEnds.living();
      long bytes = 0;
      for (int life = 0; life < 6; life++) {
        int from = random.nextInt(2);
        for (int message = 0; message < 3; message++) {
          int size = random.nextInt(SIZE);
          bytes += size;
          deliver(ends.get(from), ends.get(1 - from), source, target, size, low, high);
        }
        assertTrue(EmulatedHca.living() > asleep, "it is awake in life " + life);
        EmulatedHca.set(REFUSALS, refusals);
        fallAsleep(life, asleep, low, high);
        EmulatedHca.set(REFUSALS, "0");
      }
      assertEquals(ends.get(0).sentBytes() + ends.get(1).sentBytes(), bytes, "seed " + seed);
      assertEquals(ends.get(0).receivedBytes() + ends.get(1).receivedBytes(), bytes);
    }
  }

  /** Whichever looks first asks, or both do. */
  private void fallAsleep(int life, long asleep, Fabric low, Fabric high) {
    Fabric first = life % 3 == 0 ? high : low;
    for (int round = 0; round < 300; round++) {
      first.progress(); // notices that it is idle
    }
    clock.addAndGet(Duration.ofSeconds(11).toNanos());
    FabricPair.drive(
        () -> {
          clock.addAndGet(100_000_000);
          return EmulatedHca.living() == asleep;
        },
        low,
        high);
  }

  /** A message that is posted while the two agree to rest is neither lost nor held up. */
  @Test(timeOut = 120_000)
  public void shouldDeliverWhatIsSentWhileTheEndsGoToRest() {
    long seed = Long.getLong("tombolo.seed", 94);
    Random random = new Random(seed);
    try (Fabric low = open(0);
        Fabric high = open(1);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(seed);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      List<Channel> ends = join(low, high, 1);
      for (int message = 0; message < 100; message++) {
        int from = random.nextInt(2);
        int size = random.nextInt(5000);
        deliver(ends.get(from), ends.get(1 - from), source, target, size, low, high);
        for (int step = random.nextInt(400); step > 0; step--) {
          (random.nextBoolean() ? low : high).progress();
          clock.addAndGet(100_000_000);
        }
        assertEquals(target.get(0, size), source.get(0, size), "seed " + seed);
      }
    }
  }

  private static void deliver(
      Channel sender,
      Channel receiver,
      TestMemory source,
      TestMemory target,
      int size,
      Fabric... fabrics) {
    target.fill(-1);
    Log log = new Log();
    assertTrue(sender.send(1, source, 0, size));
    assertTrue(receiver.receive(1, target, 0, size));
    FabricPair.drive(
        () -> {
          sender.poll(log);
          receiver.poll(log);
          return log.sent.size() + log.received.size() == 2;
        },
        fabrics);
    assertEquals(target.get(0, size), source.get(0, size));
  }

  private Fabric open(int rank) {
    return open(
        rank,
        new Ticker() {
          @Override
          public long read() {
            return clock.get();
          }
        });
  }

  private static Fabric open(int rank, Ticker ticker) {
    return Kind.EMU_RC.open(
        new FabricSettings(rank, TOKEN, HostPinner.none(), SlotGeometry.DEFAULT, ticker));
  }

  private static final JobToken TOKEN = JobToken.random();

  private static List<Channel> join(Fabric low, Fabric high, long id) {
    Deadline deadline = Deadline.after(FabricPair.BUDGET);
    List<Channel> ends =
        List.of(
            low.connect(1, high.address(), id, deadline),
            high.connect(0, low.address(), id, deadline));
    low.progress();
    high.progress();
    return ends;
  }

  /** Of the heap, which is in memory as a whole, what is used; and all beside it. */
  private static long takenKib() throws IOException {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    long residentKib =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .findFirst()
            .orElseThrow();
    return residentKib + memory.getHeapMemoryUsage().getUsed() / 1024;
  }
}
