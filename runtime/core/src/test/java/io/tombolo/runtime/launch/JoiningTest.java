// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.testng.annotations.Test;

public final class JoiningTest {
  private static final JobOptions OPTIONS =
      new JobOptions("nvidia:1,amd:2", "amd,nvidia,amd", "tcp", 2.5, 4242, Optional.empty());

  @Test
  public void shouldGiveEachRankItsVendorAndTheVendorsNextDevice() {
    Map<String, String> variables = joined(OPTIONS, "2", "--clusters", "--order");
    assertEquals(variables.get("TOMBOLO_VENDOR"), "amd");
    assertEquals(variables.get("TOMBOLO_DEVICE"), "1");
    assertEquals(variables.get("TOMBOLO_FABRICS"), "tcp");
    assertFalse(variables.containsKey("TOMBOLO_TIMEOUT_MS"), "only what is given");
    assertFalse(variables.containsKey("MASTER_PORT"), "only what is given");
    Map<String, String> given = joined(OPTIONS, "0", "--order", "--timeout", "--port");
    assertEquals(given.get("TOMBOLO_TIMEOUT_MS"), "2500");
    assertEquals(given.get("MASTER_PORT"), "4242");
  }

  @Test
  public void shouldOpenTheOnlyDeviceThatARankSees() {
    Map<String, String> environment = new HashMap<>(openMpi("2"));
    environment.put("HIP_VISIBLE_DEVICES", "5");
    Map<String, String> variables =
        new Joining(OPTIONS, Optional.empty(), Set.of("--order")::contains).variables(environment);
    assertEquals(variables.get("TOMBOLO_DEVICE"), "0");
  }

  @Test
  public void shouldLeaveARankTheDeviceThatTheUserNames() {
    Map<String, String> environment = new HashMap<>(openMpi("2"));
    environment.put("HIP_VISIBLE_DEVICES", "GPU-1,-1"); // which hides the rank's own
    environment.put("TOMBOLO_DEVICE", "0");
    Map<String, String> variables =
        new Joining(OPTIONS, Optional.empty(), Set.of("--order")::contains).variables(environment);
    assertEquals(variables.get("TOMBOLO_DEVICE"), "0");
  }

  @Test
  public void shouldNameBothCountsWhenTheLauncherStartedAnotherNumberOfRanks() {
    JobOptions two = new JobOptions("nvidia:2", null, "auto", 10, 0, Optional.empty());
    UsageException error = expectThrows(UsageException.class, () -> joined(two, "0", "--clusters"));
    assertTrue(error.getMessage().contains("nvidia:2 have 2 ranks"), error.getMessage());
    assertTrue(error.getMessage().contains("OMPI_COMM_WORLD_SIZE=3"), error.getMessage());
  }

  @Test
  public void shouldAskForTheVendorWhenNobodySaysIt() {
    UsageException error = expectThrows(UsageException.class, () -> joined(OPTIONS, "0"));
    assertTrue(error.getMessage().contains("--clusters"), error.getMessage());
  }

  private static Map<String, String> joined(JobOptions options, String rank, String... given) {
    return new Joining(options, Optional.empty(), Set.of(given)::contains).variables(openMpi(rank));
  }

  private static Map<String, String> openMpi(String rank) {
    return Map.of(
        "OMPI_COMM_WORLD_RANK",
        rank,
        "OMPI_COMM_WORLD_SIZE",
        "3",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        rank,
        "OMPI_COMM_WORLD_LOCAL_SIZE",
        "3");
  }
}
