// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.Map;
import org.testng.annotations.Test;

public final class JoinRequestTest {
  private static final String HIDING = "GPU-1,-1"; // all but the first

  private static Map<String, String> variables(Map<String, String> environment, int device) {
    return new JoinRequest(environment, 1, 2, 1, 2, "nvidia", device, -1, "", 0, List.of())
        .variables();
  }

  @Test
  public void shouldOpenTheDeviceThatIsNamedWhateverTheRanksNumber() {
    Map<String, String> hidden = Map.of("CUDA_VISIBLE_DEVICES", HIDING);
    assertEquals(variables(hidden, 0).get("TOMBOLO_DEVICE"), "0");
    Map<String, String> named = Map.of("CUDA_VISIBLE_DEVICES", HIDING, "TOMBOLO_DEVICE", "0");
    assertEquals(variables(named, -1).get("TOMBOLO_DEVICE"), "0");
    expectThrows(UsageException.class, () -> variables(hidden, -1));
  }

  @Test
  public void shouldOpenTheDeviceOfTheLocalRankIfNoneIsNamed() {
    assertEquals(variables(Map.of(), -1).get("TOMBOLO_DEVICE"), "1");
  }

  @Test
  public void shouldWarmUpUnlessItIsToldOtherwise() {
    assertEquals(variables(Map.of(), 0).get("TOMBOLO_WARM_UP_MS"), "300");
    assertEquals(variables(Map.of("TOMBOLO_WARM_UP_MS", "0"), 0).get("TOMBOLO_WARM_UP_MS"), "0");
  }
}
