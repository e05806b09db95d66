// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.Iterables;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.recorder.FlightMemory;
import io.tombolo.runtime.recorder.FlightRecord;
import io.tombolo.runtime.recorder.FlightState;
import io.tombolo.runtime.recorder.FlightStep;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** At which step of its plan an operation of rank 0 stands, as it records that. */
public class RecordedStepsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final CollectiveCall SUM =
      CollectiveCall.allReduce(1024, DataType.F32, ReduceOp.SUM, false);

  @DataProvider
  public Object[][] worlds() {
    return new Object[][] {{"ab", "receive from rank 1"}, {"aab", "the vendor's library"}};
  }

  /** Nobody else has made the call. */
  @Test(dataProvider = "worlds", timeOut = 120_000)
  public void shouldSayForWhomItWaitsAndThatItWaitsNoMore(String word, String what) {
    FlightMemory memory = new FlightMemory();
    try (LocalJob job = new LocalJob(word, LONG, memory.collectives())) {
      Work sum = job.submit(0, SUM);
      awaitStep(memory, ".*: " + what);
      assertEquals(last(memory).state(), FlightState.STARTED);
      for (int rank = 1; rank < job.size(); rank++) {
        job.submit(rank, SUM);
      }
      sum.await(LONG);
      assertEquals(last(memory).state(), FlightState.DONE);
      assertEquals(step(memory), "all " + stepsOf(memory) + " steps ended");
    }
  }

  @Test(timeOut = 120_000)
  public void shouldKeepTheStepAtWhichItFailed() {
    FlightMemory memory = new FlightMemory();
    try (LocalJob job = new LocalJob("ab", LONG, memory.collectives())) {
      job.submit(0, SUM);
      awaitStep(memory, ".*: receive from rank 1");
      job.breakLinks(0);
      awaitState(memory, FlightState.FAILED);
      assertEquals(step(memory).replaceAll(".*: ", ""), "receive from rank 1");
    }
  }

  /** Both are under way at once, and their plans differ in length. */
  @Test(timeOut = 120_000)
  public void shouldSpeakOfTheFirstOfSeveralCallsThatHasNotEnded() {
    FlightMemory memory = new FlightMemory();
    CollectiveCall[] calls = {large(20_000), large(30_000)};
    List<Integer> steps = new ArrayList<>();
    try (LocalJob job = new LocalJob("ab", LONG, memory.collectives())) {
      for (CollectiveCall call : calls) {
        List.of(job.submit(1, call), job.submit(0, call)).forEach(work -> work.await(LONG));
        steps.add(stepsOf(memory));
      }
      assertTrue(steps.get(0) < steps.get(1), steps.toString());
      Work group = job.groupBeside(0, 0, calls);
      awaitStep(memory, ".*: receive from rank 1");
      assertEquals(stepsOf(memory), (int) steps.get(0));
      job.groupBeside(1, 0, calls);
      group.await(LONG);
      assertEquals(stepsOf(memory), (int) steps.get(1));
    }
  }

  private static CollectiveCall large(int count) {
    return CollectiveCall.allReduce(count, DataType.F32, ReduceOp.SUM, false);
  }

  private static void awaitStep(FlightMemory memory, String pattern) {
    while (!step(memory).matches(pattern)) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private static void awaitState(FlightMemory memory, FlightState state) {
    while (last(memory).state() != state) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private static String step(FlightMemory memory) {
    return last(memory).step().map(FlightStep::toString).orElse("");
  }

  private static int stepsOf(FlightMemory memory) {
    return last(memory).step().orElseThrow().of();
  }

  private static FlightRecord last(FlightMemory memory) {
    return Iterables.getLast(memory.recorded());
  }
}
