// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.simulation.SimProcess;
import io.tombolo.runtime.simulation.Simulation;
import io.tombolo.runtime.simulation.World;
import io.tombolo.runtime.work.CallOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Ranks that call again and again, of which two are cut off from each other, while all reach the
 * store and the others. Their beats go on, so only what the two hear of each other tells, long
 * before a call's time is over. All end soon after, by an error that names the two and nobody else;
 * or well, if the two had nothing to say to each other any more.
 */
public final class SimulatedCut implements Simulation.Scene {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final long LIMIT_NS = SimulatedJob.LIVENESS.toNanos() + SimulatedVerdict.MORE_NS;
  private static final int CALLS = 4;
  private static final int MAX_DELAY_BITS = 13;

  private final List<SimProcess> processes = new ArrayList<>();
  private final Map<Integer, TomboloException> errors = new TreeMap<>();
  private World world;
  private CallOptions options;
  private int count;
  private int one;
  private int other;
  private int delaySteps;
  private int met;
  private int over;
  private boolean isCut;

  @Override
  public void play(World played) {
    world = played;
    Random random = world.random();
    int size = 2 + random.nextInt(3);
    one = random.nextInt(size);
    other = (one + 1 + random.nextInt(size - 1)) % size;
    delaySteps = random.nextInt(1 << random.nextInt(MAX_DELAY_BITS));
    options = random.nextBoolean() ? CallOptions.STANDARD : CallOptions.BLOCKING;
    count = 1 + random.nextInt(1 << random.nextInt(14));
    JobToken token = JobToken.random();
    world.start(world.newProcess("launcher"), "launcher", () -> SimulatedJob.host(token));
    for (int rank = 0; rank < size; rank++) {
      JobEnvironment environment = SimulatedJob.environment(rank, size, token, TIMEOUT);
      processes.add(world.newProcess("rank-" + rank));
      world.start(processes.get(rank), "main", () -> run(environment));
    }
    world.awaitCondition(() -> isCut || over == size, TIMEOUT.toNanos());
    world.awaitCondition(() -> over == size, LIMIT_NS);
    check(over == size, "only " + over + " have ended in time");
    errors.values().forEach(e -> check(blamesTheTwo(e), "another cause: " + e.getMessage()));
  }

  private void run(JobEnvironment environment) {
    try (Communicator communicator = Communicator.join(environment)) {
      sum(communicator);
      meet(environment.size());
      for (int i = 0; i < CALLS; i++) {
        sum(communicator);
      }
    } catch (TomboloException e) {
      errors.put(environment.rank(), e);
    }
    over++;
  }

  private void sum(Communicator communicator) {
    try (Stream stream = communicator.device().newStream()) {
      SimulatedSum sum = new SimulatedSum(communicator, stream, count);
      sum.call(options).await(TIMEOUT);
      sum.check();
      sum.close();
    }
  }

  /** All have what they call over; who opens it later waits for the call's time. */
  private void meet(int size) {
    met++;
    if (met == size) {
      world.afterSteps(delaySteps, this::cut);
    }
  }

  private void cut() {
    world.cut(processes.get(one), processes.get(other));
    isCut = true;
  }

  private boolean blamesTheTwo(TomboloException e) {
    String text = e.getMessage();
    return text.contains("rank %s to rank %s over tcp".formatted(one, other))
        || text.contains("rank %s to rank %s over tcp".formatted(other, one));
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what + "\n" + this + "\n" + errors);
    }
  }

  @Override
  public String toString() {
    return "ranks %s and %s of %s are cut off from each other, %s steps after all have met; %s fail"
        .formatted(one, other, processes.size(), delaySteps, errors.size());
  }
}
