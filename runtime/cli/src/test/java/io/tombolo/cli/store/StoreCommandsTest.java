// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Command;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.cli.PublishedSchema;
import io.tombolo.store.JointWriter;
import io.tombolo.store.StoreOptions;
import io.tombolo.store.TensorStore;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.LayoutSpec;
import io.tombolo.tensors.layout.TensorLayout;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;
import picocli.CommandLine;

public class StoreCommandsTest {
  private final JobToken token = JobToken.random();
  private final Map<String, String> environment = Map.of("TOMBOLO_TOKEN", token.hex());
  private Volume volume;
  private String place;

  @BeforeClass
  public void start() {
    volume =
        Volume.serve(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            token,
            VolumeOptions.of(8 << 20));
    place = "127.0.0.1:" + volume.address().getPort();
    HostTensor weights = HostTensor.allocate(DataType.BF16, 16, 32);
    try (TensorStore store =
        TensorStore.connect(volume.address(), token, StoreOptions.defaults())) {
      store.put("w", weights);
      store.putStateDict("policy", Map.of("a", weights, "b", weights));
      store.putStateDict("policy", Map.of("a", weights, "b", weights));
    }
    weights.memory().close();
  }

  @AfterClass(alwaysRun = true)
  public void stop() {
    volume.close();
  }

  private static String run(Command command, String... words) {
    StringWriter out = new StringWriter();
    CommandLine line = new CommandLine(command).setOut(new PrintWriter(out, true));
    line.setExecutionExceptionHandler(
        (error, failed, parsed) -> {
          throw error;
        });
    assertEquals(line.execute(words), 0, out.toString());
    return out.toString();
  }

  @Test(timeOut = 120_000)
  public void shouldListWhatIsThere() throws IOException {
    String text = run(new LsCommand(environment), place);
    assertTrue(text.contains("policy      1 to 2    2        2.0 KiB"), text);
    assertTrue(text.contains("w       bf16  [16, 32]  1.0 KiB"), text);
    String json = run(new LsCommand(environment), place, "--json");
    assertTrue(json.contains("\"newest\": 2"), json);
    PublishedSchema.named("store-ls").check(json);
    PublishedSchema.named("store-ls")
        .check(run(new LsCommand(environment), place, "no such", "--json"));
  }

