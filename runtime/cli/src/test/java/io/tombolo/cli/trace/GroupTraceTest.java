// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.tombolo.cli.trace.TraceSummary.GroupSummary;
import io.tombolo.cli.trace.TraceSummary.UnderWay;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.recorder.FlightEnd;
import io.tombolo.runtime.recorder.FlightRecord;
import io.tombolo.runtime.recorder.FlightState;
import io.tombolo.runtime.recorder.FlightStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.testng.annotations.Test;

/** What is found of ranks whose operations are known. */
public class GroupTraceTest {
  private static final long MS = 1_000_000;
  private static final int ROUNDS = 200;

  private static final FlightStep RECEIVING =
      new FlightStep(3, 11, Optional.of(new Resource(Resource.Kind.RECEIVE, 2)));
  private static final FlightStep ALL_ENDED = new FlightStep(11, 11, Optional.empty());

  private static RankTrace rank(
      int rank, int size, ProcessLook look, FlightEnd end, FlightRecord... records) {
    return RankTrace.of(
        Flights.recording(rank, size, 1, 100 + rank, 0, end, records), look, 1_000 * MS);
  }

  private static FlightRecord[] sums(int number, long lateNs) {
    return LongStream.rangeClosed(1, number)
        .mapToObj(i -> Flights.collective(i, FlightState.DONE, 8, i * MS + lateNs))
        .toArray(FlightRecord[]::new);
  }

  @Test
  public void shouldSayThatAllIsWellIfItIs() {
    GroupSummary summary =
        GroupTrace.all(
                List.of(
                    rank(0, 2, ProcessLook.GONE, Flights.CLOSED, sums(3, 0)),
                    rank(1, 2, ProcessLook.GONE, Flights.CLOSED, sums(3, 2 * MS))))
            .get(0)
            .summary();
    assertEquals(
        summary.findings(),
        List.of(
            "all 2 ranks made the same 3 operations, and left when they had ended",
            "rank 1 came last to 3 of the last 3 operations that all came to, then 2.0 ms after the"
                + " first"));
    assertEquals(summary.missing(), List.of());
  }

