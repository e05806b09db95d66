package io.tombolo.topology.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Recorded;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class LaunchEnvironmentTest {

  private static Map<String, String> recorded(String name) {
    return variables(Recorded.text("launch/" + name + ".env").lines().toArray(String[]::new));
  }

  private static Map<String, String> variables(String... lines) {
    Map<String, String> variables = new HashMap<>();
    for (String line : lines) {
      int equals = line.indexOf('=');
      if (equals > 0 && !line.startsWith("#")) {
        variables.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return variables;
  }

  @DataProvider
  public Object[][] environments() {
    return new Object[][] {
      {"torchrun", Launcher.TORCHRUN, "5 (RANK)", "16 (WORLD_SIZE)", "5 (LOCAL_RANK)"},
      {"torchrun-in-slurm", Launcher.TORCHRUN, "9 (RANK)", "16 (WORLD_SIZE)", "1 (LOCAL_RANK)"},
      {
        "openmpi",
        Launcher.OPEN_MPI,
        "3 (OMPI_COMM_WORLD_RANK)",
        "4 (OMPI_COMM_WORLD_SIZE)",
        "1 (OMPI_COMM_WORLD_LOCAL_RANK)"
      },
      {"hydra", Launcher.HYDRA, "2 (PMI_RANK)", "4 (PMI_SIZE)", "0 (MPI_LOCALRANKID)"},
      {"pals", Launcher.PALS, "13 (PALS_RANKID)", "24 (PALS_SIZE)", "1 (PALS_LOCAL_RANKID)"},
      {"slurm", Launcher.SLURM, "6 (SLURM_PROCID)", "8 (SLURM_NTASKS)", "2 (SLURM_LOCALID)"},
      {
        "gaudi-openmpi",
        Launcher.OPEN_MPI,
        "1 (OMPI_COMM_WORLD_RANK)",
        "8 (OMPI_COMM_WORLD_SIZE)",
        "1 (OMPI_COMM_WORLD_LOCAL_RANK)"
      },
    };
  }

  @Test(dataProvider = "environments")
  public void shouldReadRecordedEnvironment(
      String name, Launcher launcher, String rank, String size, String localRank) {
    LaunchEnvironment environment = LaunchEnvironment.of(recorded(name));
    assertEquals(environment.launcher(), Optional.of(launcher));
    assertEquals(environment.rank().orElseThrow().toString(), rank);
    assertEquals(environment.worldSize().orElseThrow().toString(), size);
    assertEquals(environment.localRank().orElseThrow().toString(), localRank);
  }

  @Test
  public void shouldReadMeetingPointJobAndVisibleDevices() {
    LaunchEnvironment environment = LaunchEnvironment.of(recorded("torchrun-in-slurm"));
    assertEquals(environment.masterAddress().orElseThrow().toString(), "node0 (MASTER_ADDR)");
    assertEquals(environment.masterPort().orElseThrow().value(), Integer.valueOf(29500));
    assertEquals(environment.jobId().orElseThrow().origin(), "TORCHELASTIC_RUN_ID");
    assertEquals(
        environment.visibleDevices().get("nvidia").toString(), "[0,1,2,3 (CUDA_VISIBLE_DEVICES)]");
    assertEquals(
        LaunchEnvironment.of(recorded("slurm")).masterAddress().orElseThrow().value(), "10.1.0.4");
  }

  @Test
  public void shouldSayNothingWhereNobodyLaunched() {
    LaunchEnvironment environment = LaunchEnvironment.of(Map.of("HOME", "/root"));
    assertEquals(environment.launcher(), Optional.empty());
    assertEquals(environment.rank(), Optional.empty());
  }

  @DataProvider
  public Object[][] contradictions() {
    return new Object[][] {
      {
        variables("RANK=1", "WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=4"),
        "RANK=1, OMPI_COMM_WORLD_RANK=2"
      },
      {variables("RANK=1", "WORLD_SIZE=4", "PMI_RANK=1", "PMI_SIZE=8"), "WORLD_SIZE=4, PMI_SIZE=8"},
      {
        variables("RANK=4", "WORLD_SIZE=4"),
        "RANK=4, but there are only so many ranks: WORLD_SIZE=4"
      },
      {variables("RANK=0"), "RANK=0, but WORLD_SIZE is not set"},
      {variables("RANK=x", "WORLD_SIZE=4"), "RANK=x is not a whole number"},
      {variables("RANK=-1", "WORLD_SIZE=4"), "RANK=-1 is not a whole number"},
      {
        variables("RANK=0", "WORLD_SIZE=4", "LOCAL_RANK=2", "LOCAL_WORLD_SIZE=2"),
        "LOCAL_RANK=2, but there are only so many ranks of this host: LOCAL_WORLD_SIZE=2"
      },
      {variables("MASTER_PORT=70000"), "MASTER_PORT=70000 is not a whole number from 1 to 65535"},
    };
  }

  @Test(dataProvider = "contradictions")
  public void shouldNameBothSourcesOfAContradiction(Map<String, String> variables, String words) {
    UsageException error =
        expectThrows(UsageException.class, () -> LaunchEnvironment.of(variables));
    assertTrue(error.getMessage().contains(words), error.getMessage());
  }

  private static GaudiLaunch gaudi(Map<String, String> variables, int... arguments) {
    OptionalInt[] given = {OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty()};
    for (int i = 0; i < arguments.length; i++) {
      given[i] = OptionalInt.of(arguments[i]);
    }
    return GaudiLaunch.initialize(variables, given[0], given[1], given[2]);
  }

  @Test
  public void shouldPreferAllThreeArgumentsToVariablesOnGaudi() {
    GaudiLaunch launch = gaudi(variables("WORLD_SIZE=2", "RANK=0", "LOCAL_RANK=0"), 8, 5, 3);
    assertEquals(launch.worldSize(), 8);
    assertEquals(launch.rank(), 5);
    assertEquals(launch.environment().get("LOCAL_RANK"), "3");
    assertEquals(launch.moduleId(), Optional.of("3"));
    assertEquals(launch.environment().get("ID"), "5");
  }

  @Test
  public void shouldIgnorePartialArgumentsOnGaudi() {
    GaudiLaunch launch = gaudi(variables("WORLD_SIZE=2", "RANK=1", "LOCAL_RANK=1"), 8, 5);
    assertEquals(launch.worldSize(), 2);
    assertEquals(launch.rank(), 1);
    GaudiLaunch nothing = gaudi(Map.of(), 8, 5);
    assertEquals(nothing.worldSize(), 1);
    assertEquals(nothing.rank(), -1);
    assertEquals(nothing.localRank(), -1);
    assertEquals(nothing.moduleId(), Optional.empty(), "the first device that is not busy");
  }

  @Test
  public void shouldTakeOpenMpisNumbersWhenTorchsAreNotAllThereOnGaudi() {
    GaudiLaunch launch = gaudi(recorded("gaudi-openmpi"));
    assertEquals(launch.worldSize(), 8);
    assertEquals(launch.rank(), 1);
    assertEquals(launch.moduleId(), Optional.of("6"), "the second of HABANA_VISIBLE_MODULES");
    assertEquals(launch.environment().get("MASTER_ADDR"), "localhost");
    assertEquals(launch.environment().get("MASTER_PORT"), "12345");
    Map<String, String> partial = new HashMap<>(recorded("gaudi-openmpi"));
    partial.remove("OMPI_COMM_WORLD_LOCAL_RANK");
    assertEquals(gaudi(partial).worldSize(), 1);
  }

  @Test
  public void shouldKeepModuleThatIsSetOnGaudi() {
    Map<String, String> variables = new HashMap<>(recorded("gaudi-openmpi"));
    variables.put("HLS_MODULE_ID", "7");
    assertEquals(gaudi(variables).moduleId(), Optional.of("7"));
  }

  @Test
  public void shouldLeaveModuleUnsetForLonelyProcessOnGaudi() {
    assertEquals(gaudi(Map.of(), 1, 0, 0).moduleId(), Optional.empty());
  }

  @Test
  public void shouldRefuseLocalRankBeyondVisibleModulesOnGaudi() {
    UsageException error =
        expectThrows(
            UsageException.class, () -> gaudi(variables("HABANA_VISIBLE_MODULES=4,6"), 8, 2, 2));
    assertTrue(error.getMessage().contains("has only 2 modules"), error.getMessage());
  }
}
