// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.simulation.SimProcess;
import io.tombolo.runtime.simulation.Simulation;
import io.tombolo.runtime.simulation.World;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.work.CallOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Ranks of a part of their job, of which one leaves it, sooner or later; the others make a further
 * call there. They are told who has left, soon, and the job goes on, until all have left that, too:
 * then nothing is left in the store. Or one of the others dies after the first has left: then the
 * job fails because of that.
 */
public final class SimulatedLeaving implements Simulation.Scene {
  private static final Duration LONG = SimulatedJob.TIMEOUT.multipliedBy(2);
  private static final long LIMIT_NS = SimulatedJob.LIVENESS.toNanos() + SimulatedVerdict.MORE_NS;
  private static final long LONGEST_NS = Duration.ofMinutes(3).toNanos();

  /** Longer than it takes to see a death behind a peer that goes. */
  private static final long AFTERMATH_NS = Duration.ofSeconds(2).toNanos();

  /** Up to four times a second: more than a rank waits that leaves. */
  private static final int MAX_PAUSE_BITS = 31;

  private static final long PAUSE_UNIT_NS = 4;

  private final List<SimProcess> processes = new ArrayList<>();
  private World world;
  private Random random;
  private int size;
  private int count;
  private int leaver;
  private int victim;
  private boolean kills;
  private boolean hasLeft;
  private long leftNs;
  private int closed;
  private int over;

  @Override
  public void play(World played) {
    world = played;
    random = world.random();
    size = 2 + random.nextInt(3);
    count = 1 + random.nextInt(1 << random.nextInt(10));
    leaver = random.nextInt(size);
    victim = (leaver + 1 + random.nextInt(size - 1)) % size;
    kills = size > 2 && random.nextBoolean();
    JobToken token = JobToken.random();
    world.start(world.newProcess("launcher"), "launcher", () -> SimulatedJob.host(token));
    for (int rank = 0; rank < size; rank++) {
      JobEnvironment environment =
          SimulatedJob.environment(rank, size, token, SimulatedJob.TIMEOUT);
      processes.add(world.newProcess("rank-" + rank));
      world.start(processes.get(rank), "main", () -> run(environment));
    }
    int living = kills ? size - 1 : size;
    world.awaitCondition(() -> over == living, LONGEST_NS);
    check(over == living, "only " + over + " are over");
  }

  private void run(JobEnvironment environment) {
    try (Communicator all = Communicator.join(environment);
        Communicator part = all.split(0, 0).orElseThrow();
        Stream stream = all.device().newStream()) {
      SimulatedSum sum = new SimulatedSum(part, stream, count);
      sum.call(CallOptions.STANDARD).await(LONG);
      sum.check();
      sum.close();
      pause();
      if (all.rank() == leaver) {
        part.close();
        hasLeft = true;
        leftNs = world.nowNs();
      } else if (!kills || all.rank() != victim) {
        requireRefusal(part, stream);
      }
      if (kills) {
        seeTheVictimDie(all);
      } else {
        goOn(environment, all, part, stream);
      }
    }
    over++;
    if (over == size) {
      requireNoKeys(environment, "group-");
    }
  }

  private void pause() {
    long units = random.nextInt(1 << random.nextInt(MAX_PAUSE_BITS));
    boolean unused = world.awaitCondition(() -> false, units * PAUSE_UNIT_NS);
  }

  private void requireRefusal(Communicator part, Stream stream) {
    try {
      part.barrier(stream).await(LONG);
    } catch (TomboloException e) {
      check(blames(e, leaver) || (kills && blames(e, victim)), "another cause: " + e.getMessage());
      check(!hasLeft || world.nowNs() - leftNs < LIMIT_NS, "that took long: " + e.getMessage());
      return;
    }
    throw new AssertionError("a barrier has ended without the rank that left\n" + this);
  }

  private boolean blames(TomboloException e, int rank) {
    return rank == leaver
        ? e.getMessage().contains("rank " + leaver + " has closed this communicator")
        : e.getMessage().contains("rank " + rank);
  }

  private void goOn(
      JobEnvironment environment, Communicator all, Communicator part, Stream stream) {
    pause();
    part.close();
    closed++;
    boolean unused = world.awaitCondition(() -> false, AFTERMATH_NS);
    all.barrier(stream).await(LONG);
    check(closed == size, "a barrier has ended early");
    requireNoKeys(environment, GroupFailures.placeOf(1) + "/");
    all.barrier(stream).await(LONG);
    pause();
  }

  private void seeTheVictimDie(Communicator all) {
    if (all.rank() == victim) {
      world.awaitCondition(() -> hasLeft, LONGEST_NS);
      pause();
      world.afterSteps(1, () -> world.kill(processes.get(victim)));
    }
    world.awaitCondition(() -> all.failure().isPresent(), LONGEST_NS);
    TomboloException failure = all.failure().orElseThrow();
    check(blames(failure, victim), "another cause: " + failure.getMessage());
  }

  private void requireNoKeys(JobEnvironment environment, String place) {
    InetSocketAddress address =
        new InetSocketAddress(environment.storeHost(), environment.storePort());
    try (TcpStore store = TcpStore.connect(address, environment.token(), Deadline.after(LONG))) {
      List<String> left = store.keys().stream().filter(key -> key.contains(place)).toList();
      check(left.isEmpty(), "all have left, and these keys have not: " + left);
    }
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what + "\n" + this);
    }
  }

  @Override
  public String toString() {
    return "rank %s of %s leaves a part%s"
        .formatted(leaver, size, kills ? ", and then rank " + victim + " dies" : "");
  }
}
