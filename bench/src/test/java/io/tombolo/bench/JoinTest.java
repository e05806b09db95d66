// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.JobToken;
import io.tombolo.runtime.store.TcpStoreServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** The benchmark in a job that somebody else has launched. */
public class JoinTest {
  private static final String[] VENDORS = {"emu-nvidia", "emu-amd"};

  private final List<Process> ranks = new ArrayList<>();
  private final List<Path> outputs = new ArrayList<>();

  @AfterMethod
  public void killRanks() {
    ranks.forEach(Process::destroyForcibly);
    ranks.clear();
    outputs.clear();
  }

  @Test(timeOut = 120_000)
  public void shouldJoinTheJobThatTheEnvironmentDescribes() throws Exception {
    JobToken token = JobToken.random();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (TcpStoreServer store = TcpStoreServer.start(any, token)) {
      Map<String, String> job =
          Map.of(
              "WORLD_SIZE", "2",
              "MASTER_ADDR", "127.0.0.1",
              "MASTER_PORT", Integer.toString(store.address().getPort()),
              "TOMBOLO_TOKEN", token.hex(),
              "TOMBOLO_STORE", "tombolo");
      for (int rank = 0; rank < VENDORS.length; rank++) {
        Map<String, String> variables = new HashMap<>(job);
        variables.put("RANK", Integer.toString(rank));
        variables.put("LOCAL_RANK", Integer.toString(rank));
        start(variables, "--json", "--vendor", VENDORS[rank]);
      }
      assertEnds(0);
      assertEquals(output(0).lines().count(), 4, "rank 0 prints");
      assertEquals(output(1), "", "rank 1 does not");
    }
  }

  @Test(timeOut = 120_000)
  public void shouldMeetUnderMpirunWithoutBeingToldWhere() throws Exception {
    for (int rank = 0; rank < VENDORS.length; rank++) {
      start(openMpi(rank), "--json", "--order", String.join(",", VENDORS));
    }
    assertEnds(0);
    assertEquals(output(0).lines().count(), 4, "rank 0 prints");
  }

  @Test(timeOut = 120_000)
  public void shouldFailOnRankZeroWhenARankOfMpirunIsWrong() throws Exception {
    for (int rank = 0; rank < VENDORS.length; rank++) {
      start(openMpi(rank), "--json", "--order", String.join(",", VENDORS), "--inject", "flip:1");
    }
    assertEnds(1);
  }

  @Test(timeOut = 120_000)
  public void shouldKeepDevicesApartThatTheirLibraryDoesNotJoin() throws Exception {
    for (int rank = 0; rank < VENDORS.length; rank++) {
      Map<String, String> variables = new HashMap<>(openMpi(rank));
      variables.put("TOMBOLO_EMU_SAME_ARCHITECTURE_ONLY", "emu-amd");
      variables.put("TOMBOLO_EMU_MODELS", "first kind,second kind");
      start(variables, "--vendor", "emu-amd");
    }
    assertEnds(0);
    assertTrue(output(0).contains("2 ranks in 2 clusters"), output(0));
  }

  /** As mpirun of Open MPI has it, with a job name that nobody else uses. */
  private static Map<String, String> openMpi(int rank) {
    return Map.of(
        "OMPI_COMM_WORLD_RANK",
        Integer.toString(rank),
        "OMPI_COMM_WORLD_SIZE",
        "2",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        Integer.toString(rank),
        "OMPI_COMM_WORLD_LOCAL_SIZE",
        "2",
        "PMIX_NAMESPACE",
        "join-test-" + ProcessHandle.current().pid());
  }

  private void start(Map<String, String> variables, String... options) throws IOException {
    Path output = Files.createTempFile("rank-", ".txt");
    output.toFile().deleteOnExit();
    outputs.add(output);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(BenchMain.class.getName(), "all_reduce"));
    command.addAll(List.of("-b", "8", "-e", "64", "-f", "8", "-n", "3", "-w", "1"));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(variables);
    builder.redirectOutput(output.toFile());
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    ranks.add(builder.start());
  }

  private void assertEnds(int code) throws Exception {
    assertTrue(ranks.get(0).waitFor(60, TimeUnit.SECONDS), output(0));
    assertEquals(ranks.get(0).exitValue(), code, output(0));
    for (Process rank : ranks) {
      assertTrue(rank.waitFor(30, TimeUnit.SECONDS), "all end");
    }
  }

  private String output(int rank) throws IOException {
    return Files.readString(outputs.get(rank), UTF_8);
  }
}
