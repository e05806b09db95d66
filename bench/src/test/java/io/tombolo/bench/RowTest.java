// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.work.WorkStage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.testng.annotations.Test;

public class RowTest {

  @Test
  public void shouldNameItsJsonKeysAsTheHelpDoes() {
    JsonObject json = JsonParser.parseString(row(1000, 0).toJson()).getAsJsonObject();
    assertEquals(
        json.keySet(),
        ImmutableSet.of(
            "size",
            "count",
            "type",
            "op",
            "time_us",
            "predicted_us",
            "algbw",
            "busbw",
            "wrong",
            "in_place",
            "p50_us",
            "p99_us",
            "min_us",
            "cold_us",
            "cpu_us",
            "longest_cycle_us",
            "copied_bytes"));
    assertEquals(json.get("copied_bytes").getAsDouble(), 12.5);
    assertEquals(json.get("longest_cycle_us").getAsDouble(), 70.5);
    assertEquals(json.get("cold_us").getAsDouble(), 40, 0.1);
    assertEquals(json.get("cpu_us").getAsDouble(), 3.5);
    assertEquals(json.get("op").getAsString(), "sum");
    assertEquals(json.get("in_place").getAsBoolean(), false);
  }

  @Test
  public void shouldGiveBandwidthInBytesPerNanosecondAndBusbwByTheRingsFactor() {
    Row row = row(1000, 0);
    assertEquals(row.size(), 4000);
    assertEquals(row.timeUs(), 2.0, 0.01);
    assertEquals(row.algbw(), 2.0, 0.01);
    assertEquals(row.busbw(), 2.0 * 2 * 3 / 4, 0.02);
  }

  @Test
  public void shouldTakeTheSlowestRanksMedianAsTheTime() {
    Times times = new Times(ImmutableList.of(times(1000, 1000, 9000), times(3000, 3000, 100)));
    assertEquals(times.slowestMedianNs() / 1e3, 3, 0.01);
    assertEquals(times.minNs() / 1e3, 0.1, 0.001);
    assertEquals(times.percentileNs(100) / 1e3, 9, 0.01);
  }

  @Test
  public void shouldCarryResultsThroughTheStoreUnchanged() {
    RankRun.Result result =
        new RankRun.Result(
            times(9), times(5, 6_000_000, 7), 9_300, 42, 70_500, 600, breakdown(3000));
    RankRun.Result back = Gathering.decode(Gathering.encode(result));
    assertEquals(back.processorNs(), 9_300);
    assertEquals(back.processorNsPerCall(), 3_100);
    assertEquals(back.wrong(), 42);
    assertEquals(back.longestCycleNs(), 70_500);
    assertEquals(back.copiedBytes(), 600);
    assertEquals(back.copiedBytesPerCall(), 200);
    assertEquals(back.times(), result.times());
    assertEquals(back.cold(), result.cold());
    assertEquals(back.breakdown().byName(), result.breakdown().byName());
  }

  @Test
  public void shouldTellTheStagesOfAllRanksCallsByName() {
    Breakdown all = breakdown(1000, 1000);
    all.add(breakdown(9000));
    assertEquals(all.byName().keySet(), ImmutableSet.of("vote", "wake"));
    assertEquals(all.byName().get("vote").p50Us(), 1, 0.01);
    assertEquals(all.byName().get("vote").p99Us(), 9, 0.01);
    assertEquals(all.byName().get("wake").p50Us(), 2, 0.01);
  }

  /** The slowest rank's median is 2 µs. */
  @Test
  public void shouldTellTheShareOfTheBoundBelowTheStages() {
    List<String> lines = new ArrayList<>();
    new RowPrinter(lines::add, false).rows(row(8, 0, breakdown(1000)), Optional.empty());
    String last = lines.get(lines.size() - 1);
    assertTrue(last.matches("#   bound +0.5 +25%  the least .*"), last);
    assertEquals(row(8, 0, breakdown(1000)).boundUs(), 0.5);
    assertNull(row(8, 0).boundUs(), "nobody asked for a breakdown");
  }

  @Test
  public void shouldPrintOneJsonObjectPerLine() {
    List<String> lines = new ArrayList<>();
    RowPrinter printer = new RowPrinter(lines::add, true);
    printer.rows(row(8, 1), Optional.of(row(8, 2)));
    printer.footer();
    assertEquals(lines.size(), 2);
    lines.forEach(line -> assertTrue(JsonParser.parseString(line).isJsonObject(), line));
    assertEquals(printer.wrong(), 3);
  }

  private static Row row(long count, long wrong) {
    return row(count, wrong, new Breakdown());
  }

  private static Row row(long count, long wrong, Breakdown breakdown) {
    Times times = new Times(List.of(times(2000, 2000, 2000)));
    Operation operation = new CollectiveOperation(Collective.ALL_REDUCE, 4, 0);
    return Row.of(
        operation,
        count,
        DataType.F32,
        ReduceOp.SUM,
        false,
        new Times(List.of(times(30_000, 40_000, 50_000))),
        times,
        3_500,
        1.5,
        wrong,
        70_500,
        12.5,
        0.5,
        breakdown);
  }

  private static Breakdown breakdown(long... voteNs) {
    Breakdown breakdown = new Breakdown();
    for (long ns : voteNs) {
      breakdown.add(ImmutableMap.of(WorkStage.VOTE, ns, WorkStage.WAKE, 2 * ns));
    }
    return breakdown;
  }

  private static Histogram times(long... valuesNs) {
    Histogram histogram = new Histogram(3);
    for (long value : valuesNs) {
      histogram.recordValue(value);
    }
    return histogram;
  }
}
