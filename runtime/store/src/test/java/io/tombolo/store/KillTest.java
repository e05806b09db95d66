// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

/**
 * Writers and readers that are killed while they write and read, over shared memory and over a
 * connection, and what others see of it over both.
 */
public class KillTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int KILLS = Boolean.getBoolean("tombolo.deep") ? 200 : 4;

  /** Most kills hit a process in the middle of a put or get, which takes some milliseconds. */
  private static final int MAX_MS = 60;

  private static final int ELEMENTS = 1 << 20;

  @Test(timeOut = 3_600_000)
  public void shouldShowNothingTornAndLeaveNothingBehindWhenClientsAreKilled() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Volume volume = Volume.serve(anyPort, token, new VolumeOptions(64 << 20, 2, LONG));
        TensorStore near = TensorStore.connect(volume.address(), token, options(true));
        TensorStore far = TensorStore.connect(volume.address(), token, options(false))) {
      Dict policy = new Dict();
      policy.put(near);
      List<TensorStore> readers = List.of(near, far);
      long last = 0;
      int reads = 0;
      int underWay = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        String where = "-Dtombolo.seed=" + seed + ", kill " + kill;
        boolean writes = kill % 4 < 2;
        Process client = start(volume.address(), token, writes, kill % 2 == 0);
        try {
          awaitFirst(client);
          Deadline until = Deadline.after(Duration.ofMillis(random.nextInt(MAX_MS)));
          do {
            last = readWhole(readers.get(random.nextInt(2)), last, where);
            reads++;
            if (!writes) {
              policy.put(readers.get(random.nextInt(2)));
            }
          } while (!until.isExpired());
          assertTrue(client.isAlive(), where + ": it has seen something wrong");
          VolumeFigures atLast = near.figures();
          underWay += atLast.puts() + atLast.leases() > 0 ? 1 : 0;
        } finally {
          assertTrue(client.destroyForcibly().waitFor(60, TimeUnit.SECONDS), where);
        }
        awaitNothingLeft(near, where);
        last = readWhole(near, last, where);
        last = readWhole(far, last, where);
        reads += 2;
      }
      System.out.printf(
          "%d kills, a put or get under way just before %d; %d versions; of %d reads 0 were torn, 0"
              + " bytes, puts and leases of the dead were left%n",
          KILLS, underWay, last, reads);
      assertTrue(last >= KILLS, "only " + last + " versions, -Dtombolo.seed=" + seed);
    }
  }

  private static StoreOptions options(boolean sharesMemory) {
    return new StoreOptions(LONG, sharesMemory);
  }

  private static long readWhole(TensorStore reader, long before, String where) {
    try (Snapshot snapshot = reader.openStateDict("policy")) {
      assertTrue(snapshot.version() >= before, where);
      float[] first = Tensors.elements(snapshot.get("first"));
      float[] second = Tensors.elements(snapshot.get("second"));
      for (int index = 0; index < ELEMENTS; index += 509) {
        assertEquals(first[index], first[0], where);
        assertEquals(second[index], first[0], where);
      }
      snapshot.verify("first");
      snapshot.verify("second");
      return snapshot.version();
    }
  }

  private static void awaitNothingLeft(TensorStore reader, String where) {
    Deadline deadline = Deadline.after(LONG);
    VolumeFigures now = reader.figures();
    while (now.clients() > 2) {
      assertTrue(!deadline.isExpired(), where + ": " + now);
      now = reader.figures();
    }
    assertEquals(now.puts(), 0, where);
    assertEquals(now.leases(), 0, where);
    long used = now.versions() * 2L * ELEMENTS * Float.BYTES;
    assertEquals(now.freeBytes(), now.capacityBytes() - used, where);
  }

  private static void awaitFirst(Process client) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
    assertEquals(out.readLine(), Client.BEGUN);
  }

  private static Process start(
      InetSocketAddress address, JobToken token, boolean writes, boolean sharesMemory)
      throws IOException {
    ImmutableList.Builder<String> command = ImmutableList.builder();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-cp");
    command.add(System.getProperty("java.class.path"), Client.class.getName());
    command.add(String.valueOf(address.getPort()));
    command.add(String.valueOf(writes), String.valueOf(sharesMemory));
    ProcessBuilder builder = new ProcessBuilder(command.build());
    builder.environment().put("TOMBOLO_TOKEN", token.hex());
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** A state dict whose elements are all the same in each version. */
  private static final class Dict {
    private final HostTensor first = Tensors.constant(0, ELEMENTS);
    private final HostTensor second = Tensors.constant(0, ELEMENTS);
    private int round;

    void put(TensorStore store) {
      round++;
      Tensors.fill(first, round);
      Tensors.fill(second, round);
      store.putStateDict("policy", Map.of("first", first, "second", second));
    }
  }

  /** A process that writes or reads version after version until it is killed. */
  public static final class Client {
    static final String BEGUN = "begun";

    private Client() {}

    /** Has the volume at the port in the first argument. */
    public static void main(String[] arguments) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
      JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
      boolean writes = Boolean.parseBoolean(arguments[1]);
      StoreOptions options = options(Boolean.parseBoolean(arguments[2]));
      try (TensorStore store = TensorStore.connect(address, token, options)) {
        Dict policy = new Dict();
        long last = 0;
        for (int round = 1; ; round++) {
          if (writes) {
            policy.put(store);
          } else {
            last = readWhole(store, last, "a reader");
          }
          if (round == 1) {
            System.out.println(BEGUN);
          }
        }
      }
    }
  }
}
