// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.SimulatedRank.Phase;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.simulation.SimProcess;
import io.tombolo.runtime.simulation.Simulation;
import io.tombolo.runtime.simulation.World;
import io.tombolo.runtime.store.TcpStoreServer;
import io.tombolo.runtime.work.CallOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A job whose ranks are processes of a simulated world, each on a host of its own, and of which one
 * meets a fault. What the ranks must do then is checked by {@link SimulatedVerdict}.
 */
public final class SimulatedJob implements Simulation.Scene {
  static final Duration TIMEOUT = Duration.ofSeconds(20);
  static final Duration LIVENESS = Duration.ofSeconds(6);
  private static final Duration LONGEST = Duration.ofMinutes(3);
  private static final String STORE_HOST = "10.0.0.2";
  private static final int STORE_PORT = 29_500;
  private static final int SLOWNESS = 100;

  private final List<SimulatedRank> ranks = new ArrayList<>();
  private final List<SimProcess> processes = new ArrayList<>();
  private World world;
  private SimProcess launcher;
  private boolean survive;
  private SimulatedStrike first;
  private SimulatedStrike second;

  @Override
  public void play(World played) {
    world = played;
    Random random = world.random();
    int size = 2 + random.nextInt(3);
    first = new SimulatedStrike(SimulatedFault.drawn(random, size));
    survive = random.nextBoolean();
    second = new SimulatedStrike(SimulatedFault.drawnAfterwards(random, size));
    JobToken token = JobToken.random();
    launcher = world.newProcess("launcher");
    world.start(launcher, "launcher", () -> host(token));
    CallOptions options = random.nextBoolean() ? CallOptions.STANDARD : CallOptions.BLOCKING;
    int count = 1 + random.nextInt(1 << random.nextInt(14));
    for (int rank = 0; rank < size; rank++) {
      add(environment(rank, size, token, TIMEOUT), options, count);
    }
    for (int rank = 0; rank < size; rank++) {
      SimulatedRank mine = ranks.get(rank);
      world.start(processes.get(rank), "main", mine::run);
    }
    world.awaitCondition(() -> ranks.stream().allMatch(this::isOver), LONGEST.toNanos());
    new SimulatedVerdict(first, second, ranks).check();
    new SimulatedSequel(first, second, ranks).check();
  }

  private void add(JobEnvironment environment, CallOptions options, int count) {
    int rank = environment.rank();
    processes.add(world.newProcess("rank-" + rank));
    ranks.add(
        new SimulatedRank(
            environment,
            options,
            phase ->
                strikes().anyMatch(each -> each.fault().makesDiffer(rank, phase))
                    ? count + 1
                    : count,
            phase -> onBegin(rank, phase),
            survive));
  }

  /** Hosts a store for jobs with {@code token}, in the second process of a world. */
  static void host(JobToken token) {
    Object unused = TcpStoreServer.start(new InetSocketAddress(STORE_HOST, STORE_PORT), token);
  }

  /** That of a rank whose store {@link #host} hosts. */
  static JobEnvironment environment(int rank, int size, JobToken token, Duration timeout) {
    return new JobEnvironment(
        rank,
        size,
        0,
        STORE_HOST,
        STORE_PORT,
        JobEnvironment.StoreKind.TOMBOLO,
        token,
        "host",
        timeout,
        ImmutableSortedMap.of("fabrics", "tcp", "liveness_ms", "" + LIVENESS.toMillis()));
  }

  private Stream<SimulatedStrike> strikes() {
    return Stream.of(first, second);
  }

  private void onBegin(int rank, Phase phase) {
    strikes()
        .filter(each -> each.fault().victim() == rank && each.fault().phase() == phase)
        .forEach(this::begin);
  }

  private void begin(SimulatedStrike strike) {
    if (strike.fault().kind() == SimulatedFault.Kind.MISMATCH) {
      strike.happensAt(world.nowNs());
    } else {
      world.afterSteps(strike.fault().delaySteps(), () -> happen(strike));
    }
  }

  private void happen(SimulatedStrike strike) {
    strike.happensAt(world.nowNs());
    SimulatedFault fault = strike.fault();
    SimProcess victim = processes.get(fault.victim());
    switch (fault.kind()) {
      case NONE, MISMATCH -> {}
      case SLOW -> world.slow(victim, SLOWNESS);
      case KILL -> world.kill(victim);
      case STOP -> world.stop(victim);
      case CUT -> world.cut(victim);
      case LOSE_STORE -> world.kill(launcher);
      case CUT_STORE -> world.cut(launcher);
      case CUT_OFF_STORE -> world.cut(victim, launcher);
      case ABORT -> abort(fault.victim());
      case ABORT_STORM -> ranks.forEach(each -> abort(each.rank()));
    }
  }

  private void abort(int rank) {
    ranks.get(rank).willAbort();
    world.start(processes.get(rank), "abort", ranks.get(rank)::abort);
  }

  private boolean isOver(SimulatedRank rank) {
    return (rank.isOver() && !rank.isAborting())
        || strikes().anyMatch(each -> each.hasHappened() && each.fault().ends(rank.rank()));
  }

  @Override
  public String toString() {
    return "%s ranks, %s%s"
        .formatted(ranks.size(), first, survive ? "; the others go on; " + second : "");
  }
}
