// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Splitter;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.base.Availability;
import io.tombolo.rdma.Fabrics;
import io.tombolo.runtime.work.WorkStage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;
import picocli.CommandLine;

/**
 * The benchmark with real processes. A rank takes a second of processor time to start, so most jobs
 * have the fewest that are not all alike.
 */
public class CollectivesTest {
  private static final long DEADLINE_MS = 120_000;
  private static final String TWO = " --clusters emu-nvidia:1,emu-amd:1";
  private static final String THREE = " --clusters emu-nvidia:1,emu-amd:2";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @DataProvider
  Object[][] jobs() {
    return new Object[][] {
      {"all_reduce -b 4 -e 256K -f 64"},
      {
        "all_reduce -b 0 -e 64K -f 16 --order emu-nvidia,emu-amd,emu-amd,emu-nvidia --type bf16"
            + " --op max"
      },
      {"all_reduce -b 8 -e 4K -f 8 --type i64 --op prod --fabric tcp" + THREE},
      {"reduce -b 0 -e 64K -f 16 --op avg" + THREE},
      {"broadcast -b 8 -e 256K -f 64 --type u8" + THREE},
      {"all_gather -b 8 -e 256K -f 64 --order emu-nvidia,emu-amd,emu-nvidia"},
      {"reduce_scatter -b 8 -e 256K -f 64 --type i32" + THREE},
      {"gather -b 8 -e 64K -f 64" + THREE},
      {"scatter -b 8 -e 64K -f 64 --type f64" + THREE},
      {"scan -b 8 -e 64K -f 64 --order emu-nvidia,emu-amd,emu-nvidia"},
      {"exscan -b 8 -e 64K -f 64 --type i32 --op max" + THREE},
    };
  }

  @Test(dataProvider = "jobs", timeOut = DEADLINE_MS)
  public void shouldFindEveryResultRight(String options) {
    assertEquals(run(options + " -n 3 -w 1 --json"), 0, err + "\n" + out);
    List<JsonObject> rows = rows();
    assertTrue(rows.size() >= 4 && rows.size() % 2 == 0, out.toString());
    for (JsonObject row : rows) {
      assertEquals(row.get("wrong").getAsLong(), 0, row.toString());
      assertTrue(row.get("time_us").getAsDouble() > 0, row.toString());
    }
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldFindEveryResultRightOverUcx() {
    if (Fabrics.named("ucx").availability(Map.of()) instanceof Availability.Missing missing) {
      throw new SkipException("no UCX here: " + missing.cause() + "; " + missing.fix());
    }
    shouldFindEveryResultRight("all_reduce -b 4K -e 1M -f 16 --fabric ucx" + TWO);
  }

  @DataProvider
  Object[][] neverInPlace() {
    return new Object[][] {
      {"all_to_all" + THREE},
      {"send_receive" + THREE},
      {"send_receive --type u8 --blocking --order emu-nvidia,emu-amd,emu-amd,emu-nvidia"},
      {"send_receive --clusters emu-nvidia:1"},
    };
  }

  @Test(dataProvider = "neverInPlace", timeOut = DEADLINE_MS)
  public void shouldMeasureWhatCannotBeInPlaceOnce(String job) {
    assertEquals(run(job + " -b 64 -e 64K -f 32 -n 3 -w 1 --json"), 0, err + "\n" + out);
    List<JsonObject> rows = rows();
    assertEquals(rows.size(), 3);
    assertTrue(rows.stream().noneMatch(row -> row.get("in_place").getAsBoolean()), out.toString());
    assertTrue(rows.stream().allMatch(row -> row.get("wrong").getAsLong() == 0), out.toString());
  }

  @Test(timeOut = DEADLINE_MS)
  public void shouldTellWhereTheTimeGoesIfAsked() throws IOException {
    Path timeline = Files.createTempFile("timeline", ".json");
    String options = "all_reduce -b 8 -e 8 -n 3 --json" + THREE;
    assertEquals(run(options + " -w 1"), 0, err + "\n" + out);
    assertTrue(rows().stream().noneMatch(row -> row.has("breakdown")), out.toString());
    String asked = options + " --breakdown --timeline " + timeline;
    assertEquals(run(asked), 0, err + "\n" + out);
    for (JsonObject row : rows()) {
      assertEquals(
          row.getAsJsonObject("breakdown").keySet(),
          Arrays.stream(WorkStage.values()).map(WorkStage::text).collect(Collectors.toSet()));
    }
    assertEquals(
        spansOf(timeline),
        Set.of(
            "8 B out of place of 0",
            "8 B out of place of 1",
            "8 B out of place of 2",
            "8 B in place of 0",
            "8 B in place of 1",
            "8 B in place of 2"));
    Files.delete(timeline);
  }

  /** Which calls have spans, and of which ranks. */
  private static Set<String> spansOf(Path timeline) throws IOException {
    JsonObject trace = JsonParser.parseString(Files.readString(timeline)).getAsJsonObject();
    return trace.getAsJsonArray("traceEvents").asList().stream()
        .map(JsonElement::getAsJsonObject)
        .filter(event -> event.get("ph").getAsString().equals("X"))
        .map(span -> span.get("name").getAsString() + " of " + span.get("pid").getAsInt())
        .collect(Collectors.toSet());
  }

  @DataProvider
  Object[][] victims() {
    return new Object[][] {{"all_reduce"}, {"gather"}, {"all_to_all"}, {"send_receive"}};
  }

  @Test(dataProvider = "victims", timeOut = DEADLINE_MS)
  public void shouldFindTheBitThatWasFlipped(String operation) {
    assertEquals(
        run(operation + " -b 64 -e 1K -f 4 -n 2 -w 1 --json --inject flip:1" + TWO),
        1,
        err + "\n" + out);
    assertEquals(rows().stream().mapToLong(row -> row.get("wrong").getAsLong()).sum(), 1);
    assertTrue(err.toString().contains("#wrong is 1"), err.toString());
  }

  private int run(String options) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(Splitter.on(' ').splitToList(options).toArray(String[]::new));
  }

  private List<JsonObject> rows() {
    return out.toString()
        .lines()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .toList();
  }
}
