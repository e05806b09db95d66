// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.JoinTime;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.Rendezvous;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.equipment.JoinLimit;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.Clustering;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.calibration.MeasuredPath;
import io.tombolo.topology.calibration.MeasuringPlan;
import io.tombolo.topology.calibration.MeasuringPlan.Turn;
import io.tombolo.topology.machine.LinkCost;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Measures the paths between the ranks of a job, without a communicator: each process opens its
 * device, library and fabrics, and the ranks take turns. What one pair finds, all read from the
 * store; rank 0 makes a calibration of it and hands that to all.
 */
public final class Measurement {
  private final JobEnvironment environment;
  private final Progress progress;
  private final Store desk;
  private final Equipment equipment;
  private final List<RankDescriptor> ranks;
  private final Duration limit;

  /** Told how far a measurement is; every rank is told the same. */
  @FunctionalInterface
  public interface Progress {
    /** {@code done} of {@code all} turns are over; the last one gave {@code path}, or nothing. */
    void onTurn(int done, int all, Optional<MeasuredPath> path);
  }

  private Measurement(
      JobEnvironment environment,
      Progress progress,
      Store desk,
      Equipment equipment,
      List<RankDescriptor> ranks,
      Duration limit) {
    this.environment = environment;
    this.progress = progress;
    this.desk = desk;
    this.equipment = equipment;
    this.ranks = ranks;
    this.limit = limit;
  }

  /**
   * Measures the job that {@code environment} describes; every rank calls this once.
   *
   * @return the figures, the same on every rank
   * @throws TomboloException naming the pair that failed, and within the {@linkplain JoinLimit time
   *     for joining} the rank that did not come or did not take its turn
   */
  public static Calibration run(JobEnvironment environment, Progress progress) {
    try (Store store = environment.openStore()) {
      Store desk = store.within("measure");
      JoinTime time = JoinTime.begin(desk, environment.rank(), JoinLimit.of(environment));
      try (Equipment equipment = Equipment.open(environment)) {
        Rendezvous.Met met =
            Rendezvous.exchange(
                desk, equipment.descriptor(Optional.empty()), environment.size(), time);
        Duration limit = Duration.ofNanos(met.deadline().budgetNs());
        return new Measurement(environment, progress, desk, equipment, met.ranks(), limit).all();
      } catch (TomboloException e) {
        FailureWatch.report(store, environment.rank(), e);
        throw e;
      }
    }
  }

  private Calibration all() {
    Clustering clustering = Clustering.of(ranks.stream().map(RankDescriptor::site).toList());
    List<Turn> turns = MeasuringPlan.of(clustering);
    ImmutableList.Builder<MeasuredPath> paths = ImmutableList.builder();
    for (int number = 0; number < turns.size(); number++) {
      Optional<MeasuredPath> path = take(number, turns.get(number));
      path.ifPresent(paths::add);
      progress.onTurn(number + 1, turns.size(), path);
    }
    return Calibrations.share(
        desk,
        environment.rank(),
        () -> calibration(Calibrations.subject(ranks), paths.build()),
        Deadline.after(limit));
  }

  private static Calibration calibration(
      CalibrationSubject subject, ImmutableList<MeasuredPath> paths) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    return new Calibration(subject.key(), subject.host(), subject.text(), now, paths);
  }

  /** Whoever is at an end measures; the first end tells everyone. */
  private Optional<MeasuredPath> take(int number, Turn turn) {
    String key = "turn/" + number;
    Optional<MeasuredPath> mine =
        turn.involves(environment.rank()) ? measure(number, turn) : Optional.empty();
    if (environment.rank() == turn.from()) {
      desk.set(key, TurnCodec.encode(mine));
      return mine;
    }
    return TurnCodec.decode(desk.await(key, Deadline.after(limit)), turn);
  }

  private Optional<MeasuredPath> measure(int number, Turn turn) {
    Deadline deadline = Deadline.after(limit);
    int rank = environment.rank();
    Store place = desk.within("pair/" + number);
    return switch (turn.kind()) {
      case COPY ->
          Optional.of(path(turn, turn.name(), CopyProbe.measure(equipment.device(), deadline)));
      case VENDOR ->
          new LibraryProbe(equipment, rank, turn, deadline)
              .measure(place)
              .map(cost -> path(turn, turn.name(), cost));
      case FABRIC -> {
        RankDescriptor peer = ranks.get(rank == turn.from() ? turn.to() : turn.from());
        FabricProbe probe = new FabricProbe(equipment, rank, turn, peer, deadline);
        yield Optional.of(path(turn, probe.fabric(), probe.measure(place, number)));
      }
    };
  }

  private static MeasuredPath path(Turn turn, String name, LinkCost cost) {
    return new MeasuredPath(turn.kind(), name, turn.from(), turn.to(), turn.network(), cost);
  }
}
