// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** How long joining may take, by vendor and settings. */
public final class JoinLimitTest {
  @DataProvider
  public Object[][] cases() {
    return new Object[][] {
      {Map.of("TOMBOLO_VENDOR", "emu-nvidia"), 300},
      {Map.of("TOMBOLO_VENDOR", "host", "TOMBOLO_TIMEOUT_MS", "4000"), 4},
      {Map.of("TOMBOLO_VENDOR", "nvidia"), 300},
      {Map.of("TOMBOLO_VENDOR", "nvidia", "TOMBOLO_TIMEOUT_MS", "4000"), 300},
      {Map.of("TOMBOLO_VENDOR", "amd", "TOMBOLO_TIMEOUT_MS", "400000"), 400},
      {Map.of("TOMBOLO_VENDOR", "nvidia", "TOMBOLO_JOIN_TIMEOUT_MS", "20000"), 20},
      {Map.of("TOMBOLO_VENDOR", "host", "TOMBOLO_JOIN_TIMEOUT_MS", "20000"), 20},
    };
  }

  @Test(dataProvider = "cases")
  public void shouldGiveRealVendorsFiveMinutesUnlessTold(Map<String, String> said, int seconds) {
    assertEquals(JoinLimit.of(environment(said)), Duration.ofSeconds(seconds));
  }

  @Test
  public void shouldNameTheVariableThatIsNoTime() {
    Map<String, String> none = Map.of("TOMBOLO_VENDOR", "host", "TOMBOLO_JOIN_TIMEOUT_MS", "0");
    String message =
        expectThrows(UsageException.class, () -> JoinLimit.of(environment(none))).getMessage();
    assertTrue(message.startsWith("TOMBOLO_JOIN_TIMEOUT_MS"), message);
  }

  private static JobEnvironment environment(Map<String, String> said) {
    Map<String, String> all =
        new LinkedHashMap<>(
            Map.of(
                "RANK", "0",
                "LOCAL_RANK", "0",
                "WORLD_SIZE", "1",
                "MASTER_ADDR", "127.0.0.1",
                "MASTER_PORT", "1",
                "TOMBOLO_TOKEN", "0".repeat(64)));
    all.putAll(said);
    return JobEnvironment.from(all);
  }
}
