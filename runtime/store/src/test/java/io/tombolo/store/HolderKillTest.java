// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.testng.annotations.Test;

/** Two processes that hold a tensor's halves, one of which is killed, and what readers see. */
public class HolderKillTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int KILLS = Boolean.getBoolean("tombolo.deep") ? 200 : 3;
  private static final int MAX_MS = 100;
  private static final int HALF = 1 << 19;

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
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
          processes.add(start(token, "run " + kill, rank));
        }
        for (Process process : processes) {
          addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), port(process)));
        }
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
        for (Process process : processes) {
          assertTrue(process.destroyForcibly().waitFor(60, TimeUnit.SECONDS), where);
        }
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
      float[] whole = Tensors.elements(snapshot.get("w"));
      assertEquals(whole.length, 2 * HALF, where);
      for (int index = 0; index < whole.length; index += 509) {
        assertEquals(whole[index], (float) snapshot.version(), where);
      }
      return snapshot.version();
    }
  }

  private static int port(Process process) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    return Integer.parseInt(out.readLine());
  }

  private static Process start(JobToken token, String run, int rank) throws IOException {
    ImmutableList.Builder<String> command = ImmutableList.builder();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-cp");
    command.add(System.getProperty("java.class.path"), Client.class.getName());
    command.add(run, String.valueOf(rank));
    ProcessBuilder builder = new ProcessBuilder(command.build());
    builder.environment().put("TOMBOLO_TOKEN", token.hex());
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** A process that shows version after version of its half until it is killed. */
  public static final class Client {
    private Client() {}

    /** Its run and rank are the arguments; it prints its port. */
    public static void main(String[] arguments) {
      int rank = Integer.parseInt(arguments[1]);
      JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
      InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      VolumeOptions options = new VolumeOptions(2L * HALF * Float.BYTES, 1, LONG);
      try (Volume volume = Volume.serve(anyPort, token, options)) {
        Holding holding = volume.hold("policy", new HolderRank(arguments[0], 2, rank));
        TensorSpec whole = TensorSpec.of(DataType.F32, 2L * HALF);
        long from = (long) rank * HALF;
        Box box = Box.between(new long[] {from}, new long[] {from + HALF});
        HostTensor half = Tensors.constant(0, HALF);
        System.out.println(volume.address().getPort());
        for (int version = 1; ; version++) {
          Tensors.fill(half, version);
          holding.show(version, Map.of("w", new TensorPart(whole, box, half)), LONG);
        }
      }
    }
  }
}