  @Test
  public void shouldShowBothSidesOfAMismatch() {
    List<RankTrace> ranks = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      FlightRecord odd = Flights.collective(2, FlightState.FAILED, rank == 2 ? 101 : 100, 2);
      ranks.add(rank(rank, 4, ProcessLook.GONE, Flights.CLOSED, sums(1, 0)[0], odd));
    }
    GroupSummary summary = GroupTrace.all(ranks).get(0).summary();
    assertEquals(
        summary.findings().get(0),
        "operation #2 is not the same everywhere: ranks 0, 1, 3 entered all_reduce of 100 f32 by"
            + " sum (400 bytes), but rank 2 entered all_reduce of 101 f32 by sum (404 bytes)");
  }

  @Test
  public void shouldSayWhoHasFailedFirstAndWhoIsMissingFromTheFolder() {
    GroupSummary summary =
        GroupTrace.all(
                List.of(
                    rank(0, 3, ProcessLook.GONE, new FlightEnd(FlightEnd.Kind.FAILED, 9, "later")),
                    rank(2, 3, ProcessLook.GONE, new FlightEnd(FlightEnd.Kind.FAILED, 8, "why"))))
            .get(0)
            .summary();
    assertEquals(summary.unseen(), List.of(1));
    assertEquals(summary.findings().get(0), "rank 2 failed first: why");
    assertTrue(summary.findings().get(1).startsWith("there is no file of rank 1"));
  }

  @Test
  public void shouldNotCallARankThatRunsMissingForGood() {
    GroupSummary summary =
        GroupTrace.all(
                List.of(
                    rank(0, 2, ProcessLook.RUNNING, Flights.NO_END, sums(2, 0)),
                    rank(1, 2, ProcessLook.STOPPED, Flights.NO_END, sums(1, 0))))
            .get(0)
            .summary();
    assertEquals(
        summary.findings().get(0),
        "rank 1 has not entered all_reduce of 8 f32 by sum (#2, 32 bytes), which rank 0 did");
    assertEquals(summary.ranks().get(1).state(), "stopped");
  }

  /** An oracle that counts: a rank that has come to n of them is missing from the next. */
  @Test
  public void shouldFindWhoIsBehindAndWhere() {
    long seed = Long.getLong("tombolo.seed", System.nanoTime());
    System.out.println("to repeat: -Dtombolo.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      int size = 1 + random.nextInt(9);
      int[] entered = random.ints(size, 0, 4).toArray();
      int most = IntStream.of(entered).max().orElseThrow();
      TreeMap<Long, List<Integer>> expected = new TreeMap<>();
      List<RankTrace> ranks = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        ranks.add(rank(rank, size, ProcessLook.UNKNOWN, Flights.NO_END, sums(entered[rank], rank)));
        if (entered[rank] < most) {
          expected.computeIfAbsent(entered[rank] + 1L, key -> new ArrayList<>()).add(rank);
        }
      }
      TreeMap<Long, List<Integer>> found = new TreeMap<>();
      GroupTrace.all(ranks)
          .get(0)
          .summary()
          .missing()
          .forEach(each -> found.put(each.sequence(), each.ranks()));
      assertEquals(found, expected);
    }
  }

  @Test
  public void shouldTellCommunicatorsOfOneNameApart() {
    List<GroupTrace> groups =
        GroupTrace.all(
            LongStream.of(3, 1, 2)
                .mapToObj(job -> Flights.recording(0, 1, job, 100, job, Flights.CLOSED))
                .map(each -> RankTrace.of(each, ProcessLook.GONE, 0))
                .toList());
    assertEquals(groups.stream().map(GroupTrace::label).toList(), List.of("all", "all~2", "all~3"));
    assertEquals(groups.get(2).ranks().get(0).recording().header().job(), 3);
  }

  @Test
  public void shouldSayAtWhichStepStandsWhatHasNotEndedWell() {
    RankTrace rank =
        rank(
            0,
            1,
            ProcessLook.GONE,
            Flights.CLOSED,
            Flights.at(ALL_ENDED, 1, FlightState.DONE),
            Flights.at(RECEIVING, 2, FlightState.FAILED),
            Flights.at(ALL_ENDED, 3, FlightState.FAILED),
            Flights.collective(4, FlightState.SUBMITTED, 8, 1));
    assertEquals(
        rank.underWay().stream().map(UnderWay::text).toList(),
        List.of(
            "all_reduce of 8 f32 by sum (#2, 32 bytes, 0 ms, at step 3 of 11: receive from rank 2)",
            "all_reduce of 8 f32 by sum (#3, 32 bytes, 0 ms, all 11 steps ended)",
            "all_reduce of 8 f32 by sum (#4, 32 bytes, 0 ms)"));
    assertEquals(
        rank.underWay().stream().map(UnderWay::step).map(new Gson()::toJson).toList(),
        List.of(
            "{\"number\":3,\"of\":11,\"doing\":\"receive\",\"peer\":2,"
                + "\"text\":\"at step 3 of 11: receive from rank 2\"}",
            "{\"number\":11,\"of\":11,\"text\":\"all 11 steps ended\"}",
            "null"));
  }

  @Test
  public void shouldShowOperationsFromTheCallToTheEndAsChromeWantsThem() {
    FlightRecord open = Flights.at(RECEIVING, 1, FlightState.STARTED);
    FlightRecord done = Flights.at(ALL_ENDED, 2, FlightState.DONE);
    List<GroupTrace> groups =
        GroupTrace.all(List.of(rank(0, 1, ProcessLook.RUNNING, Flights.NO_END, open, done)));
    JsonArray events = ChromeTrace.of(groups).getAsJsonArray("traceEvents");
    assertEquals(
        events.asList().stream()
            .map(each -> each.getAsJsonObject().get("ph").getAsString())
            .toList(),
        List.of("M", "b", "b", "e"));
    JsonObject first = events.get(1).getAsJsonObject();
    assertEquals(first.get("name").getAsString(), "all_reduce of 8 f32 by sum");
    assertEquals(first.get("ts").getAsDouble(), 5.0);
    assertEquals(first.getAsJsonObject("args").get("sequence").getAsLong(), 1);
    assertEquals(
        first.getAsJsonObject("args").get("step").getAsString(),
        "at step 3 of 11: receive from rank 2");
    assertFalse(events.get(2).getAsJsonObject().getAsJsonObject("args").has("step"));
    assertEquals(
        events.get(3).getAsJsonObject().get("id"), events.get(2).getAsJsonObject().get("id"));
  }

  @Test
  public void shouldNameRanksInAsFewWordsAsPossible() {
    assertEquals(GroupFindings.ranks(List.of(3)), "rank 3");
    assertEquals(GroupFindings.ranks(List.of(0, 1, 3, 4, 5, 9)), "ranks 0, 1, 3-5, 9");
  }
}
