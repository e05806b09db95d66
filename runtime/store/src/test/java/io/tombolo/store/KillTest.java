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
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

/** Writers that are killed while they write, and what others see of it. */
public class KillTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int KILLS = Boolean.getBoolean("tombolo.deep") ? 200 : 4;

  /** Most kills hit a writer in the middle of a put, which takes some milliseconds. */
  private static final int MAX_MS = 60;

  private static final int ELEMENTS = 1 << 20;

  @Test(timeOut = 3_600_000)
  public void shouldShowNothingTornAndLeaveNothingBehindWhenWritersAreKilled() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Volume volume = Volume.serve(anyPort, token, new VolumeOptions(64 << 20, 2, LONG));
        TensorStore reader = TensorStore.connect(volume.address(), token, options(true))) {
      long last = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        String where = "-Dtombolo.seed=" + seed + ", kill " + kill;
        Process writer = start(volume.address(), token, kill % 2 == 0);
        try {
          awaitFirstPut(writer);
          Deadline until = Deadline.after(Duration.ofMillis(random.nextInt(MAX_MS)));
          while (!until.isExpired()) {
            last = readWhole(reader, last, where);
          }
        } finally {
          assertTrue(writer.destroyForcibly().waitFor(60, TimeUnit.SECONDS), where);
        }
        awaitNothingLeft(reader, where);
        last = readWhole(reader, last, where);
      }
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
    while (now.clients() > 1) {
      assertTrue(!deadline.isExpired(), where + ": " + now);
      now = reader.figures();
    }
    assertEquals(now.puts(), 0, where);
    assertEquals(now.leases(), 0, where);
    long used = now.versions() * 2L * ELEMENTS * Float.BYTES;
    assertEquals(now.freeBytes(), now.capacityBytes() - used, where);
  }

  private static void awaitFirstPut(Process writer) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8));
    assertEquals(out.readLine(), Writer.PUT);
  }

  private static Process start(InetSocketAddress address, JobToken token, boolean sharesMemory)
      throws IOException {
    ImmutableList.Builder<String> command = ImmutableList.builder();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-cp");
    command.add(System.getProperty("java.class.path"), Writer.class.getName());
    command.add(String.valueOf(address.getPort()), String.valueOf(sharesMemory));
    ProcessBuilder builder = new ProcessBuilder(command.build());
    builder.environment().put("TOMBOLO_TOKEN", token.hex());
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** A process that writes version after version until it is killed. */
  public static final class Writer {
    static final String PUT = "put";

    private Writer() {}

    /** Writes to the volume at the port in the first argument. */
    public static void main(String[] arguments) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
      JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
      StoreOptions options = options(Boolean.parseBoolean(arguments[1]));
      try (TensorStore store = TensorStore.connect(address, token, options)) {
        HostTensor first = Tensors.constant(0, ELEMENTS);
        HostTensor second = Tensors.constant(0, ELEMENTS);
        for (int round = 1; ; round++) {
          Tensors.fill(first, round);
          Tensors.fill(second, round);
          store.putStateDict("policy", Map.of("first", first, "second", second));
          if (round == 1) {
            System.out.println(PUT);
          }
        }
      }
    }
  }
}
