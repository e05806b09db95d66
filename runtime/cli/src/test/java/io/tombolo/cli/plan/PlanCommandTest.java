// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.cli.Ran;
import io.tombolo.rdma.shm.ShmProvider;
import io.tombolo.runtime.plan.Collective;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Pattern;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;
import picocli.CommandLine;

public class PlanCommandTest {
  private final StringWriter out = new StringWriter();

  @Test(timeOut = 120_000)
  public void shouldPlanEveryOperation() {
    for (Collective operation : Collective.values()) {
      if (!operation.isPointToPoint()) {
        assertEquals(run(operation.text(), "4K", "--clusters", "a:2,b:3"), 0, operation.text());
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldPrintAsJsonWhatWasAskedFor() {
    assertEquals(
        run(
            "broadcast",
            "64K",
            "--clusters",
            "a:1,b:2",
            "--root",
            "2",
            "--in-place",
            "--algorithm",
            "direct",
            "--rank",
            "0",
            "--json"),
        0);
    JsonObject plan = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertEquals(plan.get("sizeBytes").getAsLong(), 64 << 10);
    assertEquals(plan.getAsJsonObject("algorithm").get("name").getAsString(), "direct");
    assertTrue(plan.getAsJsonObject("time").get("predictedPs").getAsLong() > 0);
    assertTrue(!plan.getAsJsonArray("program").isEmpty());
  }

  @DataProvider
  public Object[][] jobs() {
    return new Object[][] {
      {"emu-nvidia:1,host:1"}, {"emu-intel:1,host:1"}, {"emu-nvidia:2,emu-amd:1"}
    };
  }

  @Test(timeOut = 300_000, dataProvider = "jobs")
  public void shouldSayHowManyBytesProcessorsCopyInABenchmark(String clusters) {
    Ran bench = Ran.of("bench all_reduce -b 1M -e 1M -n 5 -w 5 --json --clusters " + clusters);
    assertEquals(bench.code(), 0, bench.err());
    assertEquals(run("all_reduce", "1M", "--one-host", "--json", "--clusters", clusters), 0);
    long planned = 0;
    for (JsonElement rank :
        JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("ranks")) {
      planned += rank.getAsJsonObject().get("copiedBytes").getAsLong();
    }
    assertTrue(planned > 0, "the host combines, so some bytes are its processors' to copy");
    for (String row : bench.out().lines().toList()) {
      JsonObject counted = JsonParser.parseString(row).getAsJsonObject();
      assertEquals(counted.get("copied_bytes").getAsLong(), planned, row);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldSayWhoMovesTheBytesOfEachStep() {
    assertEquals(
        run("all_reduce", "1M", "--one-host", "--clusters", "nvidia:2,host:1", "--rank", "0"), 0);
    String program = out.toString();
    assertTrue(
        Pattern.compile("reduce_scatter .*; by the vendor's library").matcher(program).find(),
        program);
    assertTrue(
        Pattern.compile("send .*; by the device's copy engine").matcher(program).find(), program);
    assertTrue(
        Pattern.compile(" and .*; by a kernel of the device").matcher(program).find(), program);
    assertEquals(
        run("all_reduce", "1M", "--one-host", "--clusters", "nvidia:2,host:1", "--rank", "2"), 0);
    assertTrue(
        Pattern.compile("send .*; by the processor").matcher(out.toString()).find(),
        out.toString());
    String mover = new ShmProvider().bytesReadInPlace(1 << 20) > 0 ? "receiver's " : "";
    assertEquals(
        run("all_reduce", "1M", "--one-host", "--clusters", "emu-intel:1,host:1", "--rank", "1"),
        0);
    assertTrue(
        Pattern.compile("send .*; by the " + mover + "processor").matcher(out.toString()).find(),
        out.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldPlanEveryOperationOfTenThousandRanksAndSayOfWhich() {
    for (Collective operation : Collective.values()) {
      if (!operation.isPointToPoint()) {
        shouldPlanSomeOfTenThousandRanks(operation, "64K");
      }
    }
    assertNotEquals(run("all_reduce", "4K", "--clusters", "a:99999,b:2"), 0);
  }

  /** 517 segments, each with steps for ten thousand peers. */
  @Test(timeOut = 120_000)
  public void shouldPlanALongCallOfTenThousandRanks() {
    shouldPlanSomeOfTenThousandRanks(Collective.ALL_TO_ALL, "1G");
    assertTrue(out.toString().contains("; of 517 segments, which are alike, "), out.toString());
  }

  private void shouldPlanSomeOfTenThousandRanks(Collective operation, String size) {
    assertEquals(run(operation.text(), size, "--clusters", "a:6000,b:4000"), 0);
    assertTrue(out.toString().contains("\nplanned for "), out.toString());
    assertTrue(out.toString().contains(" of 10000 ranks only"), out.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseWhatIsNoCollective() {
    assertNotEquals(run("send", "4K", "--clusters", "a:2,b:3"), 0);
    assertNotEquals(run("all_reduce", "4K", "--clusters", "a:2", "--rank", "2"), 0);
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    return new CommandLine(new PlanCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(new StringWriter(), true))
        .execute(arguments);
  }
}
