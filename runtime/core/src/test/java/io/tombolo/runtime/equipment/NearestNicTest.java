// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Iterables;
import io.tombolo.base.JobToken;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** Which NIC a rank takes on a simulated machine, whose NICs the emulated HCA has. */
public final class NearestNicTest {
  /** Each of the devices shares a switch with one of the NICs, in order. */
  private static final String MACHINE = "1x(2xemu-nvidia,2x400G)";

  /** Emulated NIC 0 is 10.78.0.1, and so on: a part of what its rank tells its peers. */
  private static final Pattern GID = Pattern.compile("ffff0a4e000(\\d)");

  @BeforeClass
  public void callNicsAsOnTheMachine() {
    EmulatedHca.set("PLAIN_NAMES", "1");
  }

  @AfterClass(alwaysRun = true)
  public void callThemAsBefore() {
    EmulatedHca.set("PLAIN_NAMES", "0");
  }

  @Test
  public void shouldTakeTheNicNearestToItsDevice() {
    assertEquals(nicOf(0, Map.of()), 0);
    assertEquals(nicOf(1, Map.of()), 1);
  }

  @Test
  public void shouldTakeTheNicThatTheUserPrefers() {
    assertEquals(nicOf(0, Map.of("rdma_near", "nic1")), 1);
    assertEquals(nicOf(1, Map.of("rdma_near", "nic0")), 0);
  }

  private static int nicOf(int device, Map<String, String> said) {
    ImmutableSortedMap<String, String> settings =
        ImmutableSortedMap.<String, String>naturalOrder()
            .putAll(said)
            .put("fabrics", "rc")
            .put("ibverbs", EmulatedHca.library())
            .put("simulated_machine", MACHINE)
            .put(JobEnvironment.DEVICE, Integer.toString(device))
            .buildOrThrow();
    JobEnvironment environment =
        new JobEnvironment(
            0,
            1,
            0,
            "127.0.0.1",
            1,
            StoreKind.TOMBOLO,
            JobToken.random(),
            "emu-nvidia",
            Duration.ofSeconds(10),
            settings);
    try (Equipment equipment = Equipment.open(environment)) {
      byte[] address = Iterables.getOnlyElement(equipment.fabrics()).address();
      Matcher found = GID.matcher(HexFormat.of().formatHex(address));
      assertTrue(found.find(), HexFormat.of().formatHex(address));
      return Integer.parseInt(found.group(1)) - 1;
    }
  }
}
