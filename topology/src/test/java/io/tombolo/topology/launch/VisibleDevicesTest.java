// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import static io.tombolo.topology.launch.LaunchVariables.recorded;
import static io.tombolo.topology.launch.LaunchVariables.said;
import static io.tombolo.topology.launch.LaunchVariables.variables;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.HashMap;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class VisibleDevicesTest {
  @DataProvider
  public Object[][] ordinals() {
    return new Object[][] {
      {"torchrun", "nvidia", "5 (LOCAL_RANK)"},
      {"torchrun-virtual-local-rank", "nvidia", "0 (the only one of CUDA_VISIBLE_DEVICES=5)"},
      {"torchrun-in-slurm", "nvidia", "1 (LOCAL_RANK)"},
      {"slurm", "amd", "0 (the only one of ROCR_VISIBLE_DEVICES=2)"},
      {"slurm", "intel", "2 (SLURM_LOCALID)"},
      {"pals", "intel", "0 (the only one of ZE_AFFINITY_MASK=0.1)"},
    };
  }

  @Test(dataProvider = "ordinals")
  public void shouldOpenTheOnlyVisibleDeviceOrTheOneOfTheLocalRank(
      String name, String vendor, String ordinal) {
    assertEquals(said(LaunchEnvironment.of(recorded(name)).deviceOrdinal(vendor)), ordinal);
  }

  @Test
  public void shouldNameBothVariablesWhenTheDeviceOfTheLocalRankIsHidden() {
    Map<String, String> variables = new HashMap<>(recorded("torchrun"));
    variables.put("CUDA_VISIBLE_DEVICES", "0,1,2");
    UsageException error =
        expectThrows(
            UsageException.class, () -> LaunchEnvironment.of(variables).deviceOrdinal("nvidia"));
    assertTrue(
        error.getMessage().startsWith("LOCAL_RANK=5, but CUDA_VISIBLE_DEVICES=0,1,2 shows"),
        error.getMessage());
  }

  @DataProvider
  public Object[][] visible() {
    return new Object[][] {
      {"nvidia", 0, "0 (LOCAL_RANK)", new String[] {"CUDA_VISIBLE_DEVICES=0,-1,1"}},
      {
        "nvidia",
        1,
        "shows this process only 1 device;",
        new String[] {"CUDA_VISIBLE_DEVICES=0,-1,1"}
      },
      {
        "nvidia",
        0,
        "shows this process only 0 devices;",
        new String[] {"CUDA_VISIBLE_DEVICES=NoDevFiles"}
      },
      {"nvidia", 0, "shows this process only 0 devices;", new String[] {"CUDA_VISIBLE_DEVICES=-1"}},
      {
        "nvidia",
        3,
        "0 (the only one of CUDA_VISIBLE_DEVICES=MIG-1)",
        new String[] {"CUDA_VISIBLE_DEVICES=MIG-1"}
      },
      {
        "nvidia",
        1,
        "shows this process only 1 device;",
        new String[] {"CUDA_VISIBLE_DEVICES=MIG-1,MIG-2"}
      },
      {"nvidia", 1, "1 (LOCAL_RANK)", new String[] {"CUDA_VISIBLE_DEVICES=GPU-1,GPU-2"}},
      {
        "amd",
        1,
        "1 (LOCAL_RANK)",
        new String[] {"ROCR_VISIBLE_DEVICES=4,5", "HIP_VISIBLE_DEVICES=0,1"}
      },
      {
        "amd",
        1,
        "shows this process only 1 device;",
        new String[] {"ROCR_VISIBLE_DEVICES=4", "HIP_VISIBLE_DEVICES=0,1"}
      },
      {
        "amd",
        0,
        "shows this process only 0 devices;",
        new String[] {"ROCR_VISIBLE_DEVICES=4", "HIP_VISIBLE_DEVICES=4"}
      },
      {
        "amd",
        1,
        "1 (LOCAL_RANK)",
        new String[] {"CUDA_VISIBLE_DEVICES=0", "HIP_VISIBLE_DEVICES=2,3"}
      },
    };
  }

  /** What runtimes make of lists; {@code words} are the ordinal, or of the error. */
  @Test(dataProvider = "visible")
  public void shouldCountDevicesAsRuntimesDo(
      String vendor, int localRank, String words, String[] lists) {
    Map<String, String> variables = variables(lists);
    variables.put("RANK", Integer.toString(localRank));
    variables.put("WORLD_SIZE", "8");
    variables.put("LOCAL_RANK", Integer.toString(localRank));
    LaunchEnvironment environment = LaunchEnvironment.of(variables);
    if (words.startsWith("shows")) {
      UsageException error =
          expectThrows(UsageException.class, () -> environment.deviceOrdinal(vendor));
      assertTrue(error.getMessage().contains(words), error.getMessage());
    } else {
      assertEquals(said(environment.deviceOrdinal(vendor)), words);
    }
  }

  @Test
  public void shouldTellWhatIsVisibleByVendor() {
    assertEquals(
        LaunchEnvironment.of(recorded("torchrun-in-slurm")).visibleDevices().toString(),
        "{nvidia=[0,1,2,3 (CUDA_VISIBLE_DEVICES)], amd=[0,1,2,3 (CUDA_VISIBLE_DEVICES)]}");
  }
}
