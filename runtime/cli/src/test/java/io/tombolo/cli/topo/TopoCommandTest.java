// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.gson.JsonParser;
import io.tombolo.cli.PublishedSchema;
import io.tombolo.cli.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class TopoCommandTest {
  private static final String MIXED = "2x(8xNVIDIA,8x400G);2x(8xAMD,4x200G)";

  @Test(timeOut = 120_000)
  public void shouldShowThisHostWhenAskedForNothingElse() {
    Ran ran = Ran.of("topo");
    assertEquals(ran.code(), 0, ran.err());
    assertTrue(ran.out().contains(" on 1 host"), ran.out());
  }

  @Test(timeOut = 120_000)
  public void shouldShowEmulatedDevicesWhenAskedFor() {
    Ran ran = Ran.of("topo --emulated");
    assertEquals(ran.code(), 0, ran.err());
    assertTrue(ran.out().contains("Devices, as their runtimes say"), ran.out());
    assertTrue(ran.out().matches("(?s).*emu-amd:0 +emulated AMD device 0 .* emulated .*"));
    assertEquals(Ran.of("topo --emulated --simulate " + MIXED).code(), 2);
  }

  @DataProvider
  public Object[][] formats() {
    return new Object[][] {
      {"text", "32 ranks on 4 hosts"},
      {"json", "{"},
      {"xml", "<system"},
      {"dot", "graph"},
      {"svg", "<svg"},
      {"mermaid", "flowchart"},
      {"html", "<!DOCTYPE html>"},
    };
  }

  @Test(dataProvider = "formats", timeOut = 120_000)
  public void shouldShowSimulatedJobInEveryFormat(String format, String start) {
    Ran ran = Ran.of("topo --simulate " + MIXED + " --format " + format);
    assertEquals(ran.code(), 0, ran.err());
    assertTrue(ran.out().startsWith(start), ran.out());
  }

  @Test(timeOut = 120_000)
  public void shouldReadItsOwnJsonAndFindNoDifference() throws IOException {
    Path file = Files.createTempFile("topology", ".json");
    try {
      String json = Ran.of("topo --simulate " + MIXED + " --format json").out();
      assertEquals(JsonParser.parseString(json).getAsJsonObject().get("version").getAsInt(), 1);
      Files.writeString(file, json);
      assertEquals(Ran.of("topo --input " + file).out(), Ran.of("topo --simulate " + MIXED).out());
      Ran same = Ran.of("topo diff " + file + " " + MIXED);
      assertEquals(same.code(), 0, same.out());
      Ran other = Ran.of("topo diff " + file + " 4x(8xNVIDIA,8x400G)");
      assertEquals(other.code(), 1, other.out());
      assertTrue(other.out().contains("model was amd amd, is nvidia nvidia"), other.out());
    } finally {
      Files.delete(file);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldSplitClusters() {
    Ran ran = Ran.of("topo --simulate " + MIXED + " --split nvidia=2");
    assertTrue(ran.out().startsWith("32 ranks on 4 hosts, 3 clusters"), ran.out());
  }

  @Test(timeOut = 120_000)
  public void shouldMeasureAJobAndShowItAfterwards() throws IOException {
    Ran ran = Ran.of("topo --measure --clusters emu-nvidia:1,emu-amd:1 --timeout 30");
    assertEquals(ran.code(), 0, ran.err());
    assertTrue(ran.out().startsWith("emu-amd:1,emu-nvidia:1 on 1 host from "), ran.out());
    assertTrue(ran.out().contains("Cost model"), ran.out());
    Path file = Path.of(ran.out().replaceAll("(?s).*kept in (.*\\.json);.*", "$1"));
    try {
      assertEquals(
          JsonParser.parseString(Files.readString(file))
              .getAsJsonObject()
              .getAsJsonArray("paths")
              .size(),
          3);
      PublishedSchema.named("calibration").check(Files.readString(file));
      assertTrue(Ran.of("topo").out().contains("Measured\n"), "shown by topo");
    } finally {
      Files.delete(file);
    }
  }

  @DataProvider
  public Object[][] contradictions() {
    return new Object[][] {
      {"topo --emulated --measure", "--emulated"},
      {"topo --emulated --forget", "--emulated"},
      {"topo --emulated --job 127.0.0.1:1", "--emulated"},
      {"topo --emulated --simulate 1x(1xNVIDIA)", "--emulated"},
      {"topo --measure --split nvidia=2", "--split"},
      {"topo --fabric tcp", "--fabric is about a measurement"},
      {"topo --simulate 1x(1xNVIDIA) --clusters a:1", "--clusters is about a measurement"},
      {"topo --simulate 1x(1xNVIDIA) --order a", "--order is about a measurement"},
      {"topo --port 7", "--port is about a measurement"},
    };
  }

  @Test(dataProvider = "contradictions", timeOut = 120_000)
  public void shouldRefuseOptionsThatWouldMeanNothing(String command, String complaint) {
    Ran ran = Ran.of(command);
    assertEquals(ran.code(), 2, ran.out());
    assertTrue(ran.err().contains(complaint), ran.err());
    assertEquals(ran.out(), "");
  }
}
