// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

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

  private static Training trained(Schedule schedule, Share share, GradientSum sum) {
    Training training = new Training(new Network(64, 32, 10), DIGITS.train(), schedule, share, sum);
    run(training, schedule.steps());
    return training;
  }

  private static Schedule schedule(int steps, long seed) {
    return new Schedule(steps, 64, 0.1f, 0.9f, seed);
  }

  private static Training alone(Schedule schedule) {
    return new Training(
        new Network(64, 32, 10), DIGITS.train(), schedule, Share.ALL, GradientSum.ALONE);
  }

  private static String run(Training training, int steps) {
    for (int step = 0; step < steps; step++) {
      training.step();
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
