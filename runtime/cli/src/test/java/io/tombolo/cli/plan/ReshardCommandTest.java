// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.cli.Ran;
import java.util.List;
import org.testng.annotations.Test;

public class ReshardCommandTest {
  @Test(timeOut = 120_000)
  public void shouldDrawWhoGivesWhichTileToWhom() {
    Ran ran = Ran.of("plan reshard 8x8/S0:4@2xa /S1:2,R:2@2xa");
    assertEquals(ran.code(), 0, ran.err());
    List<String> lines = ran.out().lines().map(String::strip).toList();
    assertTrue(lines.contains("2:4  1→0 (1→1)  1→2 1→3"), ran.out());
    assertTrue(ran.out().contains("proven: every rank"), ran.out());
    assertTrue(
        ran.out().contains("128 B stay in their process, 128 B stay on their host, 256 B go"));
  }

  @Test(timeOut = 120_000)
  public void shouldDrawNoPictureOfWhatIsTooLarge() {
    Ran ran = Ran.of("plan reshard 9x9x9/S0:9 /S1:3,S2:3");
    assertEquals(ran.code(), 0, ran.err());
    assertTrue(!ran.out().contains("→"), ran.out());
  }

  @Test(timeOut = 120_000)
  public void shouldCountBytesByHowFarTheyTravel() {
    Ran ran = Ran.of("plan reshard 8/S0:2@1xa /R:1@b --type f64 --rank 0 --json");
    JsonObject plan = JsonParser.parseString(ran.out()).getAsJsonObject();
    assertEquals(plan.getAsJsonObject("bytes").get("other").getAsLong(), 64);
    assertEquals(plan.getAsJsonArray("program").size(), 2);
  }

  @Test(timeOut = 120_000)
  public void shouldKeepBothVendorsOnOneHostIfToldTo() {
    Ran ran = Ran.of("plan reshard 8@a 8@b --one-host --json");
    JsonObject plan = JsonParser.parseString(ran.out()).getAsJsonObject();
    assertEquals(plan.getAsJsonObject("bytes").get("host").getAsLong(), 32);
  }
}
