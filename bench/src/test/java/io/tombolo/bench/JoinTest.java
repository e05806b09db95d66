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
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** The benchmark in a job that somebody else has launched. */
public class JoinTest {
  private static final String[] VENDORS = {"emu-nvidia", "emu-amd"};

  private final List<Process> ranks = new ArrayList<>();

  @AfterMethod
  public void killRanks() {
    ranks.forEach(Process::destroyForcibly);
    ranks.clear();
  }

  @Test(timeOut = 120_000)
  public void shouldJoinTheJobThatTheEnvironmentDescribes() throws Exception {
    JobToken token = JobToken.random();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (TcpStoreServer store = TcpStoreServer.start(any, token)) {
      List<Path> outputs = new ArrayList<>();
      for (int rank = 0; rank < VENDORS.length; rank++) {
        outputs.add(start(rank, store.address().getPort(), token));
      }
      for (int rank = 0; rank < VENDORS.length; rank++) {
        String output = "rank " + rank + ": " + outputs.get(rank);
        assertTrue(ranks.get(rank).waitFor(60, TimeUnit.SECONDS), output);
        assertEquals(ranks.get(rank).exitValue(), 0, Files.readString(outputs.get(rank), UTF_8));
      }
      assertEquals(Files.readString(outputs.get(0), UTF_8).lines().count(), 4, "rank 0 prints");
      assertEquals(Files.readString(outputs.get(1), UTF_8), "", "rank 1 does not");
    }
  }

  private Path start(int rank, int port, JobToken token) throws IOException {
    Path output = Files.createTempFile("rank-" + rank + "-", ".txt");
    output.toFile().deleteOnExit();
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            BenchMain.class.getName(),
            "all_reduce",
            "--json",
            "-b",
            "8",
            "-e",
            "64",
            "-f",
            "8",
            "--vendor",
            VENDORS[rank]);
    Map<String, String> environment = builder.environment();
    environment.put("RANK", Integer.toString(rank));
    environment.put("LOCAL_RANK", Integer.toString(rank));
    environment.put("WORLD_SIZE", Integer.toString(VENDORS.length));
    environment.put("MASTER_ADDR", "127.0.0.1");
    environment.put("MASTER_PORT", Integer.toString(port));
    environment.put("TOMBOLO_TOKEN", token.hex());
    builder.redirectOutput(output.toFile());
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    ranks.add(builder.start());
    return output;
  }
}
