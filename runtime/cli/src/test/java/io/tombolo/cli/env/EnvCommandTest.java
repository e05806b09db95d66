// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.Vendors;
import io.tombolo.base.HostId;
import io.tombolo.cli.Main;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

public class EnvCommandTest {
  private static final Map<String, String> MPIRUN =
      Map.of(
          "OMPI_COMM_WORLD_RANK", "1",
          "OMPI_COMM_WORLD_SIZE", "2",
          "OMPI_COMM_WORLD_LOCAL_RANK", "1",
          "OMPI_COMM_WORLD_LOCAL_SIZE", "2",
          "HABANA_VISIBLE_MODULES", "4,6");

  @Test(timeOut = 120_000)
  public void shouldNameTheVariableThatEachValueIsFrom() {
    assertEquals(
        ChildEnvironment.launched(MPIRUN),
        List.of(
            new Exported("RANK", "1", "OMPI_COMM_WORLD_RANK"),
            new Exported("WORLD_SIZE", "2", "OMPI_COMM_WORLD_SIZE"),
            new Exported("LOCAL_RANK", "1", "OMPI_COMM_WORLD_LOCAL_RANK"),
            new Exported("LOCAL_WORLD_SIZE", "2", "OMPI_COMM_WORLD_LOCAL_SIZE"),
            new Exported(
                "MASTER_ADDR",
                "127.0.0.1",
                "all ranks are on this host: OMPI_COMM_WORLD_LOCAL_SIZE=2"),
            new Exported("HABANA_VISIBLE_MODULES", "4,6", "HABANA_VISIBLE_MODULES")));
    assertEquals(ChildEnvironment.launched(Map.of("HOME", "/")), List.of());
  }

  @Test(timeOut = 120_000)
  public void shouldSayWhatAVendorsLibrariesReadAndWhatThatReplaces() {
    Map<String, String> present = Map.of("FI_PROVIDER", "tcp", "CCL_LOG_LEVEL", "info");
    List<Exported> intel = ChildEnvironment.of(Vendors.named("intel"), present);
    assertTrue(
        intel.contains(new Exported("FI_PROVIDER", "shm", "vendor intel, replaces tcp")),
        intel.toString());
    assertTrue(intel.stream().noneMatch(each -> each.name().equals("CCL_LOG_LEVEL")), "the user's");
  }

  @Test(timeOut = 120_000)
  public void shouldChooseGaudisModuleOfTheLocalRank() {
    assertEquals(
        ChildEnvironment.gaudi(MPIRUN).get(0),
        new Exported("HLS_MODULE_ID", "6", "as initialize_distributed_hpu() sets it"));
  }

  @Test(timeOut = 60_000)
  public void shouldBecomeTheProgramThatSeesTheVariables() throws Exception {
    Map<String, String> variables = new HashMap<>(MPIRUN);
    variables.put("TOMBOLO_VENDOR", "nvidia");
    String script = "echo $RANK $MASTER_ADDR $NCCL_HOSTID $$ \"$1\"; exit 7";
    Path output = Files.createTempFile("env", ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx64m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("env", "--", "sh", "-c", script, "sh", "a b"));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(Redirect.DISCARD);
    builder.environment().putAll(variables);
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(50, TimeUnit.SECONDS), "it hangs");
      String said = Files.readString(output, UTF_8);
      assertEquals(said, "1 127.0.0.1 " + HostId.local() + " " + process.pid() + " a b\n");
      assertEquals(process.exitValue(), 7);
    } finally {
      process.destroyForcibly();
      Files.delete(output);
    }
  }
}
