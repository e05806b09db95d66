// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.fabric;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.cli.Ran;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A fabric is known everywhere once its provider is registered. */
public final class NewFabricTest {
  private static final int DEADLINE_MS = 120_000;
  private static final String NAME = CarrierPigeons.NAME;

  @Test(timeOut = DEADLINE_MS)
  public void shouldCarryAJobThatAsksForIt() {
    Ran ran = Ran.of("demo --steps 3 --clusters emu-nvidia:1,emu-amd:1 --fabric " + NAME);
    assertEquals(ran.code(), 0, ran.err() + ran.out());
    assertTrue(ran.out().contains(NAME + " (staged)"), "the route is not in " + ran.out());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldBeMeasuredLikeTheOthers() {
    Ran ran = Ran.of("bench p2p --volume 4M --runs 1 --json --against tcp --fabric " + NAME);
    assertEquals(ran.code(), 0, ran.err());
    List<JsonObject> rows =
        ran.out().lines().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
    assertEquals(rows.get(0).get("fabric").getAsString(), NAME);
    assertEquals(rows.get(0).get("payload_bytes").getAsLong(), 4 << 20);
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldRefuseFaultsThatItDoesNotOffer() {
    Ran ran = Ran.of("bench p2p --volume 4M --loss 1% --fabric " + NAME);
    assertEquals(ran.code(), 2, ran.err());
    assertTrue(ran.err().contains("take --fabric uc, ud, udp or sim"), ran.err());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldBeSeenByTheDoctor() {
    Ran ran = Ran.of("doctor --json --need " + NAME);
    assertEquals(ran.code(), 0, ran.err());
    for (JsonElement each : JsonParser.parseString(ran.out()).getAsJsonArray()) {
      JsonObject finding = each.getAsJsonObject();
      if (finding.get("name").getAsString().equals(NAME)) {
        assertEquals(finding.get("topic").getAsString(), "fabric");
        assertEquals(finding.get("value").getAsString(), CarrierPigeons.VERSION);
        return;
      }
    }
    throw new AssertionError("the doctor has not seen " + NAME + ": " + ran.out());
  }

  @DataProvider
  public Object[][] helps() {
    return new Object[][] {{"demo --help"}, {"bench all_reduce --help"}, {"bench p2p --help"}};
  }

  @Test(dataProvider = "helps", timeOut = DEADLINE_MS)
  public void shouldBeNamedByTheHelp(String help) {
    Ran ran = Ran.of(help);
    assertEquals(ran.code(), 0, ran.err());
    assertTrue(ran.out().contains(NAME), ran.out());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldBeOneOfTheChoicesForWhoAsksForAnother() {
    Ran ran = Ran.of("demo --fabric smoke");
    assertEquals(ran.code(), 2, ran.err());
    assertTrue(ran.err().contains("tcp, udp, " + NAME), ran.err());
  }
}
