// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.JobToken;
import io.tombolo.runtime.SimulatedHabits.Habit;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.simulation.SimProcess;
import io.tombolo.runtime.simulation.Simulation;
import io.tombolo.runtime.simulation.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A job in which nothing fails, but whose ranks use it {@linkplain SimulatedHabits carelessly}.
 * When it is over, or one of them has aborted it, all join again on the same store: in the same
 * processes, or in new ones. A rank that ends by an error fails the run.
 */
public final class SimulatedUse implements Simulation.Scene {
  private static final Duration LONGEST = Duration.ofMinutes(3);
  private static final int MOST_HABITS = 3;

  private World world;
  private int size;
  private int count;
  private Duration timeout;
  private List<Habit> inAll;
  private List<Habit> inPart;
  private int aborter;
  private boolean aborts;
  private boolean interrupted;
  private boolean inNewProcesses;
  private final SimulatedUser.Came came = new SimulatedUser.Came();
  private int over;
  private boolean failed;

  @Override
  public void play(World played) {
    world = played;
    draw(world.random());
    JobToken token = JobToken.random();
    world.start(world.newProcess("launcher"), "launcher", () -> SimulatedJob.host(token));
    for (int rank = 0; rank < size; rank++) {
      JobEnvironment environment = SimulatedJob.environment(rank, size, token, timeout);
      SimProcess process = world.newProcess("rank-" + rank);
      SimProcess next = inNewProcesses ? world.newProcess("rank-" + rank + "-again") : process;
      world.start(process, "main", () -> watched(() -> useTwice(environment, next)));
    }
    boolean unused = world.awaitCondition(() -> over == size || failed, LONGEST.toNanos());
    if (over < size) {
      throw new AssertionError("%s of %s ranks are over".formatted(over, size));
    }
  }

  private void draw(Random random) {
    size = 2 + random.nextInt(2);
    count = 1 + random.nextInt(1 << random.nextInt(10));
    timeout = random.nextInt(4) == 0 ? SimulatedHabits.forEver(random) : SimulatedJob.TIMEOUT;
    inAll = habits(random);
    inPart = habits(random);
    aborter = random.nextInt(size);
    aborts = random.nextBoolean();
    interrupted = random.nextBoolean();
    inNewProcesses = random.nextBoolean();
  }

  private static List<Habit> habits(Random random) {
    List<Habit> all = new ArrayList<>(List.of(Habit.values()));
    Collections.shuffle(all, random);
    return all.subList(0, random.nextInt(MOST_HABITS + 1));
  }

  private void useTwice(JobEnvironment environment, SimProcess next) {
    if (aborts) {
      user(environment).workUntilAborted(aborter, interrupted);
    } else {
      user(environment).work();
    }
    world.start(
        next,
        "main again",
        () ->
            watched(
                () -> {
                  user(environment).work();
                  over++;
                }));
  }

  /** What fails ends the run: what the others do then says nothing. */
  private void watched(Runnable part) {
    boolean well = false;
    try {
      part.run();
      well = true;
    } finally {
      failed |= !well;
    }
  }

  private SimulatedUser user(JobEnvironment environment) {
    Random random = new Random(world.random().nextLong());
    SimulatedHabits habits = new SimulatedHabits(world, random, count);
    return new SimulatedUser(environment, habits, came, inAll, inPart);
  }

  @Override
  public String toString() {
    return "%s ranks, %s, in a part %s; timeout %s;%s then again%s"
        .formatted(
            size,
            inAll,
            inPart,
            timeout,
            aborts ? " rank " + aborter + " aborts" + (interrupted ? ", interrupted;" : ";") : "",
            inNewProcesses ? " in new processes" : "");
  }
}
