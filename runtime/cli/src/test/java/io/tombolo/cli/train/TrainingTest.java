// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class TrainingTest {
  private static final Digits DIGITS = Digits.load();

  @Test
  public void shouldSplitTheDataTheSameWayEverywhere() {
    assertEquals(DIGITS.train().size(), 1438);
    assertEquals(DIGITS.test().size(), 359);
    assertEquals(DIGITS.train().label(0), 0);
    assertEquals(DIGITS.test().label(0), 4);
  }

  @Test
  public void shouldLearnToReadDigits() {
    Training training = alone(schedule(440, 1));
    run(training, 440);
    assertTrue(
        training.accuracy(DIGITS.test()) > 0.95, "accuracy " + training.accuracy(DIGITS.test()));
  }

  @Test
  public void shouldEndWithTheSameBitsWhenRunAgain() {
    assertEquals(run(alone(schedule(50, 1)), 50), run(alone(schedule(50, 1)), 50));
    assertNotEquals(run(alone(schedule(50, 1)), 50), run(alone(schedule(50, 2)), 50));
  }

  @DataProvider
  Object[][] rankCounts() {
    return new Object[][] {{1}, {3}, {4}, {70}};
  }

  @Test(dataProvider = "rankCounts", timeOut = 60_000)
  public void shouldTrainTheSameWhenRanksShareTheBatch(int ranks) throws Exception {
    Schedule schedule = schedule(60, 5);
    Training alone = alone(schedule);
    run(alone, 60);
    SharedSum sum = new SharedSum(ranks);
    ExecutorService threads = Executors.newFixedThreadPool(ranks);
    try {
      List<Callable<Training>> jobs = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        Share share = new Share(rank, ranks);
        jobs.add(() -> trained(schedule, share, sum));
      }
      List<String> hashes = new ArrayList<>();
      for (Future<Training> job : threads.invokeAll(jobs)) {
        hashes.add(job.get().weightHash());
        assertEquals(
            job.get().accuracy(DIGITS.test()),
            alone.accuracy(DIGITS.test()),
            0.005,
            ranks + " ranks");
      }
      assertEquals(hashes.stream().distinct().count(), 1, ranks + " ranks: " + hashes);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  public void shouldMakeAStepAgainThatFailed() {
    Schedule schedule = schedule(30, 1);
    Training training = alone(schedule);
    for (int step = 0; step < 30; step++) {
      expectThrows(
          IllegalStateException.class, () -> training.step(new Share(1, 2), values -> fail()));
      assertEquals(training.steps(), step);
      training.step(Share.ALL, GradientSum.ALONE);
    }
    assertEquals(training.weightHash(), run(alone(schedule), 30));
  }

  private static void fail() {
    throw new IllegalStateException("a rank died");
  }

  /** Over the end of a pass, of 22 steps here, and within one. */
  @Test
  public void shouldGoOnFromWhatAnotherHasLearnt() {
    Schedule schedule = schedule(30, 1);
    for (int behind : new int[] {20, 21, 22}) {
      Training ahead = alone(schedule);
      run(ahead, behind + 1);
      Training training = alone(schedule);
      run(training, behind);
      training.restore(ahead.steps(), ahead.state());
      assertEquals(training.steps(), behind + 1);
      assertEquals(run(training, 29 - behind), run(alone(schedule), 30), behind + " steps");
    }
  }

  private static Training trained(Schedule schedule, Share share, GradientSum sum) {
    Training training = alone(schedule);
    for (int step = 0; step < schedule.steps(); step++) {
      training.step(share, sum);
    }
    return training;
  }

  private static Schedule schedule(int steps, long seed) {
    return new Schedule(steps, 64, 0.1f, 0.9f, seed);
  }

  private static Training alone(Schedule schedule) {
    return new Training(new Network(64, 32, 10), DIGITS.train(), schedule);
  }

  private static String run(Training training, int steps) {
    for (int step = 0; step < steps; step++) {
      training.step(Share.ALL, GradientSum.ALONE);
    }
    return training.weightHash();
  }

  /** Adds up in memory what threads bring. */
  private static final class SharedSum implements GradientSum {
    private final CyclicBarrier barrier;
    private final List<float[]> parts = new ArrayList<>();
    private float[] total;

    SharedSum(int ranks) {
      this.barrier = new CyclicBarrier(ranks, this::addUp);
    }

    @Override
    public void sum(float[] values) {
      synchronized (parts) {
        parts.add(values.clone());
      }
      await();
      System.arraycopy(total, 0, values, 0, values.length);
      await();
    }

    /** Runs at every barrier; at the second one of a sum there is nothing to add up. */
    private void addUp() {
      if (!parts.isEmpty()) {
        total = new float[parts.get(0).length];
        for (float[] part : parts) {
          for (int i = 0; i < total.length; i++) {
            total[i] += part[i];
          }
        }
        parts.clear();
      }
    }

    private void await() {
      try {
        barrier.await(30, TimeUnit.SECONDS);
      } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
