// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.cli.Ran;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** The demo with real processes. */
public class DemoTest {
  private static final long DEADLINE_MS = 120_000;

  @AfterMethod
  public void shouldLeaveNoProcessBehind() {
    assertEquals(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive).count(), 0);
  }

  @DataProvider
  Object[][] jobs() {
    return new Object[][] {
      {"--order emu-nvidia,emu-amd,emu-amd,emu-nvidia --model mlp", 4},
      {"--clusters emu-amd:1,emu-nvidia:2 --fabric tcp --model softmax", 3},
    };
  }

  @Test(dataProvider = "jobs", timeOut = DEADLINE_MS)
  public void shouldTrainTheSameOverVendorsAsInOneProcess(String options, int ranks) {
    Ran ran = Ran.of("demo --steps 44 --json " + options);
    assertEquals(ran.code(), 0, ran.err() + ran.out());
    JsonObject json = JsonParser.parseString(ran.out()).getAsJsonObject();
    assertTrue(json.get("ok").getAsBoolean(), ran.out());
    assertEquals(json.getAsJsonArray("clustering").size(), ranks, ran.out());
    assertEquals(json.get("bytes_counted"), json.get("bytes_planned"));
    assertTrue(json.getAsJsonObject("bytes_counted").get("between").getAsLong() > 0, ran.out());
    Set<String> hashes = new HashSet<>();
    for (JsonElement rank : json.getAsJsonArray("ranks")) {
      hashes.add(rank.getAsJsonObject().get("weight_hash").getAsString());
    }
    assertEquals(json.getAsJsonArray("ranks").size(), ranks);
    assertEquals(hashes.size(), 1, ran.out());
    assertTrue(json.get("accuracy").getAsDouble() > 0.7, ran.out());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldTellPeopleWhoWasWhereAndWhatWasChecked() {
    Ran ran = Ran.of("demo --clusters emu-nvidia:1,emu-amd:1 --steps 3");
    assertEquals(ran.code(), 0, ran.err() + ran.out());
    for (String words :
        new String[] {
          "the first rank whose vendor is 'emu-amd'",
          "between clusters: 0 ↔ 1",
          "step 3 of 3",
          "rank 1  weights ",
          "✓ all 2 ranks hold bit-identical weights",
          "✓ every rank moved as many bytes as its plan says"
        }) {
      assertTrue(ran.out().contains(words), words + " is not in\n" + ran.out());
    }
  }

  @DataProvider
  Object[][] victims() {
    return new Object[][] {{0}, {2}};
  }

  @Test(dataProvider = "victims", timeOut = DEADLINE_MS)
  public void shouldNameTheRankThatWasKilledAndEndEveryOther(int victim) {
    long startNs = System.nanoTime();
    Ran ran =
        Ran.of("demo --clusters emu-nvidia:1,emu-amd:2 --epochs 1000 --kill " + victim + "@30");
    assertEquals(ran.code(), 1, ran.err() + ran.out());
    assertEquals(ran.err().lines().count(), 1, ran.err());
    assertTrue(ran.err().contains("rank " + victim), ran.err());
    assertTrue(ran.err().contains("SIGKILL"), ran.err());
    assertTrue(System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(60), "it took too long");
  }

  /** Of the first rank, and of one whose cluster vanishes with it. */
  @DataProvider
  Object[][] survivedDeaths() {
    return new Object[][] {{0, 1}, {2, 0}};
  }

  @Test(dataProvider = "survivedDeaths", timeOut = DEADLINE_MS)
  public void shouldTrainOnWithoutTheRankThatDied(int victim, int lastCluster) {
    Ran ran =
        Ran.of(
            "demo --clusters emu-nvidia:2,emu-amd:1 --steps 60 --survive --json --kill "
                + victim
                + "@25");
    assertEquals(ran.code(), 0, ran.err() + ran.out());
    JsonObject json = JsonParser.parseString(ran.out()).getAsJsonObject();
    assertTrue(json.get("ok").getAsBoolean(), ran.out());
    assertEquals(json.getAsJsonArray("ranks").size(), 2, ran.out());
    JsonObject last = json.getAsJsonArray("survivors").get(1).getAsJsonObject();
    assertEquals(last.get("step").getAsInt(), 25, ran.out());
    assertEquals(last.get("cluster").getAsInt(), lastCluster, ran.out());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldTellPeopleWhoWentOnFromWhere() {
    Ran ran =
        Ran.of(
            "demo --clusters emu-nvidia:2,emu-amd:1 --model softmax --steps 20 --kill 1@10 --survive");
    assertEquals(ran.code(), 0, ran.err() + ran.out());
    for (String words :
        new String[] {
          "(SIGKILL)",
          "2 ranks go on together from step 10",
          "✓ all 2 ranks hold bit-identical weights",
          "in the steps since 10 with 2 ranks"
        }) {
      assertTrue(ran.out().contains(words), words + " is not in\n" + ran.out());
    }
  }

  /** Of the first rank, and of one that was alone in its cluster. */
  @DataProvider
  Object[][] replaced() {
    return new Object[][] {{0}, {2}};
  }

  @Test(dataProvider = "replaced", timeOut = DEADLINE_MS)
  public void shouldTrainOnWithANewProcessInPlaceOfTheRankThatDied(int victim) {
    Ran ran =
        Ran.of(
            "demo --clusters emu-nvidia:2,emu-amd:1 --steps 60 --replace --json --kill "
                + victim
                + "@25");
    assertEquals(ran.code(), 0, ran.err() + ran.out());
    JsonObject json = JsonParser.parseString(ran.out()).getAsJsonObject();
    assertTrue(json.get("ok").getAsBoolean(), ran.out());
    assertEquals(json.getAsJsonArray("ranks").size(), 3, ran.out());
    JsonObject last = json.getAsJsonArray("survivors").get(2).getAsJsonObject();
    assertTrue(last.get("is_new").getAsBoolean(), ran.out());
    assertEquals(last.get("rank").getAsInt(), victim, ran.out());
    assertEquals(last.get("step").getAsInt(), 25, ran.out());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldTellPeopleWhoIsNew() {
    Ran ran =
        Ran.of(
            "demo --clusters emu-nvidia:2,emu-amd:1 --model softmax --steps 20 --kill 1@10 --replace");
    assertEquals(ran.code(), 0, ran.err() + ran.out());
    for (String words :
        new String[] {
          "(SIGKILL)",
          "1, a new process",
          "3 ranks go on together from step 10",
          "✓ all 3 ranks hold bit-identical weights"
        }) {
      assertTrue(ran.out().contains(words), words + " is not in\n" + ran.out());
    }
  }

  /** Nor wait for long: the new process would join nobody. */
  @Test(timeOut = DEADLINE_MS)
  public void shouldReplaceNobodyWithoutAMajority() {
    long startNs = System.nanoTime();
    Ran ran = Ran.of("demo --clusters emu-nvidia:1,emu-amd:1 --epochs 1000 --kill 1@3 --replace");
    assertEquals(ran.code(), 1, ran.err() + ran.out());
    assertTrue(ran.err().contains("no majority"), ran.err());
    assertTrue(System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(55), "it took too long");
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldNotTrainOnWithoutAMajority() {
    Ran ran = Ran.of("demo --clusters emu-nvidia:1,emu-amd:1 --epochs 1000 --kill 1@3 --survive");
    assertEquals(ran.code(), 1, ran.err() + ran.out());
    assertTrue(ran.err().contains("rank 1"), ran.err());
    assertTrue(ran.err().contains("no majority"), ran.err());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldPrintAnObjectOfAJobThatFailedToo() {
    Ran ran = Ran.of("demo --clusters emu-nvidia:1,emu-amd:1 --epochs 1000 --kill 1@3 --json");
    assertEquals(ran.code(), 1, ran.err() + ran.out());
    JsonObject json = JsonParser.parseString(ran.out()).getAsJsonObject();
    assertFalse(json.get("ok").getAsBoolean(), ran.out());
    assertTrue(json.get("failure").getAsString().contains("rank 1"), ran.out());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldSayThatThePortIsInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Ran ran = Ran.of("demo --port " + taken.getLocalPort());
      assertEquals(ran.code(), 1, ran.err());
      assertEquals(ran.err().lines().count(), 1, ran.err());
      assertTrue(ran.err().contains(Integer.toString(taken.getLocalPort())), ran.err());
      assertFalse(ran.out().contains("✓"), ran.out());
    }
  }
}