  @Test(timeOut = 120_000)
  public void shouldListWhoIsMissingWhereSeveralWriteTogether() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (TensorStore store =
        TensorStore.connect(volume.address(), token, StoreOptions.defaults())) {
      JointWriter who = new JointWriter("step 8", 3, 1, Duration.ofSeconds(60));
      Map<String, TensorPart> none = Map.of();
      Future<Long> waiting = other.submit(() -> store.putStateDictPart("shared", who, none));
      Deadline deadline = Deadline.after(Duration.ofSeconds(60));
      String text = run(new LsCommand(environment), place);
      while (!text.contains("unfinished")) {
        assertTrue(!deadline.isExpired() && !waiting.isDone(), text);
        text = run(new LsCommand(environment), place);
      }
      assertTrue(text.contains("shared      step 8  3        0, 2 to come"), text);
      String json = run(new LsCommand(environment), place, "sha", "--json");
      assertTrue(json.contains("\"round\": \"step 8\""), json);
      PublishedSchema.named("store-ls").check(json);
      assertFalse(run(new LsCommand(environment), place, "policy").contains("unfinished"));
    } finally {
      other.shutdownNow();
    }
  }

  @Test(timeOut = 120_000)
  public void shouldListWhatAHolderShows() throws IOException {
    HostTensor half = HostTensor.allocate(DataType.BF16, 8, 32);
    TensorLayout rows = LayoutSpec.parse("/S0:2").layout(new long[] {16, 32}, true);
    Map<String, TensorPart> parts = Map.of("w", TensorPart.of(rows, 1, half));
    Holding policy = volume.hold("held/policy", new HolderRank("run 7", 2, 1, 2));
    Holding other = volume.hold("other", new HolderRank("run 7", 1, 0));
    policy.show(8, parts, Duration.ofSeconds(60));
    policy.show(9, parts, Duration.ofSeconds(60));
    other.show(1, parts, Duration.ofSeconds(60));
    String text = run(new LsCommand(environment), place);
    assertTrue(text.contains("held/policy  9        1 of 2  run 7  1        512 B"), text);
    assertTrue(text.contains("other        1        0 of 1  run 7"), text);
    String json = run(new LsCommand(environment), place, "held/", "--json");
    assertTrue(json.contains("\"run\": \"run 7\""), json);
    assertTrue(json.contains("\"replicas\": 2"), json);
    assertFalse(json.contains("other"), json);
    PublishedSchema.named("store-ls").check(json);
    policy.withdraw();
    other.withdraw();
    assertFalse(run(new LsCommand(environment), place).contains("run 7"));
    half.memory().close();
  }

  @Test(timeOut = 120_000)
  public void shouldSayHowFullItIs() throws IOException {
    String text = run(new StatCommand(environment), place);
    assertTrue(text.contains("memory: 8.0 MiB, of which 8.0 MiB are free"), text);
    assertTrue(text.contains("1 state dicts in 2 versions (2 are kept of each), 1 tensors"), text);
    PublishedSchema.named("store-stat").check(run(new StatCommand(environment), place, "--json"));
  }

  @Test(timeOut = 120_000)
  public void shouldMeasureBothPathsAndLeaveNothing() throws IOException {
    StoreBenchCommand command = new StoreBenchCommand(environment);
    String[] words = {
      place,
      "--size",
      "1M",
      "--tensors",
      "3",
      "--rounds",
      "1",
      "--ranks",
      "3",
      "--devices",
      "emu-nvidia,emu-amd",
      "--json"
    };
    String text = run(command, Arrays.copyOf(words, words.length - 1));
    String json = run(new StoreBenchCommand(environment), words);
    String[] rows = {
      "memcpy",
      "put, shared memory",
      "get, connection",
      "put by ranks, shared memory",
      "get by ranks, connection",
      "put from device, shared memory",
      "get to device, connection"
    };
    for (String row : rows) {
      assertTrue(text.contains(row), text);
      assertTrue(json.contains(row), json);
    }
    PublishedSchema.named("store-bench").check(json);
    assertTrue(run(new StatCommand(environment), place).contains("1 state dicts in 2"));
  }

  @Test(timeOut = 120_000)
  public void shouldServeUntilItIsInterrupted() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (PipedReader reader = new PipedReader();
        PrintWriter writer = new PrintWriter(new PipedWriter(reader), true)) {
      Map<String, String> withRank = Map.of("TOMBOLO_TOKEN", token.hex(), "RANK", "1");
      CommandLine serve = new CommandLine(new ServeCommand(withRank)).setOut(writer);
      Future<Integer> code = other.submit(() -> serve.execute("--memory", "1M", "--keep", "3"));
      StringBuilder text = new StringBuilder();
      for (int next = reader.read(); next != '\n'; next = reader.read()) {
        text.append((char) next);
      }
      assertTrue(text.toString().startsWith("volume at 127.0.0.1:"), text.toString());
      assertTrue(text.toString().contains(": 1.0 MiB, keeps 3 versions"), text.toString());
      other.shutdownNow();
      assertEquals(code.get(60, TimeUnit.SECONDS), 0);
    } finally {
      other.shutdownNow();
    }
  }

  @Test(
      timeOut = 120_000,
      expectedExceptions = UsageException.class,
      expectedExceptionsMessageRegExp = "TOMBOLO_TOKEN is not set.*")
  public void shouldAskForAToken() {
    VolumePlace.token(Map.of());
  }

  @Test(timeOut = 120_000)
  public void shouldSayThatTheTokenIsAnother() {
    Map<String, String> wrong = Map.of("TOMBOLO_TOKEN", JobToken.random().hex());
    StringWriter err = new StringWriter();
    CommandLine line = new CommandLine(new LsCommand(wrong)).setErr(new PrintWriter(err, true));
    assertEquals(line.execute(place), 1);
    assertTrue(err.toString().contains(MismatchException.class.getSimpleName()), err.toString());
  }
}
