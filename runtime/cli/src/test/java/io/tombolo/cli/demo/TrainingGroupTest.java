// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.JobToken;
import io.tombolo.cli.train.Digits;
import io.tombolo.cli.train.GradientSum;
import io.tombolo.cli.train.Network;
import io.tombolo.cli.train.Schedule;
import io.tombolo.cli.train.Share;
import io.tombolo.cli.train.Training;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

/** How ranks go on whose last step failed for some and ended well for others. */
public class TrainingGroupTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int RANKS = 3;
  private static final Digits DIGITS = Digits.load();

  private final JobToken token = JobToken.random();

  /** What one rank ends with. */
  private record End(int steps, String weightHash) {}

  @Test(timeOut = 120_000)
  public void shouldGoOnFromTheNewestStepThatARankHasMade() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ExecutorService threads = Executors.newFixedThreadPool(RANKS);
    try (TcpStoreServer server = TcpStoreServer.start(any, token)) {
      List<Callable<End>> ranks =
          IntStream.range(0, RANKS)
              .<Callable<End>>mapToObj(rank -> () -> run(environment(rank, server)))
              .toList();
      Training alone = training();
      step(alone, 3);
      for (Future<End> end : threads.invokeAll(ranks)) {
        assertEquals(end.get(), new End(3, alone.weightHash()));
      }
      assertNotEquals(alone.weightHash(), training().weightHash());
    } finally {
      threads.shutdownNow();
    }
  }

  /** Each rank has made one step, and rank 1 two more. */
  private static End run(JobEnvironment environment) {
    Training training = training();
    step(training, environment.rank() == 1 ? 3 : 1);
    int length = Training.vectorLength(network());
    try (TrainingGroup group =
        new TrainingGroup(Communicator.join(environment), training, length, LIMIT)) {
      group.communicator().abort();
      group.goOn(false);
      return new End(training.steps(), training.weightHash());
    }
  }

  private static void step(Training training, int steps) {
    for (int step = 0; step < steps; step++) {
      training.step(Share.ALL, GradientSum.ALONE);
    }
  }

  private static Network network() {
    return new Network(64, 10);
  }

  private static Training training() {
    return new Training(network(), DIGITS.train(), new Schedule(9, 64, 0.1f, 0.9f, 1));
  }

  private JobEnvironment environment(int rank, TcpStoreServer server) {
    return new JobEnvironment(
        rank,
        RANKS,
        rank,
        "127.0.0.1",
        server.address().getPort(),
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        "host",
        LIMIT,
        ImmutableSortedMap.of());
  }
}
