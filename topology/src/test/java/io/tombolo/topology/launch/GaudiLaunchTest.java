// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import static io.tombolo.topology.launch.LaunchVariables.recorded;
import static io.tombolo.topology.launch.LaunchVariables.variables;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.testng.annotations.Test;

public class GaudiLaunchTest {
  private static GaudiLaunch gaudi(Map<String, String> variables, int... arguments) {
    OptionalInt[] given = {OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty()};
    for (int i = 0; i < arguments.length; i++) {
      given[i] = OptionalInt.of(arguments[i]);
    }
    return GaudiLaunch.initialize(variables, given[0], given[1], given[2]);
  }

  @Test
  public void shouldPreferAllThreeArgumentsToVariables() {
    GaudiLaunch launch = gaudi(variables("WORLD_SIZE=2", "RANK=0", "LOCAL_RANK=0"), 8, 5, 3);
    assertEquals(launch.worldSize(), 8);
    assertEquals(launch.rank(), 5);
    assertEquals(launch.environment().get("LOCAL_RANK"), "3");
    assertEquals(launch.moduleId(), Optional.of("3"));
    assertEquals(launch.environment().get("ID"), "5");
  }

  @Test
  public void shouldIgnorePartialArguments() {
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
  public void shouldTakeOpenMpisNumbersWhenTorchsAreNotAllThere() {
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
  public void shouldKeepModuleThatIsSet() {
    Map<String, String> variables = new HashMap<>(recorded("gaudi-openmpi"));
    variables.put("HLS_MODULE_ID", "7");
    assertEquals(gaudi(variables).moduleId(), Optional.of("7"));
  }

  @Test
  public void shouldLeaveModuleUnsetForLonelyProcess() {
    assertEquals(gaudi(Map.of(), 1, 0, 0).moduleId(), Optional.empty());
  }

  @Test
  public void shouldRefuseLocalRankBeyondVisibleModules() {
    UsageException error =
        expectThrows(
            UsageException.class, () -> gaudi(variables("HABANA_VISIBLE_MODULES=4,6"), 8, 2, 2));
    assertTrue(error.getMessage().contains("has only 2 modules"), error.getMessage());
  }
}
