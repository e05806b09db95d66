// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.testng.annotations.Test;

/** Two processes that hold a tensor, one of which is killed, and what readers see. */
public class HolderKillTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int KILLS = Boolean.getBoolean("tombolo.deep") ? 200 : 3;
  private static final int MAX_MS = 100;
  private static final Duration HANGS = Duration.ofSeconds(5);
  private static final int AFTER = 3;
  private static final int HALF = 1 << 19;
  private static final String HALVES = "a half each";
  private static final String REPLICAS = "all, each";

  @Test(timeOut = 3_600_000)
  public void shouldShowVersionsAsAWholeUntilAHolderIsKilledAndNameItThen() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    JobToken token = JobToken.random();
    Kept afterFirst = null; // what is made once for all is there then
    for (int kill = 0; kill < KILLS; kill++) {
      String where = "-Dtombolo.seed=" + seed + ", kill " + kill;
      List<Process> processes = new ArrayList<>();
      try {
        List<InetSocketAddress> addresses = start(processes, token, "run " + kill, HALVES);
        StoreOptions options = new StoreOptions(LONG, kill % 2 == 0);
        try (TensorHolders reader = TensorHolders.connect(addresses, token, options)) {
          long last = readWhole(reader, 0, where);
          Deadline until = Deadline.after(Duration.ofMillis(random.nextInt(MAX_MS)));
          do {
            last = readWhole(reader, last, where);
          } while (!until.isExpired());
          int victim = random.nextInt(2);
          HeldSnapshot before = reader.await("policy", last, LONG);
          assertTrue(processes.get(victim).destroyForcibly().waitFor(60, TimeUnit.SECONDS), where);
          assertThrows(PeerFailedException.class, () -> before.get("w"));
          assertThrows(PeerFailedException.class, before::check);
          before.close();
          String named = ":" + addresses.get(victim).getPort();
          PeerFailedException gone = readUntilFailure(reader, last, where);
          assertTrue(gone.getMessage().contains(named), where + ": " + gone.getMessage());
        }
      } finally {
        end(processes);
      }
      Kept now = Kept.byThisProcess();
      if (afterFirst == null) {
        afterFirst = now;
      }
      assertTrue(now.mappings() <= afterFirst.mappings(), where + ": " + afterFirst + ", " + now);
      assertTrue(
          now.connections() <= afterFirst.connections(), where + ": " + afterFirst + ", " + now);
    }
  }

  /** The snapshot is read without a pause, so that most kills come in the middle of a copy. */
  @Test(timeOut = 3_600_000)
  public void shouldReadOnFromTheOtherWhenOneOfTwoThatHaveAllIsKilled() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    JobToken token = JobToken.random();
    for (int kill = 0; kill < KILLS; kill++) {
      String where = "-Dtombolo.seed=" + seed + ", kill " + kill;
      List<Process> processes = new ArrayList<>();
      try {
        List<InetSocketAddress> addresses = start(processes, token, "run " + kill, REPLICAS);
        StoreOptions options = new StoreOptions(LONG, kill % 2 == 0);
        try (TensorHolders reader = TensorHolders.connect(addresses, token, options);
            HeldSnapshot snapshot = reader.await("policy", 0, LONG)) {
          Process victim = processes.get(random.nextInt(2));
          CompletableFuture.delayedExecutor(random.nextInt(MAX_MS), TimeUnit.MILLISECONDS)
              .execute(victim::destroyForcibly);
          do {
            assertWhole(snapshot, where);
          } while (victim.isAlive());
          assertWhole(snapshot, where);
          snapshot.verify("w");
          snapshot.check();
          long last = snapshot.version();
          snapshot.close(); // the other has memory for the next version beside it, and for no more
          for (int next = 0; next < AFTER; next++) {
            last = readWhole(reader, last, where);
          }
        }
      } finally {
        end(processes);
      }
    }
  }

  /** A stopped process has not gone for the system: the reader waits out its own timeout once. */
  @Test(timeOut = 300_000)
  public void shouldOpenNewVersionsFromTheOtherWhenOneOfTwoThatHaveAllHangs() throws Exception {
    JobToken token = JobToken.random();
    List<Process> processes = new ArrayList<>();
    try {
      List<InetSocketAddress> addresses = start(processes, token, "run 1", REPLICAS);
      StoreOptions options = new StoreOptions(HANGS, false);
      try (TensorHolders reader = TensorHolders.connect(addresses, token, options)) {
        long last = readWhole(reader, 0, "both run");
        String victim = String.valueOf(processes.get(0).pid());
        Process stop = new ProcessBuilder("kill", "-STOP", victim).inheritIO().start();
        assertTrue(stop.waitFor(60, TimeUnit.SECONDS));
        assertEquals(stop.exitValue(), 0);
        for (int next = 0; next < AFTER; next++) {
          last = readWhole(reader, last, "one hangs");
        }
      }
    } finally {
      end(processes);
    }
  }

  private static List<InetSocketAddress> start(
      List<Process> processes, JobToken token, String run, String share) throws IOException {
    for (int rank = 0; rank < 2; rank++) {
      processes.add(ClientProcess.start(Client.class, token, run, String.valueOf(rank), share));
    }
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (Process process : processes) {
      addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), port(process)));
    }
    return addresses;
  }

  private static void end(List<Process> processes) throws InterruptedException {
    for (Process process : processes) {
      assertTrue(process.destroyForcibly().waitFor(60, TimeUnit.SECONDS));
    }
  }

  /** What this process has of holders' memory, and of connections and what waits for them. */
  private record Kept(long mappings, long connections) {
    static Kept byThisProcess() throws IOException {
      try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"));
          Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
        return new Kept(
            maps.filter(line -> line.contains("memfd:tombolo-volume")).count(),
            descriptors.map(Kept::target).filter(Kept::isConnection).count());
      }
    }

    private static boolean isConnection(String target) {
      return target.startsWith("socket:") || target.startsWith("anon_inode:");
    }

    private static String target(Path descriptor) {
      try {
        return Files.readSymbolicLink(descriptor).toString();
      } catch (IOException e) {
        return "closed meanwhile";
      }
    }
  }

  private static PeerFailedException readUntilFailure(
      TensorHolders reader, long before, String where) {
    long last = before;
    while (true) {
      try {
        last = readWhole(reader, last, where);
      } catch (PeerFailedException e) {
        return e;
      }
    }
  }

  private static long readWhole(TensorHolders reader, long before, String where) {
    try (HeldSnapshot snapshot = reader.await("policy", before, LONG)) {
      assertWhole(snapshot, where);
      return snapshot.version();
    }
  }

  private static void assertWhole(HeldSnapshot snapshot, String where) {
    assertEquals(snapshot.spec("w"), TensorSpec.of(DataType.F32, 2 * HALF), where);
    float whole = Tensors.requireConstant(snapshot.get("w"), where);
    assertEquals(whole, (float) snapshot.version(), where);
  }

  private static int port(Process process) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    return Integer.parseInt(out.readLine());
  }

  /** A process that shows version after version of its share until it is killed. */
  public static final class Client {
    private Client() {}

    /** Its run, rank and share are the arguments; it prints its port. */
    public static void main(String[] arguments) {
      int rank = Integer.parseInt(arguments[1]);
      JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
      InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      int replicas = arguments[2].equals(REPLICAS) ? 2 : 1;
      int mine = HALF * replicas;
      VolumeOptions options = new VolumeOptions(2L * mine * Float.BYTES, 1, LONG);
      try (Volume volume = Volume.serve(anyPort, token, options)) {
        Holding holding = volume.hold("policy", new HolderRank(arguments[0], 2, rank, replicas));
        TensorSpec whole = TensorSpec.of(DataType.F32, 2L * HALF);
        long from = (long) rank * (2 * HALF - mine);
        Box box = Box.between(new long[] {from}, new long[] {from + mine});
        HostTensor share = Tensors.constant(0, mine);
        System.out.println(volume.address().getPort());
        for (int version = 1; ; version++) {
          Tensors.fill(share, version);
          holding.show(version, Map.of("w", new TensorPart(whole, box, share)), LONG);
        }
      }
    }
  }
}
